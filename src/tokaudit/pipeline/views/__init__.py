"""How ops see a text, and what several of them look for in it."""
