"""Random numbers of a generator whose state is a variable: it can be set, skipped and split."""

import numpy as np

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import get_default_graph, name_scope
from millrace.framework.tensor import Tensor
from millrace.ops.random.shapes import shape_tensor

# The numbers of algorithms in ops, and how many words of state each has: the counter, and a key.
_ALGORITHMS = {"philox": 1, "threefry": 2}
_STATE_SIZES = {1: 3, 2: 2}
_WORD = 64


def _algorithm_number(algorithm):
  """The number of an algorithm that is given by its name or number. Raises ValueError for another."""
  number = _ALGORITHMS.get(algorithm, algorithm) if isinstance(algorithm, str) else int(algorithm)
  if number not in _STATE_SIZES:
    raise ValueError(f"Unsupported algorithm id: {algorithm}")
  return number


def _words(number, count):
  """The lowest words of an integer as numbers of int64, the lowest first."""
  found = [(number >> (_WORD * place)) % 2**_WORD for place in range(count)]
  return [word - 2**_WORD if word >= 2 ** (_WORD - 1) else word for word in found]


def create_rng_state(seed, algorithm):
  """The state of int64 that a seed, an integer or a vector of them, stands for; short ones are filled up in front.

  Raises:
    ValueError: for another algorithm or a seed with more dimensions.
  """
  size = _STATE_SIZES[_algorithm_number(algorithm)]
  if isinstance(seed, (int, np.integer)):
    seed = _words(int(seed), size)
  seed = tf.reshape(tf.cast(seed, dtypes.int64), [-1])
  seed = seed[0:size]
  missing = size - (seed.get_shape().as_list()[0] or tf.shape(seed)[0])
  return tf.concat([tf.zeros([tf.maximum(missing, 0)], dtypes.int64), seed], 0)


class Generator:
  """A generator of random numbers; a session has to initialize its variable. Each number is drawn once.

  Args:
    copy_from: Another generator, whose state is taken.
    state: A state as `create_rng_state` makes it, if there is no `copy_from`.
    alg: "philox" or its number.

  Raises:
    ValueError: if not exactly `copy_from`, or `state` and `alg`, are given.
  """

  def __init__(self, copy_from=None, state=None, alg=None):
    if copy_from is not None:
      if state is not None or alg is not None:
        raise ValueError("Argument `state` or `alg` can't be given together with `copy_from`.")
      state, alg = copy_from.state.initialized_value(), copy_from.algorithm
    if state is None or alg is None:
      raise ValueError("Arguments `state` and `alg` must be given without `copy_from`.")
    self._alg = _algorithm_number(alg)
    with name_scope("random_generator"):
      self._state_var = tf.Variable(
        tf.cast(state, dtypes.int64), dtype=dtypes.int64, trainable=False, name="StateVar", use_resource=True
      )

  @classmethod
  def from_state(cls, state, alg):
    """A generator with a state as `create_rng_state` makes it."""
    return cls(state=state, alg=alg)

  @classmethod
  def from_seed(cls, seed, alg=None):
    """A generator with the state that a seed stands for, of "philox" by default."""
    alg = _ALGORITHMS["philox"] if alg is None else alg
    return cls(state=create_rng_state(seed, alg), alg=alg)

  @classmethod
  def from_non_deterministic_state(cls, alg=None):
    """A generator with a state that is another each time its variable is initialized."""
    alg = _ALGORITHMS["philox"] if alg is None else alg
    size = _STATE_SIZES[_algorithm_number(alg)]
    return cls(state=gen.non_deterministic_ints(tf.constant([size], dtypes.int64), dtypes.int64), alg=alg)

  @classmethod
  def from_key_counter(cls, key, counter, alg):
    """A generator with a key (a scalar) and a counter (a vector of two integers, the lower first)."""
    return cls(state=_key_counter_state(key, counter), alg=alg)

  @property
  def state(self):
    """The variable with the state."""
    return self._state_var

  @property
  def algorithm(self):
    """The number of the algorithm."""
    return self._alg

  @property
  def key(self):
    """The key, a scalar of int64."""
    return self._state_var.read_value()[-1]

  def reset(self, state):
    """An op that sets the state."""
    return self._state_var.assign(tf.cast(state, dtypes.int64))

  def reset_from_seed(self, seed):
    """An op that sets the state that a seed stands for."""
    return self.reset(create_rng_state(seed, self._alg))

  def reset_from_key_counter(self, key, counter):
    """An op that sets the key and the counter."""
    return self.reset(_key_counter_state(key, counter))

  def skip(self, delta):
    """An op that goes on as if `delta` blocks of four 32-bit numbers had been drawn."""
    return gen.rng_skip(self._state_var.handle, self._algorithm_tensor(), tf.cast(delta, dtypes.int64))

  def _algorithm_tensor(self):
    return tf.constant(self._alg, dtypes.int64)

  def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Numbers of the normal distribution."""
    return self._normal(gen.stateful_standard_normal_v2, "stateful_normal", shape, mean, stddev, dtype, name)

  def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Numbers of the normal distribution within two standard deviations."""
    return self._normal(gen.stateful_truncated_normal, "truncated_normal", shape, mean, stddev, dtype, name)

  def _normal(self, make, default_name, shape, mean, stddev, dtype, name):
    with name_scope(name, default_name, [shape, mean, stddev]) as scope:
      shape = shape_tensor(shape)
      mean = convert_to_tensor(mean, dtype=dtype, name="mean")
      stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
      drawn = make(self._state_var.handle, self._algorithm_tensor(), shape, dtype=dtype)
      return tf.add(drawn * stddev, mean, name=scope)

  def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
    """Numbers from `minval` to below `maxval`, which is 1 for floating types where it is not said.

    Raises:
      ValueError: if an integer type has no `maxval`.
    """
    dtype = dtypes.as_dtype(dtype)
    if maxval is None:
      if dtype.is_integer:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
      maxval = 1
    with name_scope(name, "stateful_uniform", [shape, minval, maxval]) as scope:
      shape = shape_tensor(shape)
      minval = convert_to_tensor(minval, dtype=dtype, name="min")
      maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
      if dtype.is_integer:
        return gen.stateful_uniform_int(self._state_var.handle, self._algorithm_tensor(), shape, minval, maxval, name=scope)
      drawn = gen.stateful_uniform(self._state_var.handle, self._algorithm_tensor(), shape, dtype=dtype)
      return tf.add(drawn * (maxval - minval), minval, name=scope)

  def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
    """Numbers from the whole range of an integer type."""
    with name_scope(name, "stateful_uniform_full_int", [shape]) as scope:
      shape = shape_tensor(shape)
      return gen.stateful_uniform_full_int(self._state_var.handle, self._algorithm_tensor(), shape, dtype=dtype, name=scope)

  def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None):
    """How many of `counts` trials, each with the probability `probs`, succeed."""
    with name_scope(name, "binomial", [shape, counts, probs]) as scope:
      counts = convert_to_tensor(counts, name="counts")
      probs = convert_to_tensor(probs, name="probs")
      return gen.stateful_random_binomial(
        self._state_var.handle, self._algorithm_tensor(), shape_tensor(shape), counts, probs, dtype=dtype, name=scope
      )

  def make_seeds(self, count=1):
    """Seeds for ops of `tf.random.stateless_*`: a tensor [2, count] of int64, one seed a column."""
    keys = self.uniform_full_int([count], dtype=dtypes.int64)
    return tf.stack([keys, tf.zeros_like(keys)])

  def split(self, count=1):
    """A list of `count` generators with keys that this one draws, and counters of 0."""
    keys = tf.unstack(self.uniform_full_int([count], dtype=dtypes.int64), num=count)
    return [Generator(state=_key_counter_state(key, [0, 0]), alg=self._alg) for key in keys]


def _key_counter_state(key, counter):
  counter = tf.cast(counter, dtypes.int64)
  key = tf.reshape(tf.cast(key, dtypes.int64) if isinstance(key, Tensor) else tf.constant(key, dtypes.int64), [1])
  return tf.concat([tf.reshape(counter, [-1]), key], 0)


_COLLECTION = ("_global_random_generator",)


def get_global_generator():
  """The generator of the default graph, made at the first call with a state that is another each time."""
  found = get_default_graph().get_collection_ref(_COLLECTION)
  if not found:
    found.append(Generator.from_non_deterministic_state())
  return found[0]


def set_global_generator(generator):
  """Sets the generator of the default graph."""
  get_default_graph().get_collection_ref(_COLLECTION)[:] = [generator]
