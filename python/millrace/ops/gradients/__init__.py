"""Gradients: tf.gradients and functions of programs for them, clipping, and functions of graphs."""
