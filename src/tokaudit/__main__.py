"""``python -m tokaudit``."""

from tokaudit.cli.start import run

if __name__ == "__main__":
    run()
