"""Export and import of entries as JSON Lines. Lossless; an import is trusted only as far as the owner says."""
