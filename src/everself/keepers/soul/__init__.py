"""The Soul Keeper: proposes lines for `## Learned` from what the owner said repeatedly."""
