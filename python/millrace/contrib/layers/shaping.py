"""Layers that change the form of their inputs and have no variables."""

import millrace as tf
from millrace import gen
from millrace.contrib.framework import variables
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.contrib.layers import layer_scope, sizes, tensor_aliases
from millrace.framework import composite
from millrace.layers import flatten_layer as core_flatten


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
  """Returns the inputs as [batch, elements]."""
  with tf.name_scope(scope, "Flatten", [inputs]) as sc:
    inputs = tf.convert_to_tensor(inputs)
    outputs = core_flatten.flatten(inputs)
    return tensor_aliases.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
  """Returns `on_value` at the place of each label and `off_value` at the others: [..., num_classes]."""
  with tf.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
    labels = tf.convert_to_tensor(labels)
    if labels.dtype == tf.int32:
      labels = tf.cast(labels, tf.int64)
    outputs = tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
    return tensor_aliases.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def dense_to_sparse(tensor, eos_token=0, outputs_collections=None, scope=None):
  """Returns the SparseTensor of the elements that are not `eos_token`."""
  with tf.variable_scope(scope, "dense_to_sparse", [tensor]) as sc:
    tensor = tf.convert_to_tensor(tensor)
    indices = tf.where(tf.not_equal(tensor, tf.constant(eos_token, tensor.dtype)))
    values = tf.gather_nd(tensor, indices)
    outputs = composite.SparseTensor(indices, values, tf.shape(tensor, out_type=tf.int64))
    return tensor_aliases.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def images_to_sequence(inputs, data_format="NHWC", outputs_collections=None, scope=None):
  """Returns images [batch, height, width, channels] as sequences [width, batch * height, channels].

  ValueError for formats but "NHWC" and "NCHW".
  """
  if data_format not in ("NCHW", "NHWC"):
    raise ValueError("data_format has to be either NCHW or NHWC.")
  with tf.name_scope(scope, "ImagesToSequence", [inputs]) as sc:
    inputs = tf.convert_to_tensor(inputs)
    if data_format == "NCHW":
      inputs = tf.transpose(inputs, [0, 2, 3, 1])
    batch, height, width, channels = inputs.get_shape().as_list()
    rows = tf.transpose(inputs, [2, 0, 1, 3])
    if batch is None or height is None:
      count, known = -1, None
    else:
      count = known = batch * height
    shape = [tf.shape(inputs)[2] if width is None and count == -1 else -1 if width is None else width, count, channels]
    outputs = tf.reshape(rows, shape)
    outputs.set_shape([width, known, channels])
    return tensor_aliases.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def sequence_to_images(inputs, height, output_data_format="channels_last", outputs_collections=None, scope=None):
  """Returns sequences [width, batch * height, channels] as images [batch, height, width, channels], or with channels first.

  With "channels_first" as `output_data_format` channels stand before the height.
  """
  with tf.name_scope(scope, "SequenceToImages", [inputs]) as sc:
    inputs = tf.convert_to_tensor(inputs)
    width, rows, channels = inputs.get_shape().as_list()
    batch = -1 if rows is None else rows // height
    parts = tf.reshape(inputs, [tf.shape(inputs)[0] if width is None else width, batch, height, channels])
    order = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
    images = tf.transpose(parts, order)
    sizes_of_parts = [width, None if batch == -1 else batch, height, channels]
    images.set_shape([sizes_of_parts[i] for i in order])
    return tensor_aliases.collect_named_outputs(outputs_collections, sc, images)


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
  """Returns the greatest of each group of elements, so that `num_units` are left along `axis`.

  A group is of elements that follow each other in the inputs: of features, where `axis` is the last one. ValueError where their
  number is no multiple of `num_units`.
  """
  with tf.name_scope(scope, "MaxOut", [inputs]):
    inputs = tf.convert_to_tensor(inputs)
    known = inputs.get_shape().as_list()
    size = known[axis]
    if size % num_units:
      raise ValueError(f"number of features({size}) is not a multiple of num_units({num_units})")
    known[axis] = num_units
    shape = [tf.shape(inputs)[i] if s is None else s for i, s in enumerate(known)]
    outputs = tf.reduce_max(tf.reshape(inputs, [*shape, size // num_units]), -1)
    outputs.set_shape(known)
    return outputs


@add_arg_scope
def softmax(logits, scope=None):
  """Returns the softmax over the last dimension, of any rank."""
  with tf.variable_scope(scope, "softmax", [logits]):
    logits = tf.convert_to_tensor(logits)
    size = sizes.last_dimension(logits.get_shape(), min_rank=2)
    predictions = tf.nn.softmax(tf.reshape(logits, [-1, size]))
    predictions = tf.reshape(predictions, tf.shape(logits))
    predictions.set_shape(logits.get_shape())
    return predictions


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
  """Returns the inputs divided by their norms along `dim`, sqrt(epsilon + sum of squares). ValueError for other dimensions."""
  with tf.variable_scope(scope, "UnitNorm", [inputs]):
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    if not rank:
      raise ValueError("The input rank must be known.")
    if dim < 0 or dim >= rank:
      raise ValueError("dim must be positive but smaller than the input rank.")
    lengths = tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, keepdims=True))
    return tf.div(inputs, lengths)


@add_arg_scope
def spatial_softmax(features, temperature=None, name=None, variables_collections=None, trainable=True, data_format="NHWC"):
  """Returns the expected coordinates of each channel of images, from -1 to 1 along height and width: [batch, 2 * channels].

  Each channel is a distribution: the softmax of its pixels over `temperature`, a tensor, or a variable that begins with this
  number, or with 1 for None. ValueError for formats but "NHWC" and "NCHW".
  """
  if data_format not in ("NCHW", "NHWC"):
    raise ValueError("data_format has to be either NCHW or NHWC.")
  with tf.variable_scope(name, "spatial_softmax"), tf.name_scope("spatial_softmax_op"):
    features = tf.convert_to_tensor(features)
    if data_format == "NHWC":
      features = tf.transpose(features, [0, 3, 1, 2])
    _, channels, height, width = features.get_shape().as_list()
    shape = tf.shape(features)
    height = shape[2] if height is None else height
    width = shape[3] if width is None else width
    if not isinstance(temperature, tf.Tensor):
      temperature = variables.model_variable(
        "temperature",
        shape=(),
        dtype=tf.float32,
        initializer=tf.ones_initializer() if temperature is None else tf.constant_initializer(temperature),
        collections=layer_scope.collections_of(variables_collections, "temperature"),
        trainable=trainable,
      )
    # x counts along the height, y along the width.
    x_of, y_of = tf.meshgrid(tf.lin_space(-1.0, 1.0, num=height), tf.lin_space(-1.0, 1.0, num=width), indexing="ij")
    attention = tf.nn.softmax(tf.reshape(features, [-1, height * width]) / temperature)
    x = tf.reduce_sum(tf.reshape(x_of, [-1]) * attention, [1], keepdims=True)
    y = tf.reduce_sum(tf.reshape(y_of, [-1]) * attention, [1], keepdims=True)
    keypoints = tf.reshape(tf.concat([x, y], 1), [-1, channels * 2])
    keypoints.set_shape([None, channels * 2])
    return keypoints


def poincare_normalize(x, axis=1, epsilon=1e-5, name=None):
  """Returns the vectors along `axis`, those outside of the unit ball drawn back to the length 1 - epsilon."""
  with tf.name_scope(name, "poincare_normalize", [x]):
    x = tf.convert_to_tensor(x, name="x")
    squares = tf.reduce_sum(tf.square(x), axis, keepdims=True)
    factor = tf.math.rsqrt(tf.maximum(squares, tf.square(tf.constant(1.0, x.dtype) - epsilon)))
    return tf.multiply(x, tf.minimum(tf.constant(1.0, x.dtype), (1.0 - epsilon) * factor))


def scale_gradient(inputs, gradient_multiplier):
  """Returns the inputs, with gradients multiplied by a number."""

  @tf.custom_gradient
  def scaled(x):
    return tf.identity(x), lambda gradient: gradient * gradient_multiplier

  return scaled(inputs)


def bucketize(input_tensor, boundaries, name=None):
  """Returns for each element the number of the boundaries, a growing list, that it is not below."""
  return gen.bucketize(input_tensor, boundaries, name=name)
