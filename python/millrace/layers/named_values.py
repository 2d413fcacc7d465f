"""Activations, initializers, regularizers and constraints that layers take as functions, names, or what get_config() gave."""

import millrace as tf
from millrace.layers import constraints, keras_initializers, layer_names, regularizers
from millrace.ops.variables import initializers as plain
from millrace.ops.variables import variance_scaling as scaled


def linear(x):
  """Returns `x`: the activation that changes nothing."""
  return x


def hard_sigmoid(x):
  """Returns 0.2 x + 0.5, not less than 0 and not more than 1."""
  return tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


_ACTIVATIONS = {
  "relu": lambda: tf.nn.relu,
  "elu": lambda: tf.nn.elu,
  "selu": lambda: tf.nn.selu,
  "softplus": lambda: tf.nn.softplus,
  "softsign": lambda: tf.nn.softsign,
  "softmax": lambda: tf.nn.softmax,
  "sigmoid": lambda: tf.nn.sigmoid,
  "tanh": lambda: tf.nn.tanh,
  "exponential": lambda: tf.exp,
  "hard_sigmoid": lambda: hard_sigmoid,
  "linear": lambda: linear,
}

_INITIALIZERS = {
  "zeros": plain.zeros_initializer,
  "ones": plain.ones_initializer,
  "constant": plain.constant_initializer,
  "random_uniform": keras_initializers.RandomUniform,
  "uniform": keras_initializers.RandomUniform,
  "random_normal": keras_initializers.RandomNormal,
  "normal": keras_initializers.RandomNormal,
  "truncated_normal": keras_initializers.TruncatedNormal,
  "orthogonal": plain.orthogonal_initializer,
  "identity": plain.identity_initializer,
  "variance_scaling": scaled.variance_scaling_initializer,
  "glorot_uniform": scaled.glorot_uniform_initializer,
  "glorot_normal": scaled.glorot_normal_initializer,
  "lecun_uniform": scaled.lecun_uniform,
  "lecun_normal": scaled.lecun_normal,
  "he_uniform": scaled.he_uniform,
  "he_normal": scaled.he_normal,
}

_REGULARIZERS = {"l1": regularizers.L1, "l2": regularizers.L2, "l1_l2": regularizers.L1L2}
_CONSTRAINTS = {
  "max_norm": constraints.MaxNorm,
  "non_neg": constraints.NonNeg,
  "unit_norm": constraints.UnitNorm,
  "min_max_norm": constraints.MinMaxNorm,
}
_OTHER_NAMES = {"l1l2": "l1_l2"}


def activation(value):
  """Returns the activation that `value` is or names, `linear` for None. ValueError for an unknown name."""
  if value is None:
    return linear
  if callable(value):
    return value
  if value not in _ACTIVATIONS:
    raise ValueError(
      f"Unknown activation function: {value!r}. Please ensure that it is one of: {', '.join(sorted(_ACTIVATIONS))}."
    )
  return _ACTIVATIONS[value]()


def initializer(value):
  """Returns the initializer that `value` is, names or describes; None stays None. ValueError for an unknown name."""
  return _found(value, _INITIALIZERS, "initializer")


def regularizer(value):
  """Returns the regularizer that `value` is, names or describes; None stays None. ValueError for an unknown name."""
  return _found(value, _REGULARIZERS, "regularizer")


def constraint(value):
  """Returns the constraint that `value` is, names or describes; None stays None. ValueError for an unknown name."""
  return _found(value, _CONSTRAINTS, "constraint")


def _found(value, table, kind):
  if value is None or callable(value):
    return value
  name, config = (value["class_name"], value["config"]) if isinstance(value, dict) else (value, {})
  known = layer_names.to_snake_case(name).removesuffix("_initializer")
  known = _OTHER_NAMES.get(known, known)
  if known not in table:
    raise ValueError(f"Unknown {kind}: {name!r}. Please ensure that it is one of: {', '.join(sorted(table))}.")
  return table[known](**config)


def described(value):
  """Returns a value of a layer as get_config() gives it: functions by their names, objects by class and arguments."""
  if value is None or isinstance(value, (bool, int, float, str, list, tuple, dict)):
    return value
  if hasattr(value, "get_config"):
    return {"class_name": _class_name(type(value).__name__), "config": value.get_config()}
  return getattr(value, "__name__", str(value))


def _class_name(name):
  """Returns "Zeros" for "zeros_initializer"; names of other classes as they are."""
  if "_" not in name:
    return name
  return "".join(part.capitalize() for part in name.removesuffix("_initializer").split("_"))
