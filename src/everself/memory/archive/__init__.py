"""Archives old memory verbatim: daily logs, corrections and faded lines. Every step is logged."""
