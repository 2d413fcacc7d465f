"""Recurrent networks: cells, what wraps cells, and the functions that run a cell over sequences."""
