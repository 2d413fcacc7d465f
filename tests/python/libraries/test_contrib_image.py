"""tf.contrib.image beside what numpy makes of the same images."""

import math

import numpy as np
import pytest

import millrace as tf

image = tf.contrib.image


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()


def run(*fetches):
  with tf.Session() as session:
    values = session.run(list(fetches))
  return values[0] if len(values) == 1 else values


def picture(*shape):
  return np.random.RandomState(sum(shape)).rand(*shape).astype(np.float32)


def test_rotate():
  square = np.arange(16).reshape(4, 4)
  for quarters in range(4):
    for dtype in (np.uint8, np.int32, np.int64, np.float32, np.float64):
      turned = run(image.rotate(square.astype(dtype), quarters * math.pi / 2))
      assert turned.dtype == dtype and (turned == np.rot90(square, quarters)).all()
  batch = picture(2, 5, 5, 3)
  turned = run(image.rotate(batch, angles=[0.0, math.pi], interpolation="BILINEAR", name="mine"))
  np.testing.assert_allclose(turned[0], batch[0], atol=1e-5)
  np.testing.assert_allclose(turned[1], np.rot90(batch[1], 2), atol=1e-4)
  one = run(image.rotate(batch[0], tf.placeholder_with_default(np.float32(math.pi / 2), [])))
  np.testing.assert_allclose(one, np.rot90(batch[0]), atol=1e-5)
  assert str(image.rotate(batch, 0.1).shape) == "(2, 5, 5, 3)"


def test_translate():
  square = picture(4, 5)
  moved = run(image.translate(square, [2, -1]))
  wanted = np.zeros_like(square)
  wanted[:3, 2:] = square[1:, :3]
  np.testing.assert_allclose(moved, wanted)
  halves = run(image.translate(square[None, :, :, None], [[0.5, 0.0]], interpolation="BILINEAR", name="t"))[0, :, 1:, 0]
  np.testing.assert_allclose(halves, (square[:, :-1] + square[:, 1:]) / 2, rtol=1e-5)
  np.testing.assert_allclose(
    run(image.translations_to_projective_transforms([[1.0, 2.0], [3.0, 4.0]])),
    [[1, 0, -1, 0, 1, -2, 0, 0], [1, 0, -3, 0, 1, -4, 0, 0]],
  )


def by_formula(pixels, transform, shape):
  """The nearest pixels of where the points of the result come from."""
  a, b, c, d, e, f, g, h = transform
  out = np.zeros(shape, pixels.dtype)
  for y in range(shape[0]):
    for x in range(shape[1]):
      k = g * x + h * y + 1
      column, row = math.floor((a * x + b * y + c) / k + 0.5), math.floor((d * x + e * y + f) / k + 0.5)
      if 0 <= row < pixels.shape[0] and 0 <= column < pixels.shape[1]:
        out[y, x] = pixels[row, column]
  return out


def test_transform():
  pixels = picture(5, 6)
  transforms = [[1.2, 0.1, 0.3, -0.1, 0.9, 0.4, 0.01, 0.02], [0.5, 0, 1, 0, 0.5, 1, 0, 0]]
  for each in transforms:
    np.testing.assert_allclose(run(image.transform(pixels, each)), by_formula(pixels, each, (5, 6)))
  larger = image.transform(pixels, transforms[1], "NEAREST", output_shape=[8, 7], name="larger")
  assert str(larger.shape) == "(8, 7)"
  np.testing.assert_allclose(run(larger), by_formula(pixels, transforms[1], (8, 7)))
  both = run(image.transform(np.stack([pixels, pixels])[..., None], transforms))
  np.testing.assert_allclose(both[1, :, :, 0], by_formula(pixels, transforms[1], (5, 6)))
  open_shape = tf.placeholder_with_default(pixels, [None, None])
  np.testing.assert_allclose(
    run(image.transform(open_shape, transforms[0], interpolation="nearest")), by_formula(pixels, transforms[0], (5, 6))
  )
  x = tf.constant(pixels)
  gradient = tf.gradients(tf.reduce_sum(image.transform(x, transforms[1], interpolation="BILINEAR")), x)[0]
  assert run(gradient).sum() > 0
  for call, words in [
    (lambda: image.transform(tf.constant([["a"]]), transforms[0]), "Invalid dtype"),
    (lambda: image.transform(pixels[0], transforms[0]), "rank between 2 and 4"),
    (lambda: image.transform(tf.placeholder(tf.float32, None), transforms[0]), "image rank must be statically known"),
    (lambda: image.transform(pixels, [[transforms[0]]]), "Transforms should have rank 1 or 2"),
    (lambda: image.angles_to_projective_transforms([[1.0]], 3.0, 3.0), "Angles should have rank 0 or 1"),
    (lambda: image.translations_to_projective_transforms(1.0), "Translations should have rank 1 or 2"),
  ]:
    with pytest.raises(TypeError, match=words):
      call()


def test_matrices_of_transforms():
  flat = np.float32([[1.2, 0.1, 0.3, -0.1, 0.9, 0.4, 0.01, 0.02], [0.5, 0, 1, 0, 0.5, 1, 0, 0]])
  matrices = run(image.flat_transforms_to_matrices(flat))
  np.testing.assert_allclose(matrices, np.concatenate([flat, np.ones([2, 1])], 1).reshape(2, 3, 3))
  np.testing.assert_allclose(run(image.matrices_to_flat_transforms(2 * matrices)), flat, rtol=1e-6)
  product = matrices[0] @ matrices[1]
  composed = run(image.compose_transforms(flat[0], flat[1]))
  np.testing.assert_allclose(composed[0], (product / product[2, 2]).reshape(9)[:8], rtol=1e-5)
  angle = run(image.angles_to_projective_transforms(angles=0.3, image_height=5.0, image_width=7.0, name="a"))[0].reshape(-1)
  # The center stays where it is.
  assert angle[0] * 3 + angle[1] * 2 + angle[2] == pytest.approx(3) and angle[3] * 3 + angle[4] * 2 + angle[5] == pytest.approx(2)
  with pytest.raises(ValueError, match="1D or 2D"):
    image.flat_transforms_to_matrices([[[1.0] * 8]])
  with pytest.raises(ValueError, match="2D or 3D"):
    image.matrices_to_flat_transforms([1.0] * 9)


def bilinear(pixels, y, x):
  y, x = min(max(y, 0), pixels.shape[0] - 1), min(max(x, 0), pixels.shape[1] - 1)
  row, column = min(int(y), pixels.shape[0] - 2), min(int(x), pixels.shape[1] - 2)
  dy, dx = y - row, x - column
  above = pixels[row, column] * (1 - dx) + pixels[row, column + 1] * dx
  below = pixels[row + 1, column] * (1 - dx) + pixels[row + 1, column + 1] * dx
  return above * (1 - dy) + below * dy


def test_dense_image_warp():
  pixels = picture(2, 4, 5, 3)
  flow = (picture(2, 4, 5, 2) - 0.5) * 6
  wanted = np.array(
    [[[bilinear(pixels[n], y - flow[n, y, x, 0], x - flow[n, y, x, 1]) for x in range(5)] for y in range(4)] for n in range(2)]
  )
  made = image.dense_image_warp(pixels, flow, name="warp")
  np.testing.assert_allclose(run(made), wanted, rtol=1e-4, atol=1e-5)
  assert str(made.shape) == "(2, 4, 5, 3)"
  x = tf.constant(flow)
  assert np.abs(run(tf.gradients(image.dense_image_warp(pixels, x), x)[0])).max() > 0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_interpolate_spline(order):
  state = np.random.RandomState(order)
  points, values = state.rand(2, 9, 2).astype(np.float32), state.rand(2, 9, 3).astype(np.float32)
  at_points = run(image.interpolate_spline(points, values, points, order))
  np.testing.assert_allclose(at_points, values, atol=2e-2)
  linear = points @ np.float32([[1.0], [2.0]]) + 3
  queries = state.rand(2, 5, 2).astype(np.float32)
  found = run(image.interpolate_spline(train_points=points, train_values=linear, query_points=queries, order=order, name="s"))
  np.testing.assert_allclose(found, queries @ np.float32([[1.0], [2.0]]) + 3, atol=2e-2)


def test_regularization_of_splines():
  """With a large weight the spline is the plane of least squares."""
  state = np.random.RandomState(0)
  points, values = state.rand(1, 20, 2), state.rand(1, 20, 1)
  found = run(image.interpolate_spline(points, values, points, 2, regularization_weight=1e6))
  affine = np.concatenate([points[0], np.ones([20, 1])], 1)
  wanted = affine @ np.linalg.lstsq(affine, values[0], rcond=None)[0]
  np.testing.assert_allclose(found[0], wanted, atol=1e-4)


def test_sparse_image_warp():
  pixels = picture(1, 8, 8, 1)
  sources = np.float32([[[2, 2], [2, 5], [5, 2], [5, 5]]])
  moved, flow = image.sparse_image_warp(pixels, sources, sources + np.float32([1.0, 2.0]))
  values, found = run(moved, flow)
  np.testing.assert_allclose(found, np.broadcast_to(np.float32([1, 2]), found.shape), atol=1e-3)
  np.testing.assert_allclose(values[0, 1:, 2:, 0], pixels[0, :-1, :-2, 0], atol=1e-3)
  for count, stay in [(1, [(0, 0), (0, 7), (7, 0), (7, 7)]), (7, [(0, y) for y in range(8)] + [(x, 7) for x in range(8)])]:
    _, flow = image.sparse_image_warp(
      image=pixels,
      source_control_point_locations=np.float32([[[3, 3]]]),
      dest_control_point_locations=np.float32([[[4, 4]]]),
      interpolation_order=1,
      regularization_weight=0.0,
      num_boundary_points=count,
      name="edges",
    )
    found = run(flow)[0]
    np.testing.assert_allclose(found[4, 4], [1, 1], atol=1e-3)
    for y, x in stay:
      np.testing.assert_allclose(found[y, x], 0, atol=1e-3)
  _, weak = image.sparse_image_warp(
    pixels, np.float32([[[3, 3]]]), np.float32([[[4, 4]]]), num_boundary_points=1, regularization_weight=10.0
  )
  assert 0.05 < run(weak)[0, 4, 4, 0] < 0.9


def test_hsv_in_yiq():
  pixels = picture(3, 4, 3)
  np.testing.assert_allclose(run(image.adjust_hsv_in_yiq(pixels)), pixels, atol=1e-5)
  to_yiq = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
  angle, saturation, value = 0.4, 0.5, 0.8
  turn = value * np.array(
    [
      [1, 0, 0],
      [0, saturation * np.cos(angle), -saturation * np.sin(angle)],
      [0, saturation * np.sin(angle), saturation * np.cos(angle)],
    ]
  )
  wanted = pixels @ (np.linalg.inv(to_yiq) @ turn @ to_yiq).T
  found = run(image.adjust_hsv_in_yiq(pixels, delta_hue=angle, saturation_scale=saturation, value_scale=value, name="mine"))
  np.testing.assert_allclose(found, wanted, atol=1e-5)
  drawn = image.random_hsv_in_yiq(pixels, 0.1, 0.5, 1.5, 0.7, 0.9, seed=3)
  assert run(drawn).shape == pixels.shape and np.abs(run(drawn) - pixels).max() > 0.01
  gray = np.full([2, 2, 3], 0.5, np.float32)
  darker = run(image.random_hsv_in_yiq(gray, max_delta_hue=1.0, lower_value=0.5, upper_value=0.5, seed=1))
  np.testing.assert_allclose(darker, 0.25, atol=2e-3)
  bright = run(image.random_hsv_in_yiq(image=gray, lower_saturation=0.1, upper_saturation=0.2, seed=1))
  np.testing.assert_allclose(bright, gray, atol=1e-3)
  for call in [
    lambda: image.random_hsv_in_yiq(pixels, -1),
    lambda: image.random_hsv_in_yiq(pixels, 0, 2, 1),
    lambda: image.random_hsv_in_yiq(pixels, 0, 1, 1, -1, 1),
  ]:
    with pytest.raises(ValueError):
      call()


def flooded(images):
  """Regions by filling each from its first point."""
  out, count = np.zeros(images.shape, np.int64), 0
  for start in np.ndindex(images.shape):
    if images[start] == 0 or out[start]:
      continue
    count += 1
    stack = [start]
    while stack:
      n, y, x = stack.pop()
      if not (0 <= y < images.shape[1] and 0 <= x < images.shape[2]) or out[n, y, x] or images[n, y, x] != images[start]:
        continue
      out[n, y, x] = count
      stack += [(n, y + 1, x), (n, y - 1, x), (n, y, x + 1), (n, y, x - 1)]
  return out


def test_connected_components():
  state = np.random.RandomState(0)
  for density in (0.3, 0.6, 0.8):
    images = state.rand(3, 12, 15) < density
    assert (run(image.connected_components(images)) == flooded(images.astype(int))).all()
  values = state.randint(0, 3, [2, 9, 9])
  found = run(image.connected_components(values))
  assert found.dtype == np.int64 and (found == flooded(values)).all()
  spiral = np.zeros([1, 15, 15], int)
  for k in range(0, 7, 2):
    spiral[0, k, k : 15 - k] = spiral[0, 14 - k, k : 15 - k] = spiral[0, k : 15 - k, 14 - k] = 1
    spiral[0, k + 2 : 15 - k, k] = 1
    if k:
      spiral[0, k, k - 1] = 1
  assert (run(image.connected_components(spiral[0])) == flooded(spiral)[0]).all()
  assert (run(image.connected_components(np.zeros([3, 3], np.float32))) == 0).all()
  with pytest.raises(TypeError, match="images should have rank 2"):
    image.connected_components(np.zeros([1, 1, 1, 1]))


def greedy_pairs(distances, valid, most):
  """The columns of rows and rows of columns, of the nearest pair first."""
  columns, rows = np.full(distances.shape[0], -1), np.full(distances.shape[1], -1)
  ordered = sorted(np.ndindex(*distances[:valid].shape), key=lambda pair: distances[pair])
  for row, column in ordered:
    if columns[row] == rows[column] == -1 and most:
      columns[row], rows[column], most = column, row, most - 1
  return columns, rows


def test_rows_and_columns_are_matched():
  random = np.random.RandomState(5)
  for shape in ((4, 4), (3, 6), (5, 2)):
    distances = random.rand(*shape).astype(np.float32)
    for valid, most in ((-1, -1), (2, -1), (-1, 1), ([3], 2), (0, -1)):
      found = run(*image.bipartite_match(distances, valid, top_k=most))
      rows = int(np.ravel(valid)[0])
      wanted = greedy_pairs(distances, shape[0] if rows < 0 else rows, shape[0] if most < 0 else most)
      assert [part.dtype.name for part in found] == ["int32", "int32"]
      assert [part.tolist() for part in found] == [part.tolist() for part in wanted]
  columns, rows = image.bipartite_match(np.zeros([2, 3]), -1)
  assert columns.shape.as_list() == [2] and rows.shape.as_list() == [3]
  assert [part.tolist() for part in run(columns, rows)] == [[0, 1], [0, 1, -1]]
  assert run(image.bipartite_match(np.full([1, 1], np.inf), -1)[0]).tolist() == [0]


def test_what_has_no_op_says_so():
  with pytest.raises(AttributeError, match="stereograms is not part of Millrace"):
    image.single_image_random_dot_stereograms
