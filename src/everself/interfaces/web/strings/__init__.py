"""The catalogue of what pages say, in `en.toml`."""
