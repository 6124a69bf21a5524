"""Pure text machinery. It stands here before the rules do, so that the import contract covers it from the start."""
