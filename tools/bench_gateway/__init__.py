"""Figures of the gateway under many conversations at once."""
