"""Public fakes, shipped with the package: a meddled file system, a simulated database disk, a frozen clock, ready-made workspaces."""
