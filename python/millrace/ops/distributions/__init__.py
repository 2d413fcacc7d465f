"""Probability distributions: drawing from them, densities, moments, divergences."""
