"""OpenAI's wire: `/v1/models` and `/v1/chat/completions`. The agent is the model."""
