"""The public Python API: one file a command; names to objects to features."""
