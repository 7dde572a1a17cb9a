"""The server cost of the web pages, at two sizes of memory."""
