"""Sweeps: a myth's test case at every setting of a grid of levers. ``raclab.sweep`` is the way in."""
