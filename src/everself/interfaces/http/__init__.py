"""Shared by all HTTP interfaces: server, access control, opened agents, worker threads, log. Not an interface itself."""
