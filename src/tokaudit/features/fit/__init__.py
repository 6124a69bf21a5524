"""Makes a conversation fit its budget: old turns go whole, passages once, slots for a summary and facts."""
