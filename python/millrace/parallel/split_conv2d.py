"""A convolutional layer that is cut over devices, by its filters or by its channels."""

from millrace.parallel import layer_slices
from millrace.parallel.tensorflow_in_use import tf

_FORMATS = {"channels_last": "NHWC", "channels_first": "NCHW"}


def split_conv2d(
  inputs,
  filters,
  kernel_size,
  devices,
  strides=1,
  padding="valid",
  data_format="channels_last",
  dilation_rate=1,
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
  """A convolution of images, as `tf.layers.conv2d`, of which each device computes a part.

  By "outputs" each device has some of the filters, gets the whole images, and its outputs are joined along the channels. By
  "inputs" each device has the weights of some of the channels and gets those alone; the results are summed, and the bias and
  the activation follow. `kernel_size`, `strides` and `dilation_rate` are a number or two, of height and width.

  Variables: "conv2d/kernel" [height, width, channels, filters] and "conv2d/bias" [filters] in a checkpoint. The rest, and
  what is an error, is as with `split_dense`; for an unknown `padding` or `data_format` ValueError.
  """
  api = tf()
  cut = layer_slices.Cut("split_conv2d", by, devices, variable_devices)
  cut.check_activation(activation)
  if data_format not in _FORMATS:
    raise ValueError('split_conv2d: data_format is "channels_last" or "channels_first", not %r' % (data_format,))
  if str(padding).lower() not in ("valid", "same"):
    raise ValueError('split_conv2d: padding is "valid" or "same", not %r' % (padding,))
  form = _FORMATS[data_format]
  axis = form.index("C")
  inputs, channels = layer_slices.given_inputs(cut, inputs, axis)
  cut.check_size(filters if cut.by_outputs else channels, "filters" if cut.by_outputs else "channels")

  def convolved(images, kernel):
    return api.nn.conv2d(
      images,
      kernel,
      strides=_of_images(_two(strides, "strides"), form),
      padding=padding.upper(),
      data_format=form,
      dilations=_of_images(_two(dilation_rate, "dilation_rate"), form),
    )

  def with_bias(outputs, bias):
    return api.nn.bias_add(outputs, bias, data_format=form)

  first = inputs[0] if isinstance(inputs, list) else inputs
  kernel_options = {"initializer": kernel_initializer, "regularizer": kernel_regularizer}
  bias_options = {"initializer": bias_initializer or api.zeros_initializer(), "regularizer": bias_regularizer}
  for options in (kernel_options, bias_options):
    options.update(dtype=first.dtype.base_dtype, trainable=trainable)
  with api.variable_scope(name, default_name="conv2d", values=[first], reuse=reuse):
    shape = [*_two(kernel_size, "kernel_size"), channels, filters]
    kernel = cut.variable("kernel", shape, 3 if cut.by_outputs else 2, **kernel_options)
    if not cut.by_outputs:
      sizes = [part.shape.as_list()[2] for part in kernel]
      outputs = api.add_n(cut.on_each(convolved, cut.inputs(inputs, sizes, axis), kernel))
      if use_bias:
        outputs = with_bias(outputs, api.get_variable("bias", [filters], **bias_options))
      return outputs if activation is None else activation(outputs)
    parts = cut.on_each(convolved, [inputs] * len(kernel), kernel)
    if use_bias:
      parts = cut.on_each(with_bias, parts, cut.variable("bias", [filters], 0, **bias_options))
    if activation is not None:
      parts = cut.on_each(activation, parts)
    return api.concat(parts, axis=axis) if join else parts


def _two(value, what):
  """A number for both of height and width, or both."""
  values = [value, value] if isinstance(value, int) else list(value)
  if len(values) != 2 or any(not isinstance(one, int) or one < 1 for one in values):
    raise ValueError("split_conv2d: %s is a positive integer or two of them, not %r" % (what, value))
  return values


def _of_images(values, form):
  """The two numbers as one of each dimension of the images, in their order."""
  return [1, *values, 1] if form == "NHWC" else [1, 1, *values]
