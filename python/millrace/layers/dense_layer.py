"""The layer in which every output is connected with every input."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes, tensor_shape
from millrace.layers import base, named_values
from millrace.layers.input_spec import InputSpec
from millrace.ops.variables.initializers import zeros_initializer


class Dense(base.Layer):
  """activation(inputs * kernel + bias), over the last dimension of the inputs, which may be a SparseTensor of rank 2.

  `kernel` is [last dimension of the inputs, units] and `bias` [units], with their initializers, regularizers (functions to a
  loss) and constraints. Activations, initializers and the others may be given by name. Further arguments: see Layer.
  """

  _ARGUMENTS = (
    "units",
    "activation",
    "use_bias",
    "kernel_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "bias_regularizer",
    "activity_regularizer",
    "kernel_constraint",
    "bias_constraint",
  )

  def __init__(
    self,
    units,
    activation=None,
    use_bias=True,
    kernel_initializer=None,
    bias_initializer=zeros_initializer(),
    kernel_regularizer=None,
    bias_regularizer=None,
    activity_regularizer=None,
    kernel_constraint=None,
    bias_constraint=None,
    trainable=True,
    name=None,
    **kwargs,
  ):
    activity_regularizer = named_values.regularizer(activity_regularizer)
    super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
    self.units = int(units)
    self.activation = named_values.activation(activation)
    self.use_bias = use_bias
    self.kernel_initializer = named_values.initializer(kernel_initializer)
    self.bias_initializer = named_values.initializer(bias_initializer)
    self.kernel_regularizer = named_values.regularizer(kernel_regularizer)
    self.bias_regularizer = named_values.regularizer(bias_regularizer)
    self.kernel_constraint = named_values.constraint(kernel_constraint)
    self.bias_constraint = named_values.constraint(bias_constraint)
    self.supports_masking = True
    self.input_spec = InputSpec(min_ndim=2)

  def build(self, input_shape):
    """Makes kernel and bias. ValueError where the last dimension is not known, TypeError for types that are not floating."""
    dtype = dtypes.as_dtype(self.dtype or dtypes.float32)
    if not (dtype.is_floating or dtype.is_complex):
      raise TypeError(f"A Dense layer can only be built with a floating-point dtype. Received: dtype={dtype}")
    shape = tensor_shape.TensorShape(input_shape)
    size = None if shape.rank is None else shape.as_list()[-1]
    if size is None:
      raise ValueError(
        f"The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape received: {shape}"
      )
    self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
    self.kernel = self.add_weight(
      "kernel",
      shape=[size, self.units],
      initializer=self.kernel_initializer,
      regularizer=self.kernel_regularizer,
      constraint=self.kernel_constraint,
      dtype=self.dtype,
      trainable=True,
    )
    self.bias = None
    if self.use_bias:
      self.bias = self.add_weight(
        "bias",
        shape=[self.units],
        initializer=self.bias_initializer,
        regularizer=self.bias_regularizer,
        constraint=self.bias_constraint,
        dtype=self.dtype,
        trainable=True,
      )
    self.built = True

  def call(self, inputs):
    is_sparse = isinstance(inputs, tf.SparseTensor)
    if not is_sparse:
      inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if is_sparse or rank is None or rank <= 2:
      inputs = tf.cast(inputs, self.kernel.dtype.base_dtype)
    if is_sparse:
      outputs = tf.sparse_tensor_dense_matmul(inputs, self.kernel)
    elif rank is not None and rank > 2:
      outputs = tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
      shape = inputs.shape.as_list()
      outputs.set_shape(shape[:-1] + [self.units])
    else:
      outputs = gen.mat_mul(inputs, self.kernel)
    if self.use_bias:
      outputs = tf.nn.bias_add(outputs, self.bias)
    return self.activation(outputs)

  def compute_output_shape(self, input_shape):
    shape = tensor_shape.TensorShape(input_shape).with_rank_at_least(2)
    if shape.as_list()[-1] is None:
      raise ValueError(
        f"The last dimension of the input shape of a Dense layer should be defined. Found None. Received: input_shape={shape}"
      )
    return shape[:-1].concatenate(self.units)


def dense(
  inputs,
  units,
  activation=None,
  use_bias=True,
  kernel_initializer=None,
  bias_initializer=zeros_initializer(),
  kernel_regularizer=None,
  bias_regularizer=None,
  activity_regularizer=None,
  kernel_constraint=None,
  bias_constraint=None,
  trainable=True,
  name=None,
  reuse=None,
):
  """Returns activation(inputs * kernel + bias): see Dense. `reuse` says that the variables of `name` are there already."""
  layer = Dense(
    units,
    activation=activation,
    use_bias=use_bias,
    kernel_initializer=kernel_initializer,
    bias_initializer=bias_initializer,
    kernel_regularizer=kernel_regularizer,
    bias_regularizer=bias_regularizer,
    activity_regularizer=activity_regularizer,
    kernel_constraint=kernel_constraint,
    bias_constraint=bias_constraint,
    trainable=trainable,
    name=name,
    _scope=name,
    _reuse=reuse,
  )
  return layer.apply(inputs)
