"""Checks a cell against a formula in numpy: outputs and states over sequences that end, and gradients by differences.

A formula is a function `step(p, inputs, state)` of the variables by their names below the cell's scope, in float64, and returns
(outputs, next state) in the structures of the cell.
"""

import numpy as np
from millrace.framework import nest

import millrace as tf


def numbers(*shape, seed=0):
  """Numbers between -1 and 1, which the shape and the seed decide."""
  return np.random.RandomState(seed + 7 * sum(shape) + len(shape)).uniform(-1, 1, shape).astype(np.float32)


def sigmoid(x):
  return 1 / (1 + np.exp(-x))


def lstm(i, j, f, o, c, forget_bias=1.0, act=np.tanh):
  """The next cell and the outputs of an LSTM, for its gates before activation and its cell."""
  new_c = sigmoid(f + forget_bias) * c + sigmoid(i) * act(j)
  return new_c, sigmoid(o) * act(new_c)


def softmax(x):
  e = np.exp(x - x.max(-1, keepdims=True))
  return e / e.sum(-1, keepdims=True)


def relu(x):
  return np.maximum(x, 0)


def split(x, count):
  return np.split(x, count, axis=-1)


def join(*parts):
  return np.concatenate(parts, -1)


def _masked(alive, new, old):
  def chosen(n, o):
    n, o = np.asarray(n), np.asarray(o)
    return np.where(alive.reshape([-1] + [1] * (n.ndim - 1)), n, o) if n.ndim else n

  return nest.pack_sequence_as(new, [chosen(n, o) for n, o in zip(nest.flatten(new), nest.flatten(old))])


def by_formula(step, p, inputs, state, lengths):
  """Runs a formula over the inputs, [batch, time, ...] or a structure of them; returns (outputs of all times, last state)."""
  outputs = []
  flat = nest.flatten(inputs)
  for time in range(flat[0].shape[1]):
    alive = np.asarray(lengths) > time
    output, following = step(p, nest.pack_sequence_as(inputs, [part[:, time] for part in flat]), state)
    zeros = nest.map_structure(np.zeros_like, output)
    outputs.append(_masked(alive, output, zeros))
    state = _masked(alive, following, state)
  stacked = [np.stack(parts, 1) for parts in zip(*[nest.flatten(output) for output in outputs])]
  return nest.pack_sequence_as(outputs[0], stacked), state


def _loss(result):
  """A number that all outputs and states decide, each element in its own way."""
  total = 0.0
  for place, part in enumerate(nest.flatten(result)):
    part = np.asarray(part, np.float64)
    total += float((part * _share(part.shape, place)).sum())
  return total


def _share(shape, place):
  return numbers(*shape, seed=50 + place) if shape else np.float32(0)


def check(
  cell, step, inputs=None, lengths=(3, 1, 0), names=None, not_moved=(), tolerance=2e-5, values=None, initial=None, slopes=True
):
  """Runs `cell` by dynamic_rnn and `step` by numpy, over `inputs` that end at `lengths`; fails where they differ.

  `names` are the expected names of variables below the scope "rnn", with shapes; `values` those that the variables get, by name,
  otherwise numbers; `initial` is the initial state of both. Variables in `not_moved` stay as they are where the gradient is
  compared with a difference, which is not done without `slopes`.
  """
  inputs = numbers(3, 3, 4) if inputs is None else inputs
  placed = nest.map_structure(lambda part: tf.placeholder(part.dtype, part.shape), inputs)
  state = None if initial is None else nest.map_structure(tf.constant, initial)
  result = tf.nn.dynamic_rnn(cell, placed, sequence_length=list(lengths), dtype=tf.float32, initial_state=state)
  variables = tf.global_variables()
  prefix = "rnn/"
  assert all(v.op.name.startswith(prefix) for v in variables)
  found = {v.op.name[len(prefix) :]: v for v in variables}
  if names is not None:
    assert {name: v.shape.as_list() for name, v in found.items()} == names
  given = {name: (values or {}).get(name, numbers(*v.shape.as_list(), seed=len(name))) for name, v in found.items()}
  shares = [tf.constant(_share(part.shape.as_list(), place)) for place, part in enumerate(nest.flatten(result))]
  loss = tf.add_n([tf.reduce_sum(tf.cast(part, tf.float32) * share) for part, share in zip(nest.flatten(result), shares)])
  moved = [name for name in found if name not in not_moved and found[name] in tf.trainable_variables()]
  # What nothing depends on has no gradient.
  gradients = tf.gradients(loss, [found[name] for name in moved] + nest.flatten(placed))
  gradients = [tf.zeros([1]) if gradient is None else tf.convert_to_tensor(gradient) for gradient in gradients]
  feed = dict(zip(nest.flatten(placed), nest.flatten(inputs)))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name, variable in found.items():
      variable.load(given[name], session)
    got, found_slopes = session.run([result, gradients], feed)
    if initial is None:
      zeros = nest.map_structure(tf.convert_to_tensor, cell.zero_state(nest.flatten(inputs)[0].shape[0], tf.float32))
      initial = session.run(zeros)
  exact = {name: np.asarray(value, np.float64) for name, value in given.items()}
  wide = nest.map_structure(lambda part: np.asarray(part, np.float64), inputs)
  zero = nest.map_structure(lambda part: np.asarray(part, np.float64), initial)
  wanted = by_formula(step, _at_cell(exact), wide, zero, lengths)
  nest.assert_same_structure(got, wanted)
  for one, two in zip(nest.flatten(got), nest.flatten(wanted)):
    np.testing.assert_allclose(one, two, rtol=tolerance, atol=tolerance)
  assert any(np.abs(part).max() > 1e-3 for part in nest.flatten(got[0]))
  if slopes:
    _check_slopes(step, exact, wide, zero, lengths, moved, found_slopes)


def _at_cell(values):
  """Variables by their names without the first part, which is the cell's, where all have the same one."""
  first = {name.split("/")[0] for name in values}
  if len(first) == 1 and all("/" in name for name in values):
    return {name.partition("/")[2]: value for name, value in values.items()}
  return values


def _check_slopes(step, exact, inputs, zero, lengths, moved, slopes):
  """Compares gradients with differences along a direction in which all that can move does."""
  for which in range(2):
    directions = {name: numbers(*exact[name].shape, seed=11 + which).astype(np.float64) for name in moved}
    turns = [numbers(*part.shape, seed=31 + which).astype(np.float64) for part in nest.flatten(inputs)]

    def moved_by(amount, directions=directions, turns=turns):
      p = {name: value + amount * directions.get(name, 0.0) for name, value in exact.items()}
      x = nest.pack_sequence_as(inputs, [part + amount * turn for part, turn in zip(nest.flatten(inputs), turns)])
      return _loss(by_formula(step, _at_cell(p), x, zero, lengths))

    size = 1e-6
    wanted = (moved_by(size) - moved_by(-size)) / (2 * size)
    parts = list(directions.values()) + turns
    got = sum(float((slope * part).sum()) for slope, part in zip(slopes, parts))
    np.testing.assert_allclose(got, wanted, rtol=2e-3, atol=2e-4)
