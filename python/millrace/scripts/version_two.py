"""tensorflow.python.tf2: whether the behavior of TensorFlow 2 is on, which it never is."""


def enabled():
  return False


def disable():
  """Does nothing: it is off."""


def enable():
  """Raises NotImplementedError: all are graphs of TensorFlow 1."""
  raise NotImplementedError("The behavior of TensorFlow 2 is not part of Millrace. Build a graph and run it in a tf.Session.")
