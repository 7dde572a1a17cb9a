"""What to say where the package of a framework is not installed."""


def missing(package: str, extra: str) -> ImportError:
    return ImportError(f"The package {package} is not installed. Install it with: pip install 'everself[{extra}]'")
