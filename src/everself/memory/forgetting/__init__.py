"""Forgetting: removes text from every place that holds it, proves that it is gone, and keeps it from coming back."""
