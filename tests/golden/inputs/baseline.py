"""The baseline of what is there."""

from gated import baseline

baseline()
