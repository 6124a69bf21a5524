"""The entry point of the command: Ctrl-C is heeded before anything is imported that takes time."""

from tokaudit.cli.interrupt import drop_interrupt, take_interrupt


def run() -> None:
    """Run the command line and leave the process."""
    take_interrupt()
    import sys

    from tokaudit.cli import main

    code = main.outcome()
    drop_interrupt()
    sys.exit(code)
