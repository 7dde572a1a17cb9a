"""The error for a missing framework package."""

from everself.config.installation import install_command


def missing(package: str, extra: str) -> ImportError:
    return ImportError(f"The package {package} is not installed. Install it with: {install_command(extra)}")
