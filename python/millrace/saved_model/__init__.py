"""SavedModel: a graph with its variables, signatures and assets in a folder."""
