"""The table of single ops, and the values that they are given."""

import numpy as np

MILLION = 1_000_000
OPS = {}


class Row:
  """`build(tf, *tensors)` returns tensors or ops; `inputs` make the values of the tensors."""

  def __init__(self, build, inputs):
    self.build, self.inputs = build, inputs


def op(name, build, *inputs):
  assert name not in OPS, name
  OPS[name] = Row(build, inputs)


def gradients_of(build):
  """Returns a builder of the gradients for all inputs."""
  return lambda tf, *inputs: tf.gradients(build(tf, *inputs), list(inputs))


def random(seed=1):
  return np.random.RandomState(seed)


def normal(*shape):
  return lambda: random().standard_normal(shape).astype(np.float32)


def uniform(*shape):
  return lambda: random().rand(*shape).astype(np.float32)


def doubles(*shape):
  return lambda: random().standard_normal(shape)


def halves(*shape):
  return lambda: random().standard_normal(shape).astype(np.float16)


def complexes(*shape):
  return lambda: (random().standard_normal(shape) + 1j * random(2).standard_normal(shape)).astype(np.complex64)


def ints(below, *shape):
  return lambda: random().randint(0, below, shape).astype(np.int32)


def longs(below, *shape):
  return lambda: random().randint(0, below, shape).astype(np.int64)


def bools(*shape):
  return lambda: random().rand(*shape) < 0.5


def images(*shape):
  return lambda: random().randint(0, 256, shape).astype(np.uint8)


def words(count, letters=8):
  return lambda: np.array(["".join(chr(97 + x) for x in random(k).randint(0, 26, letters)) for k in range(count)], dtype=object)
