"""MCP: the tools, resources and prompts that the agent offers to other programs' models, over stdio and over the gateway."""
