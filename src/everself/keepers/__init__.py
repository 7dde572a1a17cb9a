"""The five keepers: what they propose, how it is checked, applied or put before a human. One file each, one shape."""
