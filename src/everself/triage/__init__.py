"""A message becomes what it asks of memory: patterns only, in linear time. Knows no model and changes nothing."""
