"""Whether a model is being trained, where a program leaves that to Keras: a scalar of each graph, which is false unless it is fed."""

import weakref

import millrace as tf

_phases = weakref.WeakKeyDictionary()


def learning_phase():
  """Returns the tensor `keras_learning_phase:0` of the graph, which is made when it is first asked for."""
  graph = tf.get_default_graph()
  if graph not in _phases:
    with tf.control_dependencies(None), tf.name_scope(""):
      _phases[graph] = tf.placeholder_with_default(False, shape=(), name="keras_learning_phase")
  return _phases[graph]


def decided(training):
  """Returns `training`, the value of a variable, and the learning phase in place of None."""
  if isinstance(training, tf.Variable):
    return tf.convert_to_tensor(training)
  return learning_phase() if training is None else training
