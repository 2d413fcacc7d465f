"""Sessions: they run parts of graphs, in this process or on clusters."""
