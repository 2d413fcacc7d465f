"""The variable that says how many steps of a training loop one run makes, which hooks and loops of steps share."""

import millrace as tf

_COLLECTION = "hooks_steps_per_run"


def get_or_create_steps_per_run_variable():
  """The graph's variable, 1 at first. RuntimeError if there are several."""
  graph = tf.get_default_graph()
  found = graph.get_collection(_COLLECTION)
  if len(found) > 1:
    raise RuntimeError("Multiple steps_per_run variables in collection.")
  if found:
    return found[0]
  with graph.as_default(), graph.name_scope(None), tf.variable_scope("hooks", reuse=tf.AUTO_REUSE):
    return tf.get_variable(
      "steps_per_run",
      shape=[],
      dtype=tf.int32,
      initializer=tf.ones_initializer(),
      trainable=False,
      collections=[_COLLECTION, tf.GraphKeys.LOCAL_VARIABLES],
      use_resource=True,
    )
