"""The global step, under the names of tf.contrib.framework."""

import millrace as tf


def assert_or_get_global_step(graph=None, global_step_tensor=None):
  """Returns the global step: `global_step_tensor` if it can be one, else that of the graph, or None. TypeError for others."""
  if global_step_tensor is None:
    return tf.train.get_global_step(graph)
  tf.train.assert_global_step(global_step_tensor)
  return global_step_tensor
