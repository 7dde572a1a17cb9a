"""Public fakes, shipped with the package: a meddled file system, a simulated database disk, a frozen clock, an embedder and a chat
model without a model, ready-made workspaces."""
