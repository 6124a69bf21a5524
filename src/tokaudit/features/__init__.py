"""The use cases, pure: what is measured comes in, what was found goes out; no files, no backends."""
