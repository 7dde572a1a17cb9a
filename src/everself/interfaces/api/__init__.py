"""`/api/v1`: every operation that a token may ask for, by its name; and its OpenAPI document."""
