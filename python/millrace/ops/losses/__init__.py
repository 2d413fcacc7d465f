"""Losses: numbers that training makes small, and the collection that holds them."""
