"""A fully connected layer that is cut over devices: vertical slices of a network."""

from millrace.parallel import layer_slices
from millrace.parallel.tensorflow_in_use import tf


def split_dense(
  inputs,
  units,
  devices,
  activation=None,
  by="outputs",
  use_bias=True,
  kernel_initializer=None,
  bias_initializer=None,
  kernel_regularizer=None,
  bias_regularizer=None,
  trainable=True,
  variable_devices=None,
  join=True,
  name=None,
  reuse=None,
):
  """activation(inputs * kernel + bias), as `tf.layers.dense`, of which each device computes a part. Maps [..., n] to [..., units].

  By "outputs" each device has some of the units: it gets all inputs, and its outputs are joined. By "inputs" each device
  has the weights of some of the inputs and gets those alone; the products are summed, and the bias and the activation follow.
  Two layers of which the first is by outputs with `join=False`, which returns a list of the parts, and the second, which gets
  the list, by inputs need nothing between them: each device takes its own part on.

  Values and gradients are those of the layer that is not cut, but for the order of sums, and so are names: "dense/kernel" [n,
  units] and "dense/bias" [units] in a checkpoint. Each part of a variable lies on its device, or on that of `variable_devices`.
  What joins, and a bias by "inputs", are where the current device scope says. With
  `minimize(..., colocate_gradients_with_ops=True)` gradients are computed where the slices are.

  By outputs an activation is applied to each part, so it is one of single elements. Raises ValueError for one that is not,
  such as softmax, for fewer units (or inputs) than devices, and for inputs whose last size is unknown.
  """
  options = dict(locals())  # the arguments by their names
  cut = layer_slices.Cut("split_dense", by, devices, variable_devices, "dense")
  return layer_slices.computed(cut, inputs, (units, "units"), -1, _product, tf().nn.bias_add, options)


def _product(inputs, kernel):
  """inputs [..., n] * kernel [n, units]."""
  rank = inputs.shape.ndims
  return tf().matmul(inputs, kernel) if rank == 2 else tf().tensordot(inputs, kernel, [[rank - 1], [0]])
