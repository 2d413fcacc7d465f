"""Convolutions of all kinds."""

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _run(tf, *fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(f, feed) for f in fetches]


def _data(*shape):
  return np.random.RandomState(len(shape) * 7 + sum(shape)).randn(*shape).astype(np.float32)


def program_conv2d(tf):
  x, f = tf.constant(_data(2, 8, 7, 3)), tf.constant(_data(3, 3, 3, 4))
  made = [
    tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME"),
    tf.nn.conv2d(x, f, [1, 2, 2, 1], "VALID", name="strided"),
    tf.nn.conv2d(x, filters=f, strides=2, padding="SAME", dilations=[1, 1, 1, 1]),
    tf.nn.conv2d(x, f, strides=[1, 2], padding="VALID"),
    tf.nn.conv2d(input=x, filter=f, padding="SAME"),
    tf.nn.conv2d(x, f, [1, 1, 1, 1], "VALID", use_cudnn_on_gpu=False, data_format="NHWC", dilations=[1, 2, 2, 1]),
    tf.nn.conv2d(x, f, 1, "SAME", dilations=2),
    tf.nn.conv2d(x, f, [1, 1, 1, 1], [[0, 0], [1, 2], [0, 3], [0, 0]]),
    tf.nn.conv2d(tf.cast(x, tf.float64), tf.cast(f, tf.float64), 1, "SAME"),
    tf.nn.conv2d(_data(1, 4, 4, 3), _data(2, 2, 3, 1), [1, 1, 1, 1], "VALID"),
  ]
  return _run(tf, *made)


program_conv2d.rtol = 1e-4
program_conv2d.atol = 1e-5


def program_channels_first(tf):
  x, f = tf.placeholder(tf.float32, [2, 3, 8, 7]), tf.constant(_data(3, 3, 3, 4))
  made = [
    tf.nn.conv2d(x, f, [1, 1, 2, 2], "SAME", data_format="NCHW"),
    tf.nn.conv2d(x, f, 2, "VALID", data_format="NCHW", dilations=[1, 1, 1, 1]),
    tf.nn.conv2d_transpose(x, tf.zeros([3, 3, 4, 3]), [2, 4, 16, 14], 2, data_format="NCHW"),
    tf.nn.convolution(x, f, "SAME", data_format="NCHW"),
    tf.nn.convolution(x, f, "VALID", dilation_rate=[2, 2], data_format="NCHW"),
    tf.nn.depthwise_conv2d(x, tf.zeros([3, 3, 3, 2]), [1, 1, 1, 1], "SAME", data_format="NCHW"),
    tf.nn.depthwise_conv2d(x, tf.zeros([3, 3, 3, 2]), [1, 1, 1, 1], "VALID", rate=[2, 1], data_format="NCHW"),
    tf.nn.separable_conv2d(x, tf.zeros([3, 3, 3, 2]), tf.zeros([1, 1, 6, 4]), [1, 1, 1, 1], "SAME", data_format="NCHW"),
    tf.nn.max_pool(x, 2, 2, "SAME", data_format="NCHW"),
    tf.nn.avg_pool(x, [1, 1, 2, 2], [1, 1, 2, 2], "VALID", data_format="NCHW"),
    tf.nn.pool(x, [2, 2], "MAX", "SAME", data_format="NCHW"),
    tf.nn.conv1d(tf.zeros([2, 3, 8]), tf.zeros([3, 3, 4]), 2, "SAME", data_format="NCW"),
    tf.nn.conv1d_transpose(tf.zeros([2, 3, 8]), tf.zeros([3, 4, 3]), [2, 4, 16], 2, data_format="NCW"),
    tf.nn.conv3d(tf.zeros([1, 2, 4, 4, 4]), tf.zeros([2, 2, 2, 2, 3]), [1, 1, 1, 1, 1], "SAME", data_format="NCDHW"),
    tf.nn.conv3d_transpose(tf.zeros([1, 2, 4, 4, 4]), tf.zeros([2, 2, 2, 3, 2]), [1, 3, 8, 8, 8], 2, data_format="NCDHW"),
  ]
  return [str(m.shape) for m in made]


def program_more_batch_dimensions(tf):
  x, f = tf.constant(_data(2, 3, 5, 5, 2)), tf.constant(_data(3, 3, 2, 4))
  unknown = tf.placeholder_with_default(_data(2, 3, 5, 5, 2), [None, None, 5, 5, 2])
  return _run(tf, tf.nn.conv2d(x, f, 1, "SAME"), tf.nn.conv2d(unknown, f, 2, "VALID", name="named"))


program_more_batch_dimensions.rtol = 1e-4
program_more_batch_dimensions.atol = 1e-5


def program_conv1d(tf):
  x, f = tf.constant(_data(2, 9, 3)), tf.constant(_data(3, 3, 4))
  made = [
    tf.nn.conv1d(x, f, 2, "SAME"),
    tf.nn.conv1d(value=x, filters=f, stride=[2], padding="VALID", name="named", use_cudnn_on_gpu=True),
    tf.nn.conv1d(input=x, filters=f, stride=1, padding="SAME", dilations=2, data_format="NWC"),
  ]
  return _run(tf, *made)


program_conv1d.rtol = 1e-4
program_conv1d.atol = 1e-5


def program_conv3d(tf):
  x, f = tf.constant(_data(1, 4, 5, 6, 2)), tf.constant(_data(2, 2, 2, 2, 3))
  made = [
    tf.nn.conv3d(x, f, [1, 1, 1, 1, 1], "SAME"),
    tf.nn.conv3d(
      x, filters=f, strides=[1, 2, 2, 2, 1], padding="VALID", data_format="NDHWC", dilations=[1, 1, 1, 1, 1], name="v"
    ),
  ]
  return _run(tf, *made)


program_conv3d.rtol = 1e-4
program_conv3d.atol = 1e-5


def program_gradients_as_functions(tf):
  x, f, out = tf.constant(_data(2, 6, 6, 3)), tf.constant(_data(3, 3, 3, 4)), tf.constant(_data(2, 6, 6, 4))
  v, g = tf.constant(_data(1, 4, 4, 4, 2)), tf.constant(_data(1, 4, 4, 4, 3))
  d, e = tf.constant(_data(3, 3, 3, 2)), tf.constant(_data(2, 6, 6, 6))
  made = [
    tf.nn.conv2d_backprop_input([2, 6, 6, 3], f, out, [1, 1, 1, 1], "SAME"),
    tf.nn.conv2d_backprop_input(tf.shape(x), filters=f, out_backprop=out, strides=[1, 1, 1, 1], padding="SAME", name="i"),
    tf.nn.conv2d_backprop_input([2, 6, 6, 3], f, out, [1, 1, 1, 1], [[0, 0], [1, 1], [1, 1], [0, 0]], True, "NHWC", [1, 1, 1, 1]),
    tf.nn.conv2d_backprop_filter(x, [3, 3, 3, 4], out, [1, 1, 1, 1], "SAME"),
    tf.nn.conv2d_backprop_filter(x, tf.shape(f), out, [1, 1, 1, 1], "SAME", True, "NHWC", [1, 1, 1, 1], "f"),
    tf.nn.conv3d_backprop_filter(v, [2, 2, 2, 2, 3], g, [1, 1, 1, 1, 1], "SAME", "NDHWC", [1, 1, 1, 1, 1], "v"),
    tf.nn.conv3d_backprop_filter_v2(v, [2, 2, 2, 2, 3], g, [1, 1, 1, 1, 1], "SAME"),
    tf.nn.depthwise_conv2d_native_backprop_input([2, 6, 6, 3], d, e, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1], "d"),
    tf.nn.depthwise_conv2d_native_backprop_filter(x, [3, 3, 3, 2], e, [1, 1, 1, 1], "SAME"),
    tf.nn.depthwise_conv2d_backprop_input([2, 6, 6, 3], d, e, [1, 1, 1, 1], "SAME"),
    tf.nn.depthwise_conv2d_backprop_filter(x, [3, 3, 3, 2], e, [1, 1, 1, 1], "SAME", name="df"),
  ]
  return _run(tf, *made)


program_gradients_as_functions.rtol = 1e-4
program_gradients_as_functions.atol = 1e-4


def program_convolution(tf):
  x, f = tf.constant(_data(2, 8, 7, 3)), tf.constant(_data(3, 3, 3, 4))
  s, g = tf.constant(_data(2, 9, 3)), tf.constant(_data(3, 3, 4))
  v, h = tf.constant(_data(1, 6, 6, 6, 2)), tf.constant(_data(2, 2, 2, 2, 3))
  made = [
    tf.nn.convolution(x, f, "SAME"),
    tf.nn.convolution(x, f, "VALID", strides=[2, 1], name="strided"),
    tf.nn.convolution(x, f, "SAME", dilation_rate=[2, 1]),
    tf.nn.convolution(x, filter=f, padding="VALID", dilation_rate=[2, 2], data_format="NHWC"),
    tf.nn.convolution(s, g, "VALID"),
    tf.nn.convolution(s, g, "SAME", dilation_rate=[2]),
    tf.nn.convolution(v, h, "SAME", strides=[1, 2, 1]),
    tf.nn.convolution(v, h, "VALID", dilation_rate=[1, 2, 2]),
  ]
  return _run(tf, *made)


program_convolution.rtol = 1e-4
program_convolution.atol = 1e-5


def program_convolution_of_unknown_sizes(tf):
  x = tf.placeholder_with_default(_data(2, 8, 7, 3), [None, None, None, 3])
  f = tf.placeholder_with_default(_data(3, 3, 3, 4), [None, None, 3, 4])
  made = [
    tf.nn.convolution(x, f, "SAME"),
    tf.nn.convolution(x, tf.constant(_data(3, 3, 3, 4)), "SAME", dilation_rate=[2, 2]),
    tf.nn.convolution(x, tf.constant(_data(3, 3, 3, 4)), "VALID", dilation_rate=[2, 2]),
  ]
  return _run(tf, *made)


program_convolution_of_unknown_sizes.rtol = 1e-4
program_convolution_of_unknown_sizes.atol = 1e-5


def program_atrous(tf):
  x, f = tf.constant(_data(2, 8, 8, 3)), tf.constant(_data(3, 3, 3, 4))
  g = tf.constant(_data(3, 3, 2, 3))
  made = [
    tf.nn.atrous_conv2d(x, f, 2, "SAME"),
    tf.nn.atrous_conv2d(x, f, 3, "VALID", name="named"),
    tf.nn.atrous_conv2d(x, f, rate=1, padding="VALID"),
    tf.nn.atrous_conv2d_transpose(x, g, [2, 8, 8, 2], 2, "SAME"),
    tf.nn.atrous_conv2d_transpose(x, g, tf.constant([2, 12, 12, 2]), 2, "VALID", name="larger"),
    tf.nn.atrous_conv2d_transpose(x, g, [2, 8, 8, 2], 1, "SAME"),
  ]
  return _run(tf, *made)


program_atrous.rtol = 1e-4
program_atrous.atol = 1e-5


def program_transposed(tf):
  x, f = tf.constant(_data(2, 4, 5, 3)), tf.constant(_data(3, 3, 2, 3))
  made = [
    tf.nn.conv2d_transpose(x, f, [2, 8, 10, 2], [1, 2, 2, 1]),
    tf.nn.conv2d_transpose(value=x, filter=f, output_shape=tf.stack([2, 9, 11, 2]), strides=2, padding="VALID", name="named"),
    tf.nn.conv2d_transpose(
      input=x, filters=f, output_shape=[2, 4, 5, 2], strides=[1, 1], dilations=[1, 1, 1, 1], data_format="NHWC"
    ),
    tf.nn.conv1d_transpose(_data(2, 5, 3), _data(3, 2, 3), [2, 10, 2], 2),
    tf.nn.conv1d_transpose(_data(2, 5, 3), _data(3, 2, 3), tf.constant([2, 11, 2]), 2, "VALID", "NWC", 1, "series"),
    tf.nn.conv3d_transpose(_data(1, 2, 3, 4, 3), _data(2, 2, 2, 2, 3), [1, 4, 6, 8, 2], [1, 2, 2, 2, 1]),
    tf.nn.conv3d_transpose(
      _data(1, 2, 3, 4, 3), filters=_data(2, 2, 2, 2, 3), output_shape=[1, 4, 6, 8, 2], strides=2, padding="VALID", name="volume"
    ),
    tf.nn.conv_transpose(x, f, [2, 8, 10, 2], 2),
    tf.nn.conv_transpose(_data(2, 5, 3), _data(3, 2, 3), [2, 10, 2], 2, "SAME", "NWC", 1, "any"),
    tf.nn.conv_transpose(_data(1, 2, 3, 4, 3), _data(2, 2, 2, 2, 3), tf.constant([1, 4, 6, 8, 2]), 2),
  ]
  return _run(tf, *made)


program_transposed.rtol = 1e-4
program_transposed.atol = 1e-5


def program_depthwise(tf):
  x, f, p = tf.constant(_data(2, 8, 7, 3)), tf.constant(_data(3, 3, 3, 2)), tf.constant(_data(1, 1, 6, 4))
  made = [
    tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME"),
    tf.nn.depthwise_conv2d(x, f, [1, 2, 2, 1], "VALID", name="named"),
    tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME", rate=[2, 2], data_format="NHWC"),
    tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "VALID", dilations=[1, 2]),
    tf.nn.depthwise_conv2d_native(x, f, [1, 2, 2, 1], "VALID", "NHWC", [1, 1, 1, 1], "native"),
    tf.nn.separable_conv2d(x, f, p, [1, 1, 1, 1], "SAME"),
    tf.nn.separable_conv2d(x, f, p, [1, 1, 1, 1], "VALID", rate=[2, 1], name="both"),
    tf.nn.separable_conv2d(x, f, p, strides=[1, 2, 2, 1], padding="SAME", data_format="NHWC", dilations=[1, 1]),
  ]
  return _run(tf, *made)


program_depthwise.rtol = 1e-4
program_depthwise.atol = 1e-5


def program_with_space_to_batch(tf):
  x, f = tf.constant(_data(2, 8, 8, 3)), tf.constant(_data(3, 3, 3, 4))

  def op(inputs, n, padding):
    return tf.nn.conv2d(inputs, f, [1, 1, 1, 1], padding)

  made = [
    tf.nn.with_space_to_batch(x, [2, 2], "SAME", op, filter_shape=[3, 3]),
    tf.nn.with_space_to_batch(x, [2, 2], "VALID", op, spatial_dims=[1, 2]),
    tf.nn.with_space_to_batch(x, [1, 1], "SAME", op, data_format="NHWC"),
    tf.nn.with_space_to_batch(x, [2], "VALID", op, spatial_dims=[2]),
    tf.nn.with_space_to_batch(x, tf.placeholder_with_default([2, 1], [2]), "VALID", op),
  ]
  return _run(tf, *made)


program_with_space_to_batch.rtol = 1e-4
program_with_space_to_batch.atol = 1e-5


def program_morphology(tf):
  x, f = tf.constant(_data(2, 6, 6, 2)), tf.constant(_data(2, 3, 2))
  made = [
    tf.nn.dilation2d(x, f, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
    tf.nn.dilation2d(x, filters=f, strides=[1, 2, 1, 1], dilations=[1, 1, 2, 1], padding="VALID", name="named"),
    tf.nn.erosion2d(x, f, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
    tf.nn.erosion2d(x, kernel=f, strides=[1, 2, 2, 1], rates=[1, 2, 1, 1], padding="VALID", name="less"),
  ]
  return _run(tf, *made)


def program_quantized(tf):
  x, low, high = tf.quantization.quantize(tf.constant(np.abs(_data(1, 4, 4, 2))), 0.0, 3.0, tf.quint8)
  f, low_f, high_f = tf.quantization.quantize(tf.constant(np.abs(_data(2, 2, 2, 2))), 0.0, 3.0, tf.quint8)
  made = [
    tf.nn.quantized_conv2d(x, f, low, high, low_f, high_f, [1, 1, 1, 1], "SAME"),
    tf.nn.quantized_conv2d(x, f, low, high, low_f, high_f, [1, 2, 2, 1], "VALID", tf.qint32, [1, 1, 1, 1], "named"),
    tf.nn.quantized_avg_pool(x, low, high, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="avg"),
    tf.nn.quantized_max_pool(x, low, high, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="max"),
  ]
  return _run(tf, *[[tf.cast(m[0], tf.float32), m[1], m[2]] for m in made])


program_quantized.rtol = 1e-4
program_quantized.atol = 1  # A mean may be rounded to either side.


def program_quantized_relu_x(tf):
  """There is no kernel of this op: it is only built."""
  x = tf.cast([1, 2, 3], tf.quint8)
  made = tf.nn.quantized_relu_x(x, 1.0, 0.0, 3.0, out_type=tf.quint8, name="x")
  return [list(made._fields), [t.name for t in made]]


def program_errors(tf):
  x, f = tf.zeros([1, 8, 8, 2]), tf.zeros([3, 3, 2, 4])
  tries = [
    lambda: tf.nn.conv2d(x, f, [1, 1, 1, 1, 1, 1], "SAME"),
    lambda: tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME", filters=f),
    lambda: tf.nn.conv2d(x, f, [1, 1, 1, 1], [[0, 0], [1, 1]]),
    lambda: tf.nn.conv2d(x, f, [1, 1, 1, 1], "EXPLICIT"),
    lambda: tf.nn.conv2d(x, tf.zeros([3, 3, 3, 4]), [1, 1, 1, 1], "SAME"),
    lambda: tf.nn.convolution(x, f, "SAME", strides=[2, 2], dilation_rate=[2, 2]),
    lambda: tf.nn.convolution(x, f, "X", dilation_rate=[2, 2]),
    lambda: tf.nn.convolution(x, f, "SAME", dilation_rate=[0, 1]),
    lambda: tf.nn.conv1d(tf.zeros([1, 2, 3]), tf.zeros([1, 3, 2]), 1, "SAME", data_format="X"),
    lambda: tf.nn.conv1d_transpose(tf.zeros([1, 8, 2]), tf.zeros([3, 4, 2]), [1, 16, 4], 2, data_format="X"),
    lambda: tf.nn.conv_transpose(x, f, 3, 1),
    lambda: tf.nn.conv_transpose(x, f, [1, 2], 1),
    lambda: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME", rate=[2, 2], dilations=[2, 2]),
    lambda: tf.nn.separable_conv2d(x, tf.zeros([3, 3, 2, 1]), tf.zeros([1, 1, 3, 4]), [1, 1, 1, 1], "SAME"),
    lambda: tf.nn.separable_conv2d(x, tf.zeros([3, 3, 2, 1]), tf.zeros([2, 1, 2, 4]), [1, 1, 1, 1], "SAME"),
    lambda: tf.nn.with_space_to_batch(x, [2, 2], "SAME", lambda *a: a),
    lambda: tf.nn.with_space_to_batch(x, [[2, 2]], "SAME", lambda *a: a),
    lambda: tf.nn.atrous_conv2d_transpose(x, f, [1, 8, 8, 4], 2, "SAME"),
    lambda: tf.nn.dilation2d(x, tf.zeros([2, 2, 2]), [1, 1, 1, 1], [1, 1, 1, 1], "SAME", dilations=[1, 1, 1, 1]),
  ]
  return [_error(t) for t in tries]
