"""Functions that have an inverse, with what they do to densities."""
