"""A self that lasts for AI agents: an identity they keep and a memory they can trust, in plain Markdown.

    from everself import open_app

    with open_app() as app:
        app.remember("My cat is called Miso.")

docs/library.md says what an App can do. It is loaded when it is first asked for, so that a bare import costs nothing.
"""

# type checkers take it for what `typing` has under this name, which would be one module more to load
TYPE_CHECKING = False
if TYPE_CHECKING:
    from everself.app.app import App
    from everself.app.opening import open_app

__version__ = "0.1.0"

__all__ = ["App", "__version__", "open_app"]


def __getattr__(name: str) -> object:
    if name == "open_app":
        from everself.app.opening import open_app

        return open_app
    if name == "App":
        from everself.app.app import App

        return App
    raise AttributeError(f"module 'everself' has no attribute {name!r}")
