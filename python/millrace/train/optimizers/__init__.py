"""Optimizers: TensorFlow 1's, with their slots and update ops."""
