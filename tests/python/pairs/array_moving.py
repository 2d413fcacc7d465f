"""Elements moved: transposed, reversed, padded, repeated, and between space, depth and batch; diagonals."""

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_transpose(tf):
  x = tf.constant(np.arange(6).reshape(2, 3))
  z = tf.constant([[1 + 2j, 3 - 1j]])
  p = tf.placeholder(tf.float32)
  q = tf.placeholder(tf.float32, [None, 2, 3])
  results = [
    tf.transpose(x),
    tf.transpose(x, [1, 0], name="swapped"),
    tf.transpose(p),
    tf.transpose(q, perm=[2, 0, 1]),
    tf.transpose(z, conjugate=True),
    tf.transpose(z, [0, 1], conjugate=True),
    tf.transpose(x, conjugate=True),
    tf.transpose([[1, 2]]),
    tf.matrix_transpose(x),
    tf.matrix_transpose(q, name="inner"),
    tf.matrix_transpose(p),
    tf.linalg.transpose(z, conjugate=True),
    tf.linalg.matrix_transpose(x),
  ]
  error = caught(lambda: tf.matrix_transpose(tf.zeros([3])))
  return error, run(tf, results, {p: np.arange(6).reshape(1, 2, 3), q: np.arange(6).reshape(1, 2, 3)})


def program_reverse(tf):
  x = tf.constant(np.arange(6).reshape(2, 3))
  results = [
    tf.reverse(x, [0]),
    tf.reverse(x, axis=[0, -1], name="both"),
    tf.reverse_v2(x, [1]),
    tf.manip.reverse(x, [1]),
    tf.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0),
    tf.reverse_sequence(x, [1, 2, 2], seq_dim=0, batch_dim=1, name="columns"),
    tf.roll(x, 1, 0),
    tf.roll(x, shift=[1, 2], axis=[0, 1], name="rolled"),
    tf.manip.roll(x, -1, -1),
  ]
  errors = [
    caught(lambda: tf.reverse_sequence(x, [1, 1], seq_axis=1, seq_dim=1)),
    caught(lambda: tf.reverse_sequence(x, [1, 1])),
    caught(lambda: tf.reverse_sequence(x, [1, 1], 1, batch_axis=0, batch_dim=0)),
  ]
  return errors, run(tf, results)


def program_pad(tf):
  x = tf.constant([[1, 2, 3], [4, 5, 6]])
  p = tf.placeholder(tf.float32, [None, 2])
  paddings = tf.placeholder(tf.int32, [2, 2])
  results = [
    tf.pad(x, [[1, 0], [0, 2]]),
    tf.pad(x, [[1, 1], [2, 2]], "REFLECT"),
    tf.pad(x, [[1, 1], [2, 2]], mode="symmetric", name="mirror"),
    tf.pad(x, [[1, 1], [0, 0]], constant_values=9, name="nines"),
    tf.pad(p, paddings),
    tf.pad(p, [[0, 0], [1, 1]], constant_values=0.5),
    tf.pad(p, tf.stack([[0, 1], [paddings[0, 0], 0]])),
  ]
  errors = [
    caught(lambda: tf.pad(x, [[1, 1], [2, 2]], "wrap")),
    caught(lambda: tf.pad(x, [[1, 1]])),
  ]
  shapes = [str(result.shape) for result in results]
  return shapes, errors, run(tf, results, {p: [[1.0, 2.0]], paddings: [[1, 0], [0, 1]]})


def program_tile_and_repeat(tf):
  x = tf.constant([[1, 2], [3, 4]])
  p = tf.placeholder(tf.float32, [None, 2])
  n = tf.placeholder(tf.int32, [])
  results = [
    tf.tile(x, [2, 3]),
    tf.tile(p, multiples=[n, 1], name="rows"),
    tf.manip.tile([1, 2], [2]),
    tf.repeat([1, 2], 3),
    tf.repeat(x, 2, axis=0),
    tf.repeat(p, n, axis=-1, name="wide"),
    tf.repeat(p, [3, 1], axis=1),
  ]
  return [str(result.shape) for result in results], run(tf, results, {p: [[1.0, 2.0]], n: 2})


def program_repeat_each(tf):
  """The static shapes of inner nodes, which fold constants in TensorFlow, differ here."""
  x = tf.constant([[1, 2], [3, 4]])
  results = [tf.repeat(x, [1, 2], axis=0), tf.repeat([1, 2, 3], [2, 0, 1])]
  return run(tf, results)


program_repeat_each.values_only = True


def program_space_and_batch(tf):
  x = tf.constant(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
  small = tf.constant(np.arange(16, dtype=np.float32).reshape(4, 2, 2, 1))
  results = [
    tf.space_to_batch(x, [[0, 0], [0, 0]], 2),
    tf.space_to_batch(x, paddings=[[1, 1], [0, 0]], block_size=2, name="padded"),
    tf.space_to_batch_nd(x, [2, 1], [[0, 0], [0, 0]]),
    tf.manip.space_to_batch_nd(x, [1, 2], [[0, 0], [1, 1]], name="wide"),
    tf.batch_to_space(small, [[0, 0], [0, 0]], 2),
    tf.batch_to_space(small, crops=[[1, 0], [0, 1]], block_size=2, name="cropped"),
    tf.batch_to_space_nd(small, [2, 2], [[0, 0], [0, 0]]),
    tf.manip.batch_to_space_nd(small, [4, 1], [[1, 1], [0, 0]], name="tall"),
  ]
  errors = [
    caught(lambda: tf.batch_to_space(small, [[0, 0], [0, 0]], 2, block_shape=[2, 2])),
    caught(lambda: tf.space_to_batch(x, [[0, 0], [0, 0]], 3)),
  ]
  return [str(result.shape) for result in results], errors[:1], run(tf, results)


def program_required_paddings(tf):
  p = tf.placeholder(tf.int32, [2])
  results = [
    tf.required_space_to_batch_paddings([10, 11], [2, 3]),
    tf.required_space_to_batch_paddings([10, 11], [2, 3], [[1, 0], [0, 1]], name="based"),
    tf.required_space_to_batch_paddings(p, [2, 3]),
    tf.required_space_to_batch_paddings(p, [2, 4], base_paddings=[[1, 0], [0, 1]]),
    tf.required_space_to_batch_paddings([], np.zeros([0], np.int32)),
  ]
  return run(tf, results, {p: [5, 7]})


def program_space_and_depth(tf):
  x = tf.constant(np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4))
  results = [
    tf.space_to_depth(x, 2),
    tf.depth_to_space(x, 2, name="wide"),
    tf.nn.depth_to_space(x, block_size=2, data_format="NHWC"),
    tf.nn.space_to_depth(x, 2, name="deep"),
  ]
  error = caught(lambda: tf.space_to_depth(x, 3))
  return error, run(tf, results)


def program_extract_patches(tf):
  x = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2))
  v = tf.constant(np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4, 1))
  results = [
    tf.extract_image_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    tf.extract_image_patches(x, sizes=[1, 3, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 2, 1], padding="SAME", name="dilated"),
    tf.image.extract_image_patches(x, ksizes=[1, 1, 1, 1], strides=[1, 3, 3, 1], rates=[1, 1, 1, 1], padding="VALID"),
    tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID", name="patches"),
    tf.extract_volume_patches(v, [1, 2, 1, 2, 1], [1, 1, 1, 2, 1], "SAME", name="volumes"),
  ]
  return run(tf, results)


def program_diagonals(tf):
  x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
  m = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
  results = [
    tf.matrix_diag(x),
    tf.matrix_diag(x, name="band", k=(0, 1), num_rows=3, num_cols=4, padding_value=9),
    tf.matrix_diag([1, 2], k=-1),
    tf.linalg.diag(x, k=1),
    tf.matrix_diag_part(m),
    tf.matrix_diag_part(m, name="bands", k=(-1, 1), padding_value=7),
    tf.linalg.diag_part(m, k=2),
    tf.matrix_set_diag(m, [7.0, 8.0, 9.0]),
    tf.matrix_set_diag(m, [7.0, 8.0], name="below", k=-1),
    tf.linalg.set_diag(m, [[1.0, 2.0, 3.0], [4.0, 5.0, 0.0]], k=(-1, 0)),
    tf.matrix_band_part(m, 1, 0),
    tf.linalg.band_part(m, num_lower=0, num_upper=-1, name="upper"),
    tf.diag([1, 2]),
    tf.diag_part([[1, 2], [3, 4]], name="d"),
    tf.linalg.tensor_diag([1.5], name="t"),
    tf.linalg.tensor_diag_part(tf.ones([2, 2])),
  ]
  return [str(result.shape) for result in results], run(tf, results)


def program_quantized(tf):
  x = tf.constant([-1.0, 0.0, 0.6, 1.0])
  q, low, high = tf.quantize(x, -1.0, 1.0, tf.qint8)
  q2 = tf.quantization.quantize(x, -1.0, 1.0, tf.quint8, mode="MIN_FIRST", name="first")
  q3 = tf.quantize(x, -1.0, 1.0, tf.qint8, "SCALED", "HALF_TO_EVEN")
  q4 = tf.quantize_v2(x, 0.0, 1.0, tf.quint8, mode="MIN_COMBINED", name="v2")
  joined = tf.quantized_concat(0, [q4[0], q4[0]], [0.0, 0.0], [1.0, 1.0], name="joined")
  again = tf.quantization.quantized_concat(0, [q4[0], q4[0]], [0.0, 0.0], [1.0, 1.0])
  results = [
    tf.dequantize(q, low, high),
    tf.quantization.dequantize(q2[0], q2[1], q2[2], mode="MIN_FIRST", name="back"),
    tf.dequantize(q3[0], q3[1], q3[2], "SCALED"),
    tf.dequantize(q4[0], q4[1], q4[2]),
    tf.dequantize(joined[0], joined[1], joined[2]),
    tf.dequantize(again[0], again[1], again[2]),
    tf.quantization.quantize_and_dequantize(x, -1.0, 1.0, range_given=True),
    tf.quantization.quantize_and_dequantize(x, -1.0, 1.0, False, 4, True, "HALF_UP", "coarse", True),
  ]
  return run(tf, results)


def program_im2col_convolution(tf):
  """A convolution as patches and a product, beside tf.nn.conv2d."""
  images = tf.placeholder(tf.float32, [None, 4, 4, 1])
  kernel = tf.constant(np.arange(9, dtype=np.float32).reshape(3, 3, 1, 1))
  patches = tf.extract_image_patches(images, [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
  by_hand = tf.reshape(
    tf.matmul(tf.reshape(patches, [-1, 9]), tf.reshape(kernel, [9, 1])),
    tf.concat([tf.shape(patches)[:3], [1]], 0),
  )
  values = np.arange(32).reshape(2, 4, 4, 1)
  by_hand, direct = run(tf, [by_hand, tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "VALID")], {images: values})
  return by_hand, np.allclose(by_hand, direct)
