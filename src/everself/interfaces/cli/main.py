"""The entry point of the command. Everything else is loaded inside its error handling, so that Ctrl-C during loading is handled too."""

import sys


def main() -> None:
    if sys.argv[1:2] == ["hook"] and not {"--help", "--json"} & set(sys.argv):
        # a coding agent waits for it at every prompt, so the command line is not loaded
        from everself.interfaces.client_hooks.entry import run as run_hook

        run_hook(sys.argv[2:])
    try:
        from everself.interfaces.cli.entry import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        code = 130
    sys.exit(code)
