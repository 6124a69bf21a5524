"""Slim documents."""
