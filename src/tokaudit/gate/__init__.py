"""The gate of ``check`` and ``baseline``: project, measurements, reference, policy, run, baseline."""
