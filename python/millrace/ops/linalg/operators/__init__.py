"""Linear operators: matrices, and batches of them, of which only what makes them up is kept."""
