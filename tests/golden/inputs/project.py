"""Two prompts and a configuration."""

from gated import project

project()
