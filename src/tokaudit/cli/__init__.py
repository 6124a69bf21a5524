"""The command line: arguments to the API, its report to a format, its outcome to an exit code."""
