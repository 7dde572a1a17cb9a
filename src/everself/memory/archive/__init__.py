"""What is old is put away: days into quarters, corrections and faded lines into archives, verbatim, and every step of it logged."""
