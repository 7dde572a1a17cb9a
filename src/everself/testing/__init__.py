"""Public fakes, shipped with the package: a fault-injecting file system, a simulated database disk, a frozen clock, a
fake embedder, a scripted chat model and ready-made workspaces.
"""
