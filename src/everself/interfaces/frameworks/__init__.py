"""Agents of other makers' frameworks with this agent's memory: Anthropic's SDK, pydantic-ai, the OpenAI Agents SDK, LangGraph.

Each module needs the package that it is for, and says how to install it. docs/frameworks.md shows them.
"""
