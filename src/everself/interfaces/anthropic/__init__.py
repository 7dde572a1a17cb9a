"""Anthropic's wire format: `/v1/messages` and `/v1/messages/count_tokens`. The agent is the model."""
