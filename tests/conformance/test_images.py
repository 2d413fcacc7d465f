"""Pictures: read from files by queues, decoded, changed by tf.image's functions and written again, on servers of ours and of stock."""

import io
import struct
import zlib

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402

tf1 = tf.compat.v1

WORKER1 = "/job:worker/task:1"
SHADES = (np.add.outer(np.arange(24) * 7, np.arange(30) * 5)[..., None] + np.arange(3) * 40).astype(np.uint8)


def png(pixels):
  """A PNG file of uint8 [height, width, 3], so that both sides read the same bytes."""

  def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

  height, width, _ = pixels.shape
  rows = b"".join(b"\0" + row.tobytes() for row in pixels)
  header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
  return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def bmp(pixels):
  height, width, _ = pixels.shape
  out = io.BytesIO()
  rows = [row[:, ::-1].tobytes().ljust((3 * width + 3) // 4 * 4, b"\0") for row in pixels[::-1]]
  out.write(b"BM" + struct.pack("<IIIIiiHH", 54 + len(b"".join(rows)), 0, 54, 40, width, height, 1, 24) + bytes(24))
  out.write(b"".join(rows))
  return out.getvalue()


def jpeg(pixels, **options):
  with tf.Graph().as_default(), tf1.Session() as session:
    return session.run(tf.io.encode_jpeg(pixels, **options))


def run(cluster, fetches, feeds=None):
  with tf1.Session(cluster.target("worker")) as session:
    return session.run(fetches, feeds)


def test_files_through_queues(on_both, era, tmp_path):
  for i in range(4):
    (tmp_path / f"{i}.jpg").write_bytes(jpeg(np.roll(SHADES, 3 * i, 1), quality=80, progressive=i % 2 == 1))

  def program(cluster):
    with tf1.device(WORKER1):
      names = tf1.train.string_input_producer([str(tmp_path / f"{i}.jpg") for i in range(4)], num_epochs=1, shuffle=False)
      key, value = tf1.WholeFileReader().read(names)
      image = tf.io.decode_jpeg(value, channels=3)
      image.set_shape([24, 30, 3])
      small = tf1.image.resize_images(image, [6, 8])
      batch = tf1.train.batch([key, image, small], 2)
    seen = []
    with tf1.Session(cluster.target("worker")) as session:
      session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer()])
      coordinator = tf1.train.Coordinator()
      threads = tf1.train.start_queue_runners(session, coordinator)
      try:
        while True:
          seen.append(session.run(batch))
      except tf.errors.OutOfRangeError:
        pass
      coordinator.request_stop()
      coordinator.join(threads)
    return seen

  on_both(program, atol=1e-3)


def test_every_format(on_both):
  files = {"png": png(SHADES), "bmp": bmp(SHADES), "jpeg": jpeg(SHADES), "grey": jpeg(SHADES[..., :1])}

  def program(cluster):
    contents = tf1.placeholder(tf.string, [])
    decoded = {
      "any": tf.io.decode_image(contents, expand_animations=False),
      "float": tf.io.decode_image(contents, dtype=tf.float32, expand_animations=False),
      "three": tf.io.decode_image(contents, channels=3, dtype=tf.uint16, expand_animations=False),
    }
    narrow = tf.io.decode_jpeg(contents, ratio=2, fancy_upscaling=False, dct_method="INTEGER_ACCURATE")
    window = tf.image.decode_and_crop_jpeg(contents, [3, 5, 8, 17])
    shape = tf.image.extract_jpeg_shape(contents)
    jpegs = [narrow, window, shape, tf.io.is_jpeg(contents)]
    results = {}
    with tf1.Session(cluster.target("worker")) as session:
      for name, file in files.items():
        results[name] = session.run(decoded, {contents: file})
        results[name + ".jpeg"] = [outcome(lambda f=f, file=file: session.run(f, {contents: file})) for f in jpegs]
      for name in files:
        cut = files[name][: len(files[name]) * 2 // 3]
        results[name + ".cut"] = outcome(lambda cut=cut: session.run(decoded["any"], {contents: cut}))
      results["nothing"] = outcome(lambda: session.run(decoded["any"], {contents: b""}))
      results["text"] = outcome(lambda: session.run(decoded["any"], {contents: b"no picture at all"}))
    return results

  on_both(program)


def test_written_and_read(on_both):
  def program(cluster):
    image = tf1.placeholder(tf.uint8, [None, None, None])
    wide = tf.cast(image, tf.uint16) * 257
    files = [
      tf.io.encode_png(image),
      tf.io.encode_png(wide),
      tf.io.encode_jpeg(image, quality=70),
      tf1.image.encode_jpeg(image, progressive=True, chroma_downsampling=False),
      tf.image.adjust_jpeg_quality(image, 40),
    ]
    read = [
      tf.io.decode_png(files[0]),
      tf.io.decode_png(files[1], dtype=tf.uint16),
      tf.io.decode_jpeg(files[2]),
      tf.io.decode_jpeg(files[3]),
      files[4],
    ]
    with tf1.Session(cluster.target("worker")) as session:
      # A picture without rows ends a stock server.
      return [session.run(read, {image: SHADES}), outcome(lambda: session.run(files[2], {image: SHADES[..., :2]}))]

  on_both(program)


def test_pictures_on_their_way_between_tasks(on_both, tmp_path):
  """A worker decodes, the other one writes."""
  (tmp_path / "in.png").write_bytes(png(SHADES))

  def program(cluster):
    out = str(tmp_path / f"out-{cluster.kind}.png")
    image = tf.io.decode_png(tf.io.read_file(str(tmp_path / "in.png")))
    with tf1.device(WORKER1):
      write = tf.io.write_file(out, tf.io.encode_png(tf.image.flip_left_right(image)))
    with tf1.Session(cluster.target("worker")) as session:
      session.run(write)
      return session.run(tf.io.decode_png(tf.io.read_file(out)))

  np.testing.assert_array_equal(on_both(program), SHADES[:, ::-1])


UNIT = (np.sin(np.arange(2 * 12 * 10 * 3)) * 0.5 + 0.5).astype(np.float32).reshape(2, 12, 10, 3)


def color_functions(x):
  image = tf.image
  return [
    image.adjust_brightness(x, 0.2),
    image.adjust_contrast(x, 1.7),
    image.adjust_hue(x, -0.3),
    image.adjust_saturation(x, 0.4),
    image.adjust_gamma(x, 1.5),
    image.rgb_to_grayscale(x),
    image.grayscale_to_rgb(x[..., :1]),
    image.rgb_to_hsv(x),
    image.hsv_to_rgb(x),
    image.rgb_to_yiq(x),
    image.yuv_to_rgb(image.rgb_to_yuv(x)),
    image.per_image_standardization(x),
    image.convert_image_dtype(x, tf.uint8, saturate=True),
    image.convert_image_dtype(tf.cast(x * 200, tf.uint8), tf.float32),
  ]


def place_functions(x):
  image = tf.image
  return [
    image.flip_left_right(x),
    image.flip_up_down(x),
    image.transpose(x),
    image.rot90(x, 3),
    image.central_crop(x, 0.5),
    image.pad_to_bounding_box(x, 2, 1, 17, 14),
    image.crop_to_bounding_box(x, 2, 1, 5, 6),
    tf1.image.resize_image_with_crop_or_pad(x, 9, 15),
    tf1.image.resize_image_with_pad(x, 20, 9),
    tf1.image.extract_glimpse(x, [4, 5], [[0.1, -0.2], [-0.3, 0.2]]),
    image.extract_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
    tf1.image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]], [1, 0], [5, 4]),
    image.sobel_edges(x),
    *image.image_gradients(x),
    image.total_variation(x),
    image.draw_bounding_boxes(x, [[[0.1, 0.1, 0.6, 0.7], [0.2, 0.5, 1.2, 0.9]]] * 2, [[1.0, 0.0, 0.5]]),
  ]


def resizes(x):
  methods = tf.image.ResizeMethod
  old = [tf1.image.resize_images(x, [7, 16], method, align_corners=corners) for method in range(4) for corners in (False, True)]
  new = [
    tf.image.resize(x, [7, 16], method, antialias=antialias)
    for method in (
      methods.BILINEAR,
      methods.BICUBIC,
      methods.LANCZOS3,
      methods.LANCZOS5,
      methods.GAUSSIAN,
      methods.MITCHELLCUBIC,
      methods.AREA,
      methods.NEAREST_NEIGHBOR,
    )
    for antialias in (False, True)
  ]
  return old + new


@pytest.mark.parametrize("functions", [color_functions, place_functions, resizes])
def test_functions_of_tf_image(on_both, functions):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [2, 12, 10, 3])
    return run(cluster, functions(x), {x: UNIT})

  on_both(program, rtol=1e-4, atol=2e-4)


def test_gradients(on_both):
  def program(cluster):
    x = tf1.placeholder(tf.float32, [2, 12, 10, 3])
    ys = [
      tf.image.rgb_to_hsv(x),
      tf.image.resize(x, [5, 7], tf.image.ResizeMethod.LANCZOS3, antialias=True),
      tf1.image.resize_bicubic(x, [20, 7]),
      tf1.image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9]], [1], [5, 4]),
    ]
    return run(cluster, [tf1.gradients(y * y, x)[0] for y in ys], {x: UNIT})

  on_both(program, rtol=1e-4, atol=2e-4)


def test_likeness(on_both):
  def program(cluster):
    a, b = (tf1.placeholder(tf.float32, [2, 12, 10, 3]) for _ in range(2))
    likeness = [tf.image.psnr(a, b, 1.0), tf.image.ssim(a, b, 1.0, filter_size=5)]
    return run(cluster, likeness, {a: UNIT, b: UNIT[:, ::-1]})

  on_both(program, rtol=1e-4)


def test_random_changes_repeat_with_a_seed(on_both):
  boxes = [[[0.1, 0.2, 0.7, 0.8]]]

  def program(cluster):
    tf1.set_random_seed(3)
    x = tf1.placeholder(tf.float32, [12, 10, 3])
    begin, size, box = tf1.image.sample_distorted_bounding_box([12, 10, 3], boxes, seed=5, min_object_covered=0.2)
    cropped = tf.slice(x, begin, size)
    changed = [
      tf.image.random_flip_left_right(x, seed=1),
      tf.image.random_brightness(x, 0.3, seed=2),
      tf.image.random_contrast(x, 0.5, 1.5, seed=3),
      tf.image.random_hue(x, 0.2, seed=4),
      tf.image.random_saturation(x, 0.5, 1.5, seed=6),
      tf1.image.random_crop(x, [5, 4, 3], seed=7),
    ]
    with tf1.Session(cluster.target("worker")) as session:
      return [session.run([begin, size, box, changed], {x: UNIT[0]}) for _ in range(4)] + [
        session.run(tf.shape(cropped), {x: UNIT[0]})[2]
      ]

  on_both(program, rtol=1e-4, atol=1e-4)


def test_boxes_that_overlap(on_both):
  rng = np.random.RandomState(4)
  corners = rng.rand(40, 2).astype(np.float32)
  boxes = np.concatenate([corners, corners + 0.05 + rng.rand(40, 2).astype(np.float32) / 3], 1)
  scores = rng.rand(40).astype(np.float32)

  def program(cluster):
    box, score = tf1.placeholder(tf.float32, [None, 4]), tf1.placeholder(tf.float32, [None])
    kept = [
      tf.image.non_max_suppression(box, score, 12, 0.3),
      tf.image.non_max_suppression_padded(box, score, 50, 0.3, 0.2, pad_to_max_output_size=True),
      tf.image.non_max_suppression_with_scores(box, score, 20, 1.0, 0.1, soft_nms_sigma=0.4),
      tf.image.combined_non_max_suppression(box[None, :, None], tf.stack([score, 1 - score], 1)[None], 8, 12, 0.4, 0.2),
    ]
    with tf1.Session(cluster.target("worker")) as session:
      return [
        session.run(kept, {box: boxes, score: scores}),
        outcome(lambda: session.run(kept[0], {box: boxes, score: scores[:7]})),
      ]

  on_both(program)
