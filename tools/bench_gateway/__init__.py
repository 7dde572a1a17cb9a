"""make bench-gateway: the delay that the gateway adds to a model's tokens."""
