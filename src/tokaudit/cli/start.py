"""The entry point of the command: Ctrl-C is heeded before anything is imported that takes time."""

from tokaudit.cli.interrupt import leave, take_interrupt


def run() -> None:
    """Run the command line and leave the process."""
    take_interrupt(leave)
    from tokaudit.cli import main

    main.run()
