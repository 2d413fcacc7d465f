"""Sets in the last dimension of tensors."""
