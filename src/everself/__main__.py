"""`python -m everself` is the command `everself`."""

from everself.interfaces.cli.main import main

if __name__ == "__main__":
    main()
