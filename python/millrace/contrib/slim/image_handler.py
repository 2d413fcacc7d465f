"""tfexample_decoder.Image: an item that is an encoded image."""

import millrace as tf
from millrace.contrib.slim import item_handlers


class Image(item_handlers.ItemHandler):
  """The item is the image of the field `image_key` ("image/encoded"), whose format is the field `format_key` ("image/format").

  Formats "raw" and "RAW" are the numbers of `dtype` themselves, in the shape `shape`; all others are found out from the contents. An image
  has `channels` channels (None: as many as it has) and `dtype`. With `repeated`, the field is a vector of images of one size.
  `dct_method` is that of tf.image.decode_jpeg.
  """

  def __init__(self, image_key=None, format_key=None, shape=None, channels=3, dtype=tf.uint8, repeated=False, dct_method=""):
    self._image_key = image_key or "image/encoded"
    self._format_key = format_key or "image/format"
    super().__init__([self._image_key, self._format_key])
    self._shape = shape
    self._channels = channels
    self._dtype = dtype
    self._repeated = repeated
    self._dct_method = dct_method

  def tensors_to_item(self, keys_to_tensors):
    contents = keys_to_tensors[self._image_key]
    image_format = keys_to_tensors[self._format_key]
    if self._repeated:
      return tf.map_fn(lambda one: self._decode(one, image_format), contents, dtype=self._dtype)
    return self._decode(contents, image_format)

  def _decode(self, contents, image_format):
    def decode_raw():
      return tf.decode_raw(contents, out_type=self._dtype)

    def decode_other():
      is_jpeg = tf.equal(tf.substr(contents, 0, 3), b"\xff\xd8\xff", name="is_jpeg")
      return tf.cond(is_jpeg, decode_jpeg, decode_image, name="cond_jpeg")

    def decode_jpeg():
      return tf.cast(tf.image.decode_jpeg(contents, self._channels or 0, dct_method=self._dct_method), self._dtype)

    def decode_image():
      return tf.cast(tf.image.decode_image(contents, channels=self._channels or 0), self._dtype)

    is_raw = tf.logical_or(tf.equal(image_format, "raw"), tf.equal(image_format, "RAW"))
    image = tf.case([(is_raw, decode_raw)], default=decode_other, exclusive=True)
    image.set_shape([None, None, self._channels])
    return image if self._shape is None else tf.reshape(image, self._shape)
