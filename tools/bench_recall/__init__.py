"""make bench-recall: how much of the evidence search finds, beside four baselines on the same texts."""
