"""How well Everself judges what it reads: corrections, conflicts, attacks, and which of two statements is the newer."""
