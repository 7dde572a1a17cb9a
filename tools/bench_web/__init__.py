"""What the pages of the web page cost the server, at two sizes of memory."""
