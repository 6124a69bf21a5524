"""Facts, which must not be lost. Never imports ``spans``: see docs/adr."""
