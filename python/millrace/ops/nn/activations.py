"""Activations that are more than one op, or whose arguments are not the op's."""

import millrace as tf
from millrace import gen
from millrace.framework import convert, dtypes
from millrace.framework import graph as ops


def leaky_relu(features, alpha=0.2, name=None):
  """Returns features where they are positive, `alpha` times features elsewhere. Integers become float32."""
  with ops.name_scope(name, "LeakyRelu", [features, alpha]) as scope:
    features = convert.convert_to_tensor(features, name="features")
    if features.dtype.is_integer:
      features = tf.cast(features, dtypes.float32)
    return gen.leaky_relu(features, alpha=alpha, name=scope)


def crelu(features, name=None, axis=-1):
  """Returns the positive parts and the negated negative parts, side by side along `axis`, which doubles."""
  with ops.name_scope(name, "CRelu", [features]) as scope:
    features = convert.convert_to_tensor(features, name="features")
    return gen.relu(tf.concat([features, -features], axis, name=scope))


def swish(features):
  """Returns features * sigmoid(features). The gradient computes the sigmoid again, so that no step keeps it."""
  features = convert.convert_to_tensor(features, name="features")
  beta = convert.convert_to_tensor(1.0, dtype=features.dtype, name="beta")

  @tf.custom_gradient
  def run(features, beta):
    def gradient(dy):
      with ops.control_dependencies([dy]):
        sigmoid = gen.sigmoid(beta * features)
      slope = sigmoid * (1.0 + beta * features * (1.0 - sigmoid))
      beta_slope = tf.reduce_sum(dy * tf.square(features) * sigmoid * (1.0 - sigmoid))
      return dy * slope, beta_slope

    return features * gen.sigmoid(beta * features), gradient

  return run(features, beta)
