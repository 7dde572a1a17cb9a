"""External tools that the settings enable: programs, web pages, MCP servers. Their output is untrusted."""
