"""Chat models behind one protocol: request, streamed reply, failures."""
