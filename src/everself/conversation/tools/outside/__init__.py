"""Tools from outside, which the settings let in: programs, web pages, MCP servers. What they give is somebody else's words."""
