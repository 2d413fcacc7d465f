"""Feature columns: what the fields of examples mean for a model, and the tensors that they become."""
