"""These run in an environment of their own, `make test-frameworks`: the packages do not fit beside what the gateway needs."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("agents") and find_spec("langgraph") else ["test_*.py"]
