"""The interfaces to an opened agent. Each package is independent of the others."""
