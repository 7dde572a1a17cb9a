"""`/api/v1`: all operations that a token may call, by name; and the OpenAPI document."""
