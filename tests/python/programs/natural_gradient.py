"""A policy that learns by natural gradients, then by clipped ratios: products with a Hessian, flat vectors of weights, functions."""

import collections

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers


def orthonormal_columns(scale):
  """Weights whose columns all have one length, from numpy."""

  def initializer(shape, dtype=None, partition_info=None):
    value = np.random.RandomState(1).randn(*shape).astype(np.float32)
    return tf.constant(scale * value / np.sqrt((value**2).sum(axis=0, keepdims=True)))

  return initializer


class Statistics(object):
  """Mean and spread of all observations so far, in doubles."""

  def __init__(self, size):
    names = ("sum", "squares", "count")
    starts = (np.zeros([size]), np.full([size], 1e-2), np.array(1e-2))
    self.variables = [tf.get_variable(n, initializer=tf.constant(s, tf.float64), trainable=False) for n, s in zip(names, starts)]
    total, squares, count = self.variables
    self.mean = tf.to_float(total / count)
    self.spread = tf.sqrt(tf.maximum(tf.to_float(squares / count) - tf.square(self.mean), 1e-2))
    self.added = [tf.placeholder(tf.float64, v.shape) for v in self.variables]
    self.add = tf.group(*[tf.assign_add(v, a) for v, a in zip(self.variables, self.added)])

  def update(self, rows):
    values = (rows.sum(0), np.square(rows).sum(0), len(rows))
    tf.get_default_session().run(self.add, dict(zip(self.added, values)))


class Policy(object):
  def __init__(self, name, observed):
    with tf.variable_scope(name) as scope:
      self.scope = scope.name
      with tf.variable_scope("filter"):
        self.statistics = Statistics(3)
      x = tf.clip_by_value((observed - self.statistics.mean) / self.statistics.spread, -5.0, 5.0)
      hidden = layers.fully_connected(
        x, 8, activation_fn=tf.nn.tanh, weights_initializer=orthonormal_columns(1.0), scope="hidden"
      )
      self.mean = tf.layers.dense(hidden, 1, kernel_initializer=orthonormal_columns(0.01), name="mean")
      self.log_spread = tf.get_variable("log_spread", [1, 1], initializer=tf.zeros_initializer())
      self.spread = tf.zeros_like(self.mean) + tf.exp(self.log_spread)
      self.value = tf.layers.dense(hidden, 1, kernel_initializer=orthonormal_columns(1.0), name="value")[:, 0]
    self.action = self.mean + self.spread * tf.random_normal(tf.shape(self.mean), seed=4)

  def log_probability(self, action):
    z = (action - self.mean) / self.spread
    return tf.reduce_sum(-0.5 * tf.square(z) - tf.log(self.spread) - 0.5 * np.log(2 * np.pi), axis=-1)

  def divergence(self, other):
    ratio = (tf.square(self.spread) + tf.square(self.mean - other.mean)) / (2.0 * tf.square(other.spread))
    return tf.reduce_sum(other.log_spread - self.log_spread + ratio - 0.5, axis=-1)


def size_of(variable):
  return int(np.prod(variable.get_shape().as_list()))


def flat(tensors, variables):
  filled = [tf.zeros_like(v) if t is None else t for t, v in zip(tensors, variables)]
  return tf.concat([tf.reshape(t, [size_of(v)]) for t, v in zip(filled, variables)], axis=0)


def unflat(vector, variables):
  parts = tf.split(vector, [size_of(v) for v in variables])
  return [tf.reshape(part, v.get_shape().as_list()) for part, v in zip(parts, variables)]


def solve(product, right, rounds=10):
  """Conjugate gradients."""
  x, residual = np.zeros_like(right), right.copy()
  direction, squares = residual.copy(), residual.dot(residual)
  for _ in range(rounds):
    moved = product(direction)
    length = squares / direction.dot(moved)
    x += length * direction
    residual -= length * moved
    squares, before = residual.dot(residual), squares
    if squares < 1e-10:
      break
    direction = residual + squares / before * direction
  return x


np.random.seed(0)
tf.set_random_seed(0)
sess = tf.InteractiveSession()
observed = tf.placeholder(tf.float32, [None, 3], "observed")
advantage, reward = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
action = tf.placeholder(tf.float32, [None, 1])
policy, old = Policy("policy", observed), Policy("old", observed)
ratio = tf.exp(policy.log_probability(action) - old.log_probability(action))
gain = tf.reduce_mean(ratio * advantage)
clipped = -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage))
divergence = tf.reduce_mean(old.divergence(policy))
value_loss = tf.reduce_mean(tf.square(policy.value - reward))
all_variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, policy.scope)
variables = [v for v in all_variables if "value" not in v.name]
both = [tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope) for scope in ("old/", "policy/")]
follow = tf.group(*[tf.assign(o, n) for o, n in zip(*both)])
weights = flat(variables, variables)
given = tf.placeholder(tf.float32, weights.shape)
put = tf.group(*[tf.assign(v, part) for v, part in zip(variables, unflat(given, variables))])
gradient = flat(tf.gradients(gain, variables), variables)
slopes = tf.gradients(divergence, variables)
along = tf.add_n([tf.reduce_sum(s * t) for s, t in zip(slopes, unflat(given, variables)) if s is not None])
curvature = flat(tf.gradients(along, variables), variables)
clipped_step = tf.train.AdamOptimizer(0.01).minimize(clipped + 0.5 * value_loss, var_list=all_variables)
are_there = sess.run([tf.is_variable_initialized(v) for v in tf.global_variables()])
uninitialized = [v for v, is_there in zip(tf.global_variables(), are_there) if not is_there]
sess.run(tf.variables_initializer(uninitialized))
print(len(uninitialized), [v.name for v in variables], weights.shape)
for iteration in range(12):
  seen = np.random.randn(256, 3)
  done = sess.run(policy.action, {observed: seen})
  got = -np.square(done[:, 0] - seen[:, 0])
  if iteration == 0:
    print("reward at first %.3f" % got.mean())
  policy.statistics.update(seen)
  follow.run()
  feed = {observed: seen, action: done, advantage: (got - got.mean()) / got.std(), reward: got}
  if iteration >= 6:
    for _ in range(10):
      fetched = sess.run(collections.OrderedDict([("losses", (clipped, value_loss)), ("step", clipped_step)]), feed)
    continue

  def product(vector, feed=feed):
    feed = dict(feed)
    feed[given] = vector
    return sess.run(curvature, feed) + 0.1 * vector

  before, slope, old_gain = sess.run([weights, gradient, gain], feed)
  direction = solve(product, slope)
  whole = direction / np.sqrt(0.5 * direction.dot(product(direction)) / 0.05)
  for share in (1.0, 0.5, 0.25, 0.0):
    put.run({given: before + share * whole})
    new_gain, moved = sess.run([gain, divergence], feed)
    if moved < 0.075 and new_gain > old_gain:
      break
print("reward at last above -0.3:", got.mean() > -0.3, list(fetched), fetched["step"])
print("observations %.2f" % sess.run(policy.statistics.variables[2]))
