"""How well Everself classifies what it reads: corrections, conflicts, attacks, and which of two statements is newer."""
