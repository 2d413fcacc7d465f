"""Images."""

from ops.rows import gradients_of, images, op, uniform

op("image/bilinear", lambda tf, x: tf.image.resize_bilinear(x, [224, 224]), uniform(8, 112, 112, 3))
op("image/bilinear_down", lambda tf, x: tf.image.resize_bilinear(x, [56, 56]), uniform(8, 112, 112, 3))
op("image/nearest", lambda tf, x: tf.image.resize_nearest_neighbor(x, [224, 224]), uniform(8, 112, 112, 3))
op("image/bicubic", lambda tf, x: tf.image.resize_bicubic(x, [224, 224]), uniform(8, 112, 112, 3))
op("image/area", lambda tf, x: tf.image.resize_area(x, [56, 56]), uniform(8, 112, 112, 3))
op("image/bilinear_u8", lambda tf, x: tf.image.resize_bilinear(x, [224, 224]), images(8, 112, 112, 3))
op(
  "image/crop_resize",
  lambda tf, x: tf.image.crop_and_resize(x, [[0.0, 0.0, 0.5, 0.5]] * 64, [0] * 64, [32, 32]),
  uniform(1, 112, 112, 16),
)
op("image/hsv", lambda tf, x: tf.image.rgb_to_hsv(x), uniform(8, 112, 112, 3))
op("image/rgb", lambda tf, x: tf.image.hsv_to_rgb(x), uniform(8, 112, 112, 3))
op("image/hue", lambda tf, x: tf.image.adjust_hue(x, 0.1), uniform(8, 112, 112, 3))
op("image/saturation", lambda tf, x: tf.image.adjust_saturation(x, 0.7), uniform(8, 112, 112, 3))
op("image/contrast", lambda tf, x: tf.image.adjust_contrast(x, 0.7), uniform(8, 112, 112, 3))
op(
  "image/nms", lambda tf, x, s: tf.image.non_max_suppression(tf.concat([x, x + 0.1], 1), s, 100), uniform(2000, 2), uniform(2000)
)
op("image/std", lambda tf, x: tf.image.per_image_standardization(x), uniform(8, 112, 112, 3))
op("image/flip", lambda tf, x: tf.image.flip_left_right(x), uniform(8, 112, 112, 3))
op("image/jpeg", lambda tf, x: tf.image.decode_jpeg(tf.image.encode_jpeg(x)), images(256, 256, 3))
op("image/png", lambda tf, x: tf.image.decode_png(tf.image.encode_png(x)), images(256, 256, 3))
op("image/draw", lambda tf, x: tf.image.draw_bounding_boxes(x, [[[0.1, 0.1, 0.5, 0.5]] * 10] * 8), uniform(8, 112, 112, 3))
op("image/convert", lambda tf, x: tf.image.convert_image_dtype(x, tf.float32), images(8, 112, 112, 3))
op("image/ssim", lambda tf, x, y: tf.image.ssim(x, y, 1.0), uniform(4, 64, 64, 3), uniform(4, 64, 64, 3))
op("image/sobel", lambda tf, x: tf.image.sobel_edges(x), uniform(8, 112, 112, 3))
op("image/rot90", lambda tf, x: tf.image.rot90(x), uniform(8, 112, 112, 3))
op("image/bilinear_grad", gradients_of(lambda tf, x: tf.image.resize_bilinear(x, [224, 224])), uniform(8, 112, 112, 3))
