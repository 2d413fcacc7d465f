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
  options = dict(locals(), kernel_size=_two(kernel_size, "kernel_size"))  # the arguments by their names
  cut = layer_slices.Cut("split_conv2d", by, devices, variable_devices, "conv2d", "channels")
  if data_format not in _FORMATS:
    raise ValueError('split_conv2d: data_format is "channels_last" or "channels_first", not %r' % (data_format,))
  if str(padding).lower() not in ("valid", "same"):
    raise ValueError('split_conv2d: padding is "valid" or "same", not %r' % (padding,))
  form = _FORMATS[data_format]
  how = {
    "strides": _of_images(_two(strides, "strides"), form),
    "padding": padding.upper(),
    "data_format": form,
    "dilations": _of_images(_two(dilation_rate, "dilation_rate"), form),
  }

  def convolved(images, kernel):
    return tf().nn.conv2d(images, kernel, **how)

  def with_bias(results, bias):
    return tf().nn.bias_add(results, bias, data_format=form)

  return layer_slices.computed(cut, inputs, (filters, "filters"), form.index("C"), convolved, with_bias, options)


def _two(value, what):
  """A number for both of height and width, or both."""
  values = [value, value] if isinstance(value, int) else list(value)
  if len(values) != 2 or any(not isinstance(one, int) or one < 1 for one in values):
    raise ValueError("split_conv2d: %s is a positive integer or two of them, not %r" % (what, value))
  return values


def _of_images(values, form):
  """The two numbers as one of each dimension of the images, in their order."""
  return [1, *values, 1] if form == "NHWC" else [1, 1, *values]
