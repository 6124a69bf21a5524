"""A text as ops see it, and parts that several ops look for."""
