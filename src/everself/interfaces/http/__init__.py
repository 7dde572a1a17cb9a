"""What every interface that speaks HTTP shares: the server, who is let in, opened agents, worker threads, the log. No interface itself."""
