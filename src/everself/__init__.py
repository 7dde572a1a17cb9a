"""A lasting identity and memory for AI agents, in plain Markdown.

    from everself import Agent

    with Agent.create() as agent:
        agent.remember("My cat is called Miso.")

See docs/library.md. `Agent` is loaded on first access, so that a bare import costs nothing.
`App` and `open_app` are deprecated names of `Agent` and `Agent.open`; the next release removes them.
"""

# type checkers treat this name like `typing.TYPE_CHECKING`; importing `typing` would cost a module more
TYPE_CHECKING = False
if TYPE_CHECKING:
    from everself.agent import Agent, Runtime, open_runtime

__version__ = "0.1.0"

__all__ = ["Agent", "Runtime", "__version__", "open_runtime"]

# deprecated names, and what they stand for in `everself.agent`
_FORMER = {"App": "Agent", "open_app": "open_app"}


def __getattr__(name: str) -> object:
    if name.startswith("_") or name not in (*__all__, *_FORMER):
        raise AttributeError(f"module 'everself' has no attribute {name!r}")
    from everself import agent

    if name in _FORMER:
        import warnings

        words = f"everself.{name} is deprecated, and the next release removes it: use everself.Agent."
        warnings.warn(words, DeprecationWarning, stacklevel=2)
    return getattr(agent, _FORMER.get(name, name))
