import two_versions  # noqa: F401
