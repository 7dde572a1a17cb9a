"""Promotion: moves entries from daily logs to the curated core, without losing or duplicating them."""
