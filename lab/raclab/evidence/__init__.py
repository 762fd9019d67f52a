"""Measurements: what one is, the published ones, and how any two compare."""
