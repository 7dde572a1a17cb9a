"""A self that lasts for AI agents: an identity they keep and a memory they can trust, in plain Markdown.

    from everself import Agent

    with Agent.create() as agent:
        agent.remember("My cat is called Miso.")

docs/library.md says what it can do. It is loaded when it is first asked for, so that a bare import costs nothing.
`App` and `open_app` are the former names of `Agent` and of opening one; they are deprecated and go with the next release.
"""

# type checkers treat this name like `typing.TYPE_CHECKING`; importing `typing` would cost a module more
TYPE_CHECKING = False
if TYPE_CHECKING:
    from everself.agent import Agent, Runtime, open_app, open_runtime

    App = Agent

__version__ = "0.1.0"

__all__ = ["Agent", "App", "Runtime", "__version__", "open_app", "open_runtime"]

_FORMER = {"App": "Agent"}


def __getattr__(name: str) -> object:
    if name.startswith("_") or name not in __all__:
        raise AttributeError(f"module 'everself' has no attribute {name!r}")
    from everself import agent

    return getattr(agent, _FORMER.get(name, name))
