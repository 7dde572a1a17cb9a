"""Export and import of entries as JSON Lines. Nothing is lost, and an import is trusted only as far as the owner says."""
