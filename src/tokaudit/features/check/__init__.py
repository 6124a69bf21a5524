"""The gate's judgement."""
