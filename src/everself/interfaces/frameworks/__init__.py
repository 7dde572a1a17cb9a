"""Adapters that give agents of other frameworks this agent's memory: Anthropic's SDK, pydantic-ai, the OpenAI Agents SDK, LangGraph.

Each module needs the framework's package, and says how to install it. See docs/frameworks.md.
"""
