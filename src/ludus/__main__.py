"""`python -m ludus` is the command line."""

from ludus.cli.main import main

if __name__ == "__main__":
    main()
