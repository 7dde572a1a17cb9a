"""Learns what search is made of from our own text: the maps of the local models' vectors. Nothing of it is shipped."""
