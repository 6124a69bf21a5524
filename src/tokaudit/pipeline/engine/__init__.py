"""Apply rules to a text: stages, windows, the guard, the ledger."""
