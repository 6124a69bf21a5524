"""The patterns of rules: checked and compiled."""
