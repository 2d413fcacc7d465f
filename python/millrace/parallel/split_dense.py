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
  api = tf()
  cut = layer_slices.Cut("split_dense", by, devices, variable_devices)
  cut.check_activation(activation)
  inputs, size = layer_slices.given_inputs(cut, inputs, -1)
  cut.check_size(units if cut.by_outputs else size, "units" if cut.by_outputs else "inputs")
  first = inputs[0] if isinstance(inputs, list) else inputs
  kernel_options = {"initializer": kernel_initializer, "regularizer": kernel_regularizer}
  bias_options = {"initializer": bias_initializer or api.zeros_initializer(), "regularizer": bias_regularizer}
  for options in (kernel_options, bias_options):
    options.update(dtype=first.dtype.base_dtype, trainable=trainable)
  with api.variable_scope(name, default_name="dense", values=[first], reuse=reuse):
    kernel = cut.variable("kernel", [size, units], 1 if cut.by_outputs else 0, **kernel_options)
    if not cut.by_outputs:
      sizes = [part.shape.as_list()[0] for part in kernel]
      outputs = api.add_n(cut.on_each(_product, cut.inputs(inputs, sizes, -1), kernel))
      if use_bias:
        outputs = api.nn.bias_add(outputs, api.get_variable("bias", [units], **bias_options))
      return outputs if activation is None else activation(outputs)
    parts = cut.on_each(_product, [inputs] * len(kernel), kernel)
    if use_bias:
      parts = cut.on_each(api.nn.bias_add, parts, cut.variable("bias", [units], 0, **bias_options))
    if activation is not None:
      parts = cut.on_each(activation, parts)
    return api.concat(parts, axis=-1) if join else parts


def _product(inputs, kernel):
  """inputs [..., n] * kernel [n, units]."""
  rank = inputs.shape.ndims
  return tf().matmul(inputs, kernel) if rank == 2 else tf().tensordot(inputs, kernel, [[rank - 1], [0]])
