"""Many inputs: found, read, and spread over processes."""
