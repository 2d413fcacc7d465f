"""tf.estimator.inputs: batches of arrays, and of frames where pandas or something like it is there."""

import collections

import numpy as np

GRAPHS = True


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _run(tf, input_fn, most=20):
  """The batches that an input function gives."""
  found = []
  with tf.Graph().as_default():
    tensors = input_fn()
    with tf.train.MonitoredSession() as session:
      while not session.should_stop() and len(found) < most:
        found.append(session.run(tensors))
  return found


def program_graph_in_order(tf):
  x = np.arange(10.0)
  features, labels = tf.estimator.inputs.numpy_input_fn(
    {"b": x, "a": np.ones([10, 3], np.float32)}, x, batch_size=4, num_epochs=1, shuffle=False
  )()
  return [sorted(features), str(features["a"]), str(labels)]


def program_graph_shuffled(tf):
  x = np.arange(10.0)
  made = tf.estimator.inputs.numpy_input_fn(
    {"a": x}, {"y": x, "z": x}, batch_size=4, num_epochs=None, shuffle=True, queue_capacity=78, num_threads=2
  )()
  return str(made)


def program_batches(tf):
  numpy_input_fn = tf.estimator.inputs.numpy_input_fn
  x = np.arange(10.0)
  return [
    _run(tf, numpy_input_fn({"a": x, "b": np.ones([10, 2], np.float32)}, x, batch_size=4, shuffle=False)),
    _run(tf, numpy_input_fn(x, batch_size=4, shuffle=False, num_epochs=2)),
    _run(tf, numpy_input_fn({"a": x}, {"y": x + 1}, batch_size=4, shuffle=False, num_epochs=None), 6),
    _run(tf, numpy_input_fn(np.array(["a", "b", "c"]), batch_size=2, shuffle=False)),
    _run(tf, numpy_input_fn(collections.OrderedDict([("z", x[:3]), ("y", x[:3])]), batch_size=2, shuffle=False)),
  ]


def program_all_rows_come(tf):
  numpy_input_fn = tf.estimator.inputs.numpy_input_fn
  x = np.arange(10)
  shuffled = _run(tf, numpy_input_fn(x, batch_size=4, shuffle=True, num_epochs=2))
  by_threads = _run(tf, numpy_input_fn(x, batch_size=3, shuffle=False, num_epochs=2, num_threads=2))
  together = _run(tf, numpy_input_fn({"x": x}, x * 2, batch_size=4, shuffle=True, num_epochs=3, queue_capacity=7))
  return [
    sorted(np.concatenate(shuffled).tolist()),
    sorted(np.concatenate(by_threads).tolist()),
    all(np.array_equal(features["x"] * 2, labels) for features, labels in together),
    sum(len(labels) for _, labels in together),
  ]


def program_wrong_arrays(tf):
  numpy_input_fn = tf.estimator.inputs.numpy_input_fn
  x = np.arange(10.0)
  return [
    _error(call)
    for call in [
      lambda: numpy_input_fn(x),
      lambda: numpy_input_fn(x, shuffle=1),
      lambda: numpy_input_fn([1], shuffle=True)(),
      lambda: numpy_input_fn(3, shuffle=True)(),
      lambda: numpy_input_fn({}, shuffle=True)(),
      lambda: numpy_input_fn({"a": x}, {}, shuffle=True)(),
      lambda: numpy_input_fn({"a": x}, np.ones(3), shuffle=True)(),
      lambda: numpy_input_fn({"a": x, "b": np.ones(3)}, shuffle=True)(),
      lambda: numpy_input_fn({"a": x}, {"a": x}, shuffle=True)(),
    ]
  ]
