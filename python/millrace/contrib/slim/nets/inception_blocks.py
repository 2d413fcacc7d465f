"""What Inception networks are made of: tables of layers, built one after another or side by side.

A layer is a text: its name, then in any order its depth (a number), a kernel (`3x3`; by default what the name ends with), a stride
(`/2`; by default 1), `VALID` (by default the images are padded to keep their size), and the deviation of its first weights (`~0.09`; by
default that of the argument scope). Its kind is the beginning of the name: `MaxPool`, `AvgPool`, or a convolution. A tuple of layers
takes the same inputs side by side and is concatenated in its own place. A branch is a list of layers, a block a list of branches.
"""

import millrace as tf
from millrace.contrib.slim.nets import fully_connected_end


class Reached(Exception):
  """Ends the building: the wanted last layer is there, as the attribute `net`."""

  def __init__(self, net):
    super().__init__()
    self.net = net


class Builder:
  """Builds layers and blocks by their tables, and notes under their names what the outer ones gave.

  Depths are multiplied by `depth_multiplier`, but stay at least `min_depth`. `final_endpoint` is the name of the last one to build.
  """

  def __init__(self, final_endpoint, min_depth=0, depth_multiplier=1.0):
    if depth_multiplier <= 0:
      raise ValueError("depth_multiplier is not greater than zero.")
    self.end_points = {}
    self._final = final_endpoint
    self._min_depth = min_depth
    self._multiplier = depth_multiplier

  def depth(self, depth):
    """The depth to build where the table has this one."""
    return max(int(depth * self._multiplier), self._min_depth)

  def note(self, name, net):
    """Notes what a layer or block gave and returns it; raises Reached if it is the last one."""
    self.end_points[name] = net
    if name == self._final:
      raise Reached(net)
    return net

  def stem(self, net, layers):
    """Builds layers one after another, each of which is noted."""
    for layer in layers:
      net = self.note(layer.split()[0], self._layer(net, layer))
    return net

  def block(self, net, name, branches):
    """Builds the branches side by side in a variable scope of that name."""
    with tf.variable_scope(name):
      outputs = []
      for number, layers in enumerate(branches):
        with tf.variable_scope(f"Branch_{number}"):
          outputs.append(self._branch(net, layers))
      net = tf.concat(axis=3, values=outputs)
    return self.note(name, net)

  def _branch(self, net, layers):
    for layer in layers:
      if isinstance(layer, tuple):
        net = tf.concat(axis=3, values=[self._layer(net, part) for part in layer])
      else:
        net = self._layer(net, layer)
    return net

  def _layer(self, net, text):
    slim = tf.contrib.slim
    name, *words = text.split()
    kernel, stride, padding, depth, weights = name.rsplit("_", 1)[-1], 1, "SAME", None, {}
    for word in words:
      if word.startswith("/"):
        stride = int(word[1:])
      elif word.startswith("~"):
        weights = {"weights_initializer": fully_connected_end.truncated_normal(float(word[1:]))}
      elif word == "VALID":
        padding = word
      elif "x" in word:
        kernel = word
      else:
        depth = self.depth(int(word))
    kernel = [int(size) for size in kernel.split("x")]
    if name.startswith("MaxPool"):
      return slim.max_pool2d(net, kernel, stride=stride, padding=padding, scope=name)
    if name.startswith("AvgPool"):
      return slim.avg_pool2d(net, kernel, stride=stride, padding=padding, scope=name)
    return slim.conv2d(net, depth, kernel, stride=stride, padding=padding, scope=name, **weights)


def build_base(builder, final_endpoint, build):
  """Builds until the wanted layer; returns it and the dictionary of what is built. Raises ValueError if it never comes."""
  try:
    build()
  except Reached as end:
    return end.net, builder.end_points
  raise ValueError(f"Unknown final endpoint {final_endpoint}")


def kernel_within(net, kernel_size):
  """The kernel, not larger than the images if their size is known."""
  height, width = net.shape.as_list()[1:3]
  if height is None or width is None:
    return kernel_size
  return [min(height, kernel_size[0]), min(width, kernel_size[1])]


def inception_arg_scope(weight_decay, norm):
  """An argument scope of convolutions with regularized weights, and with batch normalization of the arguments `norm` unless None."""
  slim = tf.contrib.slim
  with (
    slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(weight_decay)),
    slim.arg_scope(
      [slim.conv2d],
      weights_initializer=slim.variance_scaling_initializer(),
      activation_fn=tf.nn.relu,
      normalizer_fn=None if norm is None else slim.batch_norm,
      normalizer_params=norm or {},
    ) as scope,
  ):
    return scope


def norm_of(variable_collection, decay=0.9997, epsilon=0.001, **others):
  """Arguments of batch_norm; moving means and variances go to a collection of that name too."""
  return {
    "decay": decay,
    "epsilon": epsilon,
    "updates_collections": tf.GraphKeys.UPDATE_OPS,
    **others,
    "variables_collections": {
      "beta": None,
      "gamma": None,
      "moving_mean": [variable_collection],
      "moving_variance": [variable_collection],
    },
  }
