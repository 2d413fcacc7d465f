"""Boxes in images: chosen, drawn, sampled, and what is in them."""

from millrace import gen
from millrace.framework import convert, dtypes, graph

_LOWEST = float("-inf")


def _float(value, name):
  return convert.convert_to_tensor(value, dtype=dtypes.float32, name=name)


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=_LOWEST, name=None):
  """Returns the indices of boxes that are left when those go that overlap one of a higher score.

  Args:
    boxes: [n, 4], with two corners (y, x) each.
    scores: [n].
    max_output_size: The most that are left, a scalar.
    iou_threshold: Boxes overlap whose intersection is a larger part of their union.
    score_threshold: Boxes of lower scores go at once.
    name: Prefix of the names of what it makes.
  """
  with graph.name_scope(name, "non_max_suppression"):
    iou_threshold = _float(iou_threshold, "iou_threshold")
    score_threshold = _float(score_threshold, "score_threshold")
    return gen.non_max_suppression_v3(boxes, scores, max_output_size, iou_threshold, score_threshold)


def non_max_suppression_with_scores(
  boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=_LOWEST, soft_nms_sigma=0.0, name=None
):
  """As `non_max_suppression`; returns the scores as well, which a sigma above 0 lowers instead of dropping boxes."""
  with graph.name_scope(name, "non_max_suppression_with_scores"):
    iou_threshold = _float(iou_threshold, "iou_threshold")
    score_threshold = _float(score_threshold, "score_threshold")
    soft_nms_sigma = _float(soft_nms_sigma, "soft_nms_sigma")
    indices, left, _ = gen.non_max_suppression_v5(
      boxes,
      scores,
      max_output_size,
      iou_threshold,
      score_threshold,
      soft_nms_sigma,
      pad_to_max_output_size=False,
    )
    return indices, left


def non_max_suppression_padded(
  boxes,
  scores,
  max_output_size,
  iou_threshold=0.5,
  score_threshold=_LOWEST,
  pad_to_max_output_size=False,
  name=None,
):
  """As `non_max_suppression`; returns the number of indices as well, which zeros may fill up to the most there are."""
  with graph.name_scope(name, "non_max_suppression_padded"):
    iou_threshold = _float(iou_threshold, "iou_threshold")
    score_threshold = _float(score_threshold, "score_threshold")
    indices, count = gen.non_max_suppression_v4(
      boxes,
      scores,
      max_output_size,
      iou_threshold,
      score_threshold,
      pad_to_max_output_size=pad_to_max_output_size,
    )
    if pad_to_max_output_size and isinstance(max_output_size, int):
      indices.set_shape([max_output_size])
    return indices, count


def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=_LOWEST, name=None):
  """As `non_max_suppression`, by a matrix [n, n] that says how much each two overlap."""
  with graph.name_scope(name, "non_max_suppression_overlaps"):
    overlap_threshold = _float(overlap_threshold, "overlap_threshold")
    return gen.non_max_suppression_with_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold)


def combined_non_max_suppression(
  boxes,
  scores,
  max_output_size_per_class,
  max_total_size,
  iou_threshold=0.5,
  score_threshold=_LOWEST,
  pad_per_class=False,
  clip_boxes=True,
  name=None,
):
  """Chooses boxes for each class of each image of a batch.

  Args:
    boxes: [batch, n, classes or 1, 4].
    scores: [batch, n, classes].
    max_output_size_per_class: The most boxes of a class, a scalar.
    max_total_size: The most of an image.
    iou_threshold: As for `non_max_suppression`.
    score_threshold: As for `non_max_suppression`.
    pad_per_class: Fill up to what all classes may have instead of to the total.
    clip_boxes: Clip boxes to [0, 1].
    name: Prefix of the names of what it makes.

  Returns:
    Boxes, scores and classes, filled up with zeros, and how many each image has.
  """
  with graph.name_scope(name, "combined_non_max_suppression"):
    iou_threshold = _float(iou_threshold, "iou_threshold")
    score_threshold = _float(score_threshold, "score_threshold")
    max_total_size = convert.convert_to_tensor(max_total_size)
    return gen.combined_non_max_suppression(
      boxes,
      scores,
      max_output_size_per_class,
      max_total_size,
      iou_threshold,
      score_threshold,
      pad_per_class=pad_per_class,
      clip_boxes=clip_boxes,
    )


def draw_bounding_boxes(images, boxes, name=None, colors=None):
  """Returns images with boxes drawn, [batch, n, 4] in parts of their sides; in `colors`, [m, depth], by turns."""
  if colors is None:
    return gen.draw_bounding_boxes(images, boxes, name=name)
  return gen.draw_bounding_boxes_v2(images, boxes, colors, name=name)


def crop_and_resize(
  image,
  boxes,
  box_ind=None,
  crop_size=None,
  method="bilinear",
  extrapolation_value=0,
  name=None,
  box_indices=None,
):
  """Returns what is in boxes of images, scaled to one size.

  Args:
    image: A batch of images.
    boxes: [n, 4], in parts of the images' sides.
    box_ind: [n], the image of each box; `box_indices` is a newer name.
    crop_size: Height and width.
    method: "bilinear" or "nearest".
    extrapolation_value: What is outside of images.
    name: Name of the op.
    box_indices: See `box_ind`.
  """
  if box_indices is not None:
    if box_ind is not None:
      raise ValueError("Cannot specify both 'box_ind' and 'box_indices'.")
    box_ind = box_indices
  return gen.crop_and_resize(image, boxes, box_ind, crop_size, method=method, extrapolation_value=extrapolation_value, name=name)


def sample_distorted_bounding_box(
  image_size,
  bounding_boxes,
  seed=None,
  seed2=None,
  min_object_covered=0.1,
  aspect_ratio_range=None,
  area_range=None,
  max_attempts=None,
  use_image_if_no_bounding_boxes=None,
  name=None,
):
  """Draws a part of an image that covers enough of one of its boxes.

  Args:
    image_size: [height, width, channels].
    bounding_boxes: [batch, n, 4], in parts of the sides.
    seed: Of the drawing.
    seed2: Of the drawing.
    min_object_covered: The least part of a box that has to be covered.
    aspect_ratio_range: Least and largest width by height; 0.75 to 1.33 if None.
    area_range: Least and largest part of the image; 0.05 to 1 if None.
    max_attempts: After so many the whole image is taken; 100 if None.
    use_image_if_no_bounding_boxes: Take the whole image for a box where there is none; else a step fails.
    name: Prefix of the names of what it makes.

  Returns:
    Begin and size, for tf.slice, and the box for tf.image.draw_bounding_boxes.
  """
  given = {
    "seed": seed,
    "seed2": seed2,
    "aspect_ratio_range": aspect_ratio_range,
    "area_range": area_range,
    "max_attempts": max_attempts,
    "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
  }
  given = {key: value for key, value in given.items() if value is not None}
  with graph.name_scope(name, "sample_distorted_bounding_box"):
    return gen.sample_distorted_bounding_box_v2(image_size, bounding_boxes, min_object_covered, name=name, **given)


def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None):
  """Returns a window of the given size of each image, around its offset.

  Args:
    input: A batch of images of floats.
    size: Height and width.
    offsets: [batch, 2].
    centered: Offsets are from the centre, else from the upper left corner.
    normalized: Offsets are parts of the sides, else pixels.
    uniform_noise: What is outside of images is uniform noise, else normal.
    name: Name of the op.
  """
  return gen.extract_glimpse(
    input, size, offsets, centered=centered, normalized=normalized, uniform_noise=uniform_noise, name=name
  )


def extract_patches(images, sizes, strides, rates, padding, name=None):
  """Returns the patches of images, laid out in the last dimension."""
  return gen.extract_image_patches(images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name)
