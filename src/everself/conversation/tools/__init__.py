"""Tools for the model: memory, files, proposals for the soul, and external tools that the settings enable."""
