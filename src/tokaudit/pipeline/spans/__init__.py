"""Protected and structural spans. Never imports ``facts``: see docs/adr."""
