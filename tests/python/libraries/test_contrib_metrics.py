"""Metrics of tf.contrib.metrics that keep all values, which tf_slim cannot run on TensorFlow 2.15: beside formulas in numpy."""

import itertools

import numpy as np
import pytest

import millrace as tf

metrics = tf.contrib.metrics


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()


def run(metric, feeds):
  """The value before and after the updates by each of the feeds."""
  value, update = metric
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    found = [session.run(value)]
    for feed in feeds:
      session.run(update, feed)
      found.append(session.run(value))
  return found


def test_precision_where_no_threshold_has_the_recall():
  """Without positive labels the recall is 0 at all thresholds, and no prediction is above the last of them."""
  labels, predictions = tf.placeholder(tf.bool, [None]), tf.placeholder(tf.float32, [None])
  metric = metrics.precision_at_recall(labels, predictions, 0.5)
  feeds = [{labels: [False, False], predictions: [0.2, 0.9]}, {labels: [True, False], predictions: [0.5, 0.1]}]
  # In the end 0.9 and 0.5 are above the highest threshold at which the only positive is found.
  np.testing.assert_allclose(run(metric, feeds), [1, 1, 1 / 2], rtol=1e-5)


def test_streaming_concat():
  values = tf.placeholder(tf.float32, [None])
  feeds = [{values: [1, 2]}, {values: []}, {values: [3, 4, 5]}]
  found = run(metrics.streaming_concat(values), feeds)
  assert [step.tolist() for step in found] == [[], [1, 2], [1, 2], [1, 2, 3, 4, 5]]
  limited = metrics.streaming_concat(values, 0, 4, "values", ["updates"], "limited")
  assert [step.tolist() for step in run(limited, feeds + feeds)][2:] == [
    [1, 2],
    [1, 2, 3, 4],
    [1, 2, 3, 4],
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]
  assert tf.get_collection("values") == [limited[0]] and tf.get_collection("updates") == [limited[1]]
  assert [v.name for v in tf.local_variables()][2:] == ["limited/array:0", "limited/size:0"]
  assert str(limited[0].shape) == "(?,)"


def test_streaming_concat_along_other_axes():
  values = tf.placeholder(tf.int32, [2, None, 1])
  feeds = [{values: [[[1]], [[2]]]}, {values: [[[3], [4]], [[5], [6]]]}]
  found = run(metrics.streaming_concat(values, axis=1), feeds)
  assert found[-1].tolist() == [[[1], [3], [4]], [[2], [5], [6]]]
  assert run(metrics.streaming_concat(values, axis=-2, max_size=2), feeds)[-1].tolist() == [[[1], [3]], [[2], [5]]]


def area(labels, predictions, weights, curve):
  """The area by pairs of yes and no, or by the points of all thresholds."""
  yes, no = labels == 1, labels == 0
  if not weights[yes].sum() or not weights[no].sum():
    return 0.0
  if curve == "ROC":
    above = np.sign(predictions[yes][:, None] - predictions[no][None, :]) / 2 + 0.5
    return (above * np.outer(weights[yes], weights[no])).sum() / (weights[yes].sum() * weights[no].sum())
  points = [(0.0, 1.0)]
  for threshold in sorted(set(predictions.tolist()), reverse=True):
    said = predictions >= threshold
    right = (weights * said * yes).sum()
    points.append((right / weights[yes].sum(), right / max((weights * said).sum(), 1e-30)))
  return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(points))


def samples():
  state = np.random.RandomState(0)
  for count in (6, 10, 5, 4, 8, 3):
    labels, predictions = state.randint(0, 2, count), np.round(state.rand(count), 1).astype(np.float32)
    yield labels if count != 3 else np.ones_like(labels), predictions, np.round(state.rand(count) * 2, 1).astype(np.float32)


def fed(labels, predictions, weights):
  """Placeholders, and what two batches of the values are fed as."""
  places = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
  half = len(labels) // 2
  parts = [[array[:half], array[half:]] for array in (labels, predictions, weights)]
  return places, [dict(zip(places, batch)) for batch in zip(*parts)]


@pytest.mark.parametrize("curve", ["ROC", "PR"])
def test_dynamic_areas(curve):
  for labels, predictions, weights in samples():
    places, feeds = fed(labels, predictions, weights)
    plain = metrics.streaming_dynamic_auc(places[0], places[1], curve)
    weighted = metrics.streaming_dynamic_auc(*places[:2], curve, "values", "updates", "mine", places[2])
    np.testing.assert_allclose(run(plain, feeds)[-1], area(labels, predictions, np.ones(len(labels)), curve), atol=1e-6)
    np.testing.assert_allclose(run(weighted, feeds)[-1], area(labels, predictions, weights, curve), atol=1e-6)
  assert run(plain, [])[0] == 0.0
  assert weighted[0] in tf.get_collection("values") and weighted[1] in tf.get_collection("updates")


def interval(labels, predictions, weights, width, logit):
  """DeLong's interval, with weights as numbers of examples."""
  yes, no = labels == 1, labels == 0
  above = np.sign(predictions[yes][:, None] - predictions[no][None, :]) / 2 + 0.5
  mean, variance = area(labels, predictions, weights, "ROC"), 0.0
  for own, other, table in ((weights[yes], weights[no], above), (weights[no], weights[yes], above.T)):
    placements = (table * other).sum(1) / other.sum()
    variance += (own * (placements - mean) ** 2).sum() / (own.sum() - 1) / own.sum()
  step = width * np.sqrt(variance)
  if not logit:
    return mean - step, mean + step
  middle, step = np.log(mean / (1 - mean)), step / (mean * (1 - mean))
  return 1 / (1 + np.exp(step - middle)), 1 / (1 + np.exp(-step - middle))


def test_intervals():
  for labels, predictions, weights in list(samples())[:4]:
    places, feeds = fed(labels, predictions, weights)
    ones = np.ones(len(labels))
    plain = run(metrics.auc_with_confidence_intervals(places[0], places[1]), feeds)[-1]
    np.testing.assert_allclose(plain[1:], interval(labels, predictions, ones, 1.959964, True), rtol=1e-4)
    straight = run(metrics.auc_with_confidence_intervals(*places[:2], alpha=0.5, logit_transformation=False), feeds)[-1]
    np.testing.assert_allclose(straight[1:], interval(labels, predictions, ones, 0.67449, False), rtol=1e-4)
    weighted = metrics.auc_with_confidence_intervals(*places, 0.5, True, "values", "updates", "mine")
    found = run(weighted, feeds)[-1]
    np.testing.assert_allclose(found.auc, area(labels, predictions, weights, "ROC"), rtol=1e-5)
    np.testing.assert_allclose(found[1:], interval(labels, predictions, weights, 0.67449, True), rtol=1e-4)
  assert run(weighted, [])[0] == (0.0, 0.0, 0.0)
  assert weighted[0] in tf.get_collection("values")


def test_intervals_of_tensorflow_1():
  """Numbers that tf.contrib.metrics of TensorFlow gives for these values."""
  labels, predictions = tf.constant([0, 1, 1, 0, 1, 1]), tf.constant([0.5, 0.4, 0.6, 0.4, 0.9, 1.0])
  weights = tf.constant([0.8, 1.6, 1.1, 1.1, 1.9, 0.1])
  made = metrics.auc_with_confidence_intervals(labels, predictions)
  assert run(made, [None])[-1] == pytest.approx((0.8125, 0.25418586, 0.98217344), rel=1e-5)
  made = metrics.auc_with_confidence_intervals(labels, predictions, weights=weights)
  assert run(made, [None])[-1] == pytest.approx((0.7581187, 0.27800682, 0.96228135), rel=1e-5)
  assert run(metrics.streaming_dynamic_auc(labels, predictions, "PR"), [None])[-1] == pytest.approx(0.9270833333)
  perfect = metrics.auc_with_confidence_intervals(tf.constant([0, 0, 1, 1]), tf.constant([0.1, 0.2, 0.3, 0.4]))
  assert run(perfect, [None])[-1] == (1.0, 1.0, 1.0)


def test_labels_that_are_none():
  with pytest.raises(tf.errors.InvalidArgumentError, match="labels must be 0 or 1, at least one is >1"):
    run(metrics.streaming_dynamic_auc(tf.constant([2, 0]) + tf.placeholder_with_default(0, []), tf.constant([0.1, 0.2])), [None])


def test_sets_and_matrices():
  a, b = tf.constant([[1, 2], [3, 4]]), tf.constant([[2, 5], [3, 4]])
  made = [
    metrics.set_size(metrics.set_intersection(a, b)),
    metrics.set_size(metrics.set_union(a, b, validate_indices=False), validate_indices=False),
    metrics.set_size(metrics.set_difference(a, b)),
    metrics.set_size(metrics.set_difference(a, b, aminusb=False, validate_indices=False)),
    metrics.confusion_matrix([0, 1, 1], [0, 1, 0], 2),
  ]
  with tf.Session() as session:
    found = session.run(made)
  assert [array.tolist() for array in found] == [[1, 2], [3, 2], [1, 0], [1, 0], [[1, 0], [1, 1]]]


def test_slim_has_the_same():
  assert tf.contrib.slim.metrics.streaming_auc is metrics.streaming_auc
  assert tf.contrib.slim.losses.log_loss is tf.contrib.losses.log_loss
