"""Hue, saturation and value changed in the space YIQ, where that is one linear map."""

import numpy as np

import millrace as tf
from millrace.framework.graph import name_scope

_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])


def adjust_hsv_in_yiq(image, delta_hue=0, saturation_scale=1, value_scale=1, name=None):
  """RGB images with the hue turned by `delta_hue` in radians, the saturation and the value multiplied."""
  with name_scope(name, "adjust_hsv_in_yiq", [image]):
    image = tf.convert_to_tensor(image, name="image")
    dtype = image.dtype
    floating = tf.image.convert_image_dtype(image, tf.float32)
    delta_hue = tf.convert_to_tensor(delta_hue, dtype=tf.float32)
    saturation, value = (tf.convert_to_tensor(scale, dtype=tf.float32) for scale in (saturation_scale, value_scale))
    sine, cosine = saturation * tf.sin(delta_hue), saturation * tf.cos(delta_hue)
    zero, one = tf.zeros([]), tf.ones([])
    turned = value * tf.stack([one, zero, zero, zero, cosine, -sine, zero, sine, cosine])
    # Pixels are rows.
    to_yiq, to_rgb = (tf.constant(matrix.T, dtype=tf.float32) for matrix in (_TO_YIQ, np.linalg.inv(_TO_YIQ)))
    matrix = tf.matmul(to_yiq, tf.matmul(tf.reshape(turned, [3, 3]), to_rgb, transpose_a=True))
    result = tf.reshape(tf.matmul(tf.reshape(floating, [-1, 3]), matrix), tf.shape(floating))
    result.set_shape(image.get_shape())
    return tf.image.convert_image_dtype(result, dtype, saturate=True)


def random_hsv_in_yiq(
  image,
  max_delta_hue=0,
  lower_saturation=1,
  upper_saturation=1,
  lower_value=1,
  upper_value=1,
  seed=None,
):
  """adjust_hsv_in_yiq() by numbers drawn between the limits, the hue up to `max_delta_hue` in both directions.

  Raises:
    ValueError: for limits that are negative or in the wrong order.
  """
  if max_delta_hue < 0:
    raise ValueError("max_delta must be non-negative.")
  for which, lower, upper in (("saturation", lower_saturation, upper_saturation), ("value", lower_value, upper_value)):
    if lower < 0:
      raise ValueError(f"lower {which} must be non-negative.")
    if lower > upper:
      raise ValueError(f"lower {which} must be <= upper.")

  def drawn(lower, upper):
    return lower if lower == upper else tf.random_uniform([], float(lower), float(upper), seed=seed)

  with name_scope("random_hsv_in_yiq", values=[image]):
    hue = 0 if max_delta_hue == 0 else drawn(-max_delta_hue, max_delta_hue)
    return adjust_hsv_in_yiq(image, hue, drawn(lower_saturation, upper_saturation), drawn(lower_value, upper_value))
