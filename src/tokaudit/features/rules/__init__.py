"""Rules and packs, shown."""
