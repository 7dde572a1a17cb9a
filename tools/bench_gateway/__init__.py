"""make bench-gateway: how much later the words of a model come through the gateway than straight from the model."""
