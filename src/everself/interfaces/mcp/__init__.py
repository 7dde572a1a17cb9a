"""MCP: the tools, resources and prompts for models of other programs, over stdio and through the gateway."""
