"""tf.keras' initializers, regularizers, constraints and activations, and layers that take them by their names."""

import numpy as np


def _x():
  return np.linspace(-4, 8, 25, dtype=np.float32).reshape(5, 5)


def _run(tf, tensors):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(tensors)


def _arguments(found):
  """The arguments without those that only one of the two has."""
  return sorted((name, value) for name, value in found.get_config().items() if name not in ("dtype", "partitioned"))


def program_initializers(tf):
  of = tf.keras.initializers
  made = [of.Zeros(), of.Ones(), of.Constant(3.0), of.RandomNormal(seed=1), of.RandomUniform(seed=2), of.TruncatedNormal(seed=3)]
  made += [of.VarianceScaling(2.0, distribution="untruncated_normal", seed=4), of.Identity(2.0), of.Orthogonal(seed=5)]
  made += [
    of.glorot_normal(6),
    of.glorot_uniform(7),
    of.he_normal(8),
    of.he_uniform(9),
    of.lecun_normal(10),
    of.lecun_uniform(11),
  ]
  names = ["random_normal", "RandomUniform", "truncated_normal", "normal", "uniform", "glorot_normal", "he_normal"]
  named = [of.get(name) for name in names]
  values = [tf.get_variable(f"v{number}", [4, 4], initializer=maker) for number, maker in enumerate(made) if number not in (7,)]
  return [_run(tf, values), [_arguments(maker) for maker in made[3:6] + named[:5]], of.get(None) is None, of.get(len) is len]


def program_regularizers(tf):
  of = tf.keras.regularizers
  w = tf.constant(_x())
  made = [of.l1(), of.l2(0.1), of.l1_l2(), of.L1L2(0.5, 0.25), of.get("l2")]
  return [_run(tf, [regularizer(w) for regularizer in made]), of.get(None) is None]


def program_constraints(tf):
  of = tf.keras.constraints
  w = tf.Variable(_x())
  made = [
    of.MaxNorm(1.5),
    of.max_norm(2, axis=1),
    of.NonNeg(),
    of.unit_norm(axis=[0, 1]),
    of.MinMaxNorm(0.5, 1.5, rate=0.5),
    of.get("non_neg"),
  ]
  return _run(tf, [constraint(w) for constraint in made])


def program_activations(tf):
  of = tf.keras.activations
  x = tf.constant(_x())
  found = [of.elu(x), of.elu(x, 0.5), of.relu(x), of.relu(x, max_value=6), of.relu(x, max_value=2.5), of.relu(x, 0.2)]
  found += [of.relu(x, alpha=0.1, max_value=3.0, threshold=1.0), of.relu(x, threshold=2.0), of.softmax(x), of.softmax(x, axis=0)]
  found += [
    of.sigmoid(x),
    of.tanh(x),
    of.exponential(x),
    of.linear(x),
    of.hard_sigmoid(x),
    of.selu(x),
    of.softplus(x),
    of.softsign(x),
  ]
  return [_run(tf, found), _run(tf, of.get("relu")(x)), of.get(None) is of.linear]


def program_layers_take_initializers_by_name(tf):
  names = ["random_normal", "random_uniform", "truncated_normal", "normal", "uniform", "zeros", "glorot_uniform"]
  return [_arguments(tf.layers.Dense(3, kernel_initializer=name).kernel_initializer) for name in names]
