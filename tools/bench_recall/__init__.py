"""make bench-recall: the share of evidence that search finds, compared with baselines on the same texts."""
