"""Checkpoints: savers, their files and what reads them."""
