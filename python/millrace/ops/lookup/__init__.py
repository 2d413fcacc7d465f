"""Tables in a graph: from keys to values."""
