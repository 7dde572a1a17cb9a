"""Forgetting: take what was remembered out of every place that holds it, prove that it is gone, keep it from coming back."""
