"""Where the command begins. It loads the rest inside its own net, so that Ctrl-C during loading is met with words too."""

import sys


def main() -> None:
    try:
        from everself.interfaces.cli.entry import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        code = 130
    sys.exit(code)
