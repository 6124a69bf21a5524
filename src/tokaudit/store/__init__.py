"""Files that are neither inputs nor vocabularies: configuration, and output that is never half-written."""
