"""The reflex, the chat model without a language model: recall, learned heads and quotations, behind the protocol of every chat model."""
