"""Boxes in images: chosen, drawn, sampled, and what is in them."""

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


BOXES = np.array(
  [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], np.float32
)
SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], np.float32)


def program_non_max_suppression(tf):
  most = tf.placeholder(tf.int32, [])
  overlaps = np.eye(3, dtype=np.float32) + 0.4
  results = [
    tf.image.non_max_suppression(BOXES, SCORES, 3),
    tf.image.non_max_suppression(BOXES, SCORES, most, iou_threshold=0.9, score_threshold=0.55, name="nms"),
    tf.image.non_max_suppression_with_scores(BOXES, SCORES, 4),
    tf.image.non_max_suppression_with_scores(
      BOXES, SCORES, 4, iou_threshold=0.9, score_threshold=0.1, soft_nms_sigma=0.5, name="soft"
    ),
    tf.image.non_max_suppression_overlaps(overlaps, [0.5, 0.9, 0.7], 3, overlap_threshold=0.3, score_threshold=0.6, name="o"),
    tf.image.non_max_suppression_overlaps(overlaps, [0.5, 0.9, 0.7], 3),
  ]
  return run(tf, results, {most: 5})


def program_non_max_suppression_padded(tf):
  """Version 2.21 has a function in the graph for it."""
  boxes, scores = tf.constant(BOXES), tf.constant(SCORES)
  results = [
    tf.image.non_max_suppression_padded(boxes, scores, 4),
    tf.image.non_max_suppression_padded(
      boxes, scores, 5, iou_threshold=0.5, score_threshold=0.4, pad_to_max_output_size=True, name="padded"
    ),
  ]
  return run(tf, results)


program_non_max_suppression_padded.values_only = True


def program_combined_non_max_suppression(tf):
  boxes = np.tile(BOXES[None, :, None, :] / 101.0, [2, 1, 1, 1]).astype(np.float32)
  scores = np.stack([SCORES, SCORES[::-1]], -1)[None].repeat(2, 0)
  results = [
    list(tf.image.combined_non_max_suppression(boxes, scores, 2, 3)),
    list(
      tf.image.combined_non_max_suppression(
        boxes,
        scores,
        max_output_size_per_class=2,
        max_total_size=10,
        iou_threshold=0.3,
        score_threshold=0.4,
        pad_per_class=True,
        clip_boxes=False,
        name="padded",
      )
    ),
  ]
  return run(tf, results)


def program_draw_bounding_boxes(tf):
  images = tf.zeros([1, 6, 6, 3])
  boxes = [[[0.1, 0.1, 0.7, 0.8], [0.4, 0.4, 0.9, 0.9]]]
  results = [
    tf.image.draw_bounding_boxes(images, boxes),
    tf.image.draw_bounding_boxes(images, boxes, name="drawn", colors=[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]),
  ]
  return run(tf, results)


def program_crop_and_resize(tf):
  image = tf.constant(np.arange(32, dtype=np.float32).reshape(2, 4, 4, 1))
  boxes = [[0.0, 0.0, 1.0, 1.0], [0.2, 0.3, 1.2, 0.6]]
  results = [
    tf.image.crop_and_resize(image, boxes, [0, 1], [2, 2]),
    tf.image.crop_and_resize(
      image, boxes, crop_size=[3, 2], method="nearest", extrapolation_value=5, name="near", box_indices=[1, 0]
    ),
  ]
  wrong = caught(lambda: run(tf, tf.image.crop_and_resize(image, boxes, [0, 7], [2, 2])))
  return wrong, run(tf, results)


def program_sample_distorted_bounding_box(tf):
  tf.set_random_seed(3)
  boxes = [[[0.2, 0.2, 0.8, 0.9]]]
  results = [
    list(tf.image.sample_distorted_bounding_box([40, 50, 3], boxes, seed=3, seed2=4)),
    list(
      tf.image.sample_distorted_bounding_box(
        [40, 50, 3],
        boxes,
        seed=5,
        seed2=6,
        min_object_covered=0.5,
        aspect_ratio_range=[0.5, 2.0],
        area_range=[0.3, 0.9],
        max_attempts=50,
        use_image_if_no_bounding_boxes=True,
        name="part",
      )
    ),
    list(
      tf.image.sample_distorted_bounding_box(
        [4, 5, 1], np.zeros([1, 0, 4], np.float32), 1, 2, use_image_if_no_bounding_boxes=True
      )
    ),
  ]
  wrong = caught(lambda: run(tf, tf.image.sample_distorted_bounding_box([4, 5, 1], np.zeros([1, 0, 4], np.float32), 1, 2)[0]))
  return wrong, run(tf, results)


def program_extract_glimpse(tf):
  images = tf.constant(np.arange(32, dtype=np.float32).reshape(2, 4, 4, 1))
  results = [
    tf.image.extract_glimpse(images, [2, 2], [[0.0, 0.0], [0.2, -0.2]]),
    tf.image.extract_glimpse(
      images, [2, 3], [[1.0, 1.5], [2.0, 2.0]], centered=False, normalized=False, uniform_noise=False, name="corner"
    ),
    tf.image.extract_glimpse(images, [3, 3], [[0.0, 0.0], [0.5, 0.0]], centered=True, normalized=False),
  ]
  return run(tf, results)


def program_detector(tf):
  """Chooses boxes of a picture, cuts them out and averages what is in them, as detectors do."""
  picture = tf.placeholder(tf.float32, [None, None, 1])
  boxes = tf.constant([[0.0, 0.0, 0.5, 0.5], [0.05, 0.0, 0.5, 0.5], [0.5, 0.5, 1.0, 1.0]])
  scores = tf.constant([0.6, 0.9, 0.4])
  kept = tf.image.non_max_suppression(boxes, scores, 5, iou_threshold=0.5)
  chosen = tf.gather(boxes, kept)
  crops = tf.image.crop_and_resize(tf.expand_dims(picture, 0), chosen, tf.zeros([tf.shape(kept)[0]], tf.int32), [2, 2])
  return run(tf, [kept, chosen, tf.reduce_mean(crops, [1, 2, 3])], {picture: np.arange(36).reshape(6, 6, 1)})
