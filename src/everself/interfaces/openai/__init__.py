"""OpenAI's wire format: `/v1/models` and `/v1/chat/completions`. The agent is the model."""
