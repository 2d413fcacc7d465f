"""What tests of tf.contrib.distributions share."""

import pytest

import millrace as tf


@pytest.fixture(autouse=True)
def seeds(new_graph):
  """Samples are the same in each run."""
  tf.set_random_seed(7)


ds = tf.contrib.distributions


def run(*fetches):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run(list(fetches))
  return values[0] if len(values) == 1 else values


def error(call):
  try:
    call()
  except Exception as raised:
    return f"{type(raised).__name__}: {raised}"
  return "nothing was raised"
