"""Batches of which elements are chosen by chance, so that classes are as frequent as they are to be."""

import numpy as np

import millrace as tf
from millrace.framework import convert, dtypes, tensor_values


def rejection_sample(
  tensors,
  accept_prob_fn,
  batch_size,
  queue_threads=1,
  enqueue_many=False,
  prebatch_capacity=16,
  prebatch_threads=1,
  runtime_checks=False,
  name=None,
):
  """Batches of the elements that are accepted with the probability `accept_prob_fn(list of tensors)`, a scalar.

  `tensors` is a list of an element's tensors, or with `enqueue_many` of batches, which a queue of `prebatch_capacity` elements, filled by
  `prebatch_threads`, makes elements of. `queue_threads` fill the queue of the result, a list of batches. `runtime_checks` says that a
  probability that is none is an error.
  """
  with tf.variable_scope(name, "rejection_sample", tensors):
    tensor_list = [convert.convert_to_tensor(tensor) for tensor in tensors]
    if enqueue_many:
      tensor_list = _single(tensor_list, prebatch_threads, prebatch_capacity)
    probability = convert.convert_to_tensor(accept_prob_fn(tensor_list))
    probability.get_shape().assert_has_rank(0)
    if runtime_checks:
      in_range = [
        tf.assert_less_equal(probability, 1.0, message="accept_prob_fn must return a probability"),
        tf.assert_less_equal(0.0, probability, message="accept_prob_fn must return a probability"),
      ]
      with tf.control_dependencies(in_range):
        probability = tf.identity(probability, name="prob_with_checks")
    kept = tf.random_uniform([], dtype=probability.dtype) < probability
    return _as_list(tf.train.maybe_batch(tensor_list, keep_input=kept, batch_size=batch_size, num_threads=queue_threads))


def _single(tensor_list, threads, capacity):
  """The elements of batches, one after the other."""
  ones = tf.train.batch(tensor_list, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True)
  return [tf.squeeze(one, [0]) for one in _as_list(ones)]


def _as_list(values):
  return list(values) if isinstance(values, (list, tuple)) else [values]


def stratified_sample(
  tensors,
  labels,
  target_probs,
  batch_size,
  init_probs=None,
  enqueue_many=False,
  queue_capacity=16,
  threads_per_queue=1,
  name=None,
):
  """Batches in which classes have the shares `target_probs`, by leaving elements out; returns (list of batches, batch of labels).

  `labels` is the class of an element, an integer, or with `enqueue_many` those of a batch. `init_probs` are the shares that the classes
  have in the input, which without it are estimated as elements come. `queue_capacity` and `threads_per_queue` are those of the queues.
  Raises ValueError for shares that do not sum to 1 or ask for a class that is not there, and for labels of another form.
  """
  with tf.name_scope(name, "stratified_sample", [*tensors, labels]):
    tensor_list = [convert.convert_to_tensor(tensor) for tensor in tensors]
    labels = convert.convert_to_tensor(labels)
    target_probs = convert.convert_to_tensor(target_probs, dtype=dtypes.float32)
    _check_probabilities(target_probs)
    labels = _checked_labels(tensor_list, labels, target_probs, enqueue_many)
    if init_probs is None:
      labels, init_probs = _estimated_shares(labels, target_probs.get_shape().num_elements())
    else:
      init_probs = convert.convert_to_tensor(init_probs, dtype=dtypes.float32)
      _check_probabilities(init_probs)
      _check_that_classes_are_there(init_probs, target_probs)
    acceptance = _acceptance(init_probs, target_probs)
    rejected = tf.reduce_sum((1 - acceptance) * init_probs)
    acceptance = tf.cond(
      rejected < 0.5,
      lambda: tf.identity(acceptance),
      lambda: tf.Print(
        acceptance,
        [rejected, init_probs, acceptance],
        message="Proportion of examples rejected by sampler is high.",
        first_n=10,
      ),
    )
    ones = tf.train.batch(
      [*tensor_list, labels],
      batch_size=1,
      num_threads=threads_per_queue,
      capacity=queue_capacity,
      enqueue_many=enqueue_many,
    )
    *values, label = [tf.squeeze(one, [0]) for one in _as_list(ones)]
    batches = tf.train.maybe_batch(
      [*values, label],
      keep_input=tf.random_uniform([]) < tf.gather(acceptance, label),
      batch_size=batch_size,
      num_threads=threads_per_queue,
    )
    return batches[:-1], batches[-1]


def _check_probabilities(probabilities):
  """Raises ValueError for values that are known and are no vector of probabilities that sum to 1."""
  probabilities.get_shape().assert_has_rank(1)
  known = tensor_values.constant_value(probabilities)
  if known is not None and (abs(known.sum() - 1.0) > 1e-5 or (known < 0).any()):
    raise ValueError(f"Probabilities must sum to one and not be negative: {known}")


def _check_that_classes_are_there(init_probs, target_probs):
  init_probs.get_shape().assert_is_compatible_with(target_probs.get_shape())
  init, target = (tensor_values.constant_value(p) for p in (init_probs, target_probs))
  if init is not None and target is not None and np.logical_and(init == 0, target > 0).any():
    raise ValueError(f"Some initial probability class has nonzero target probability: {init} and {target}")


def _checked_labels(tensor_list, labels, probabilities, enqueue_many):
  """The labels, with checks that each is a class. Raises ValueError if they are not of the form of the tensors."""
  if enqueue_many:
    for tensor in tensor_list:
      tensor.get_shape().with_rank_at_least(1)
    labels.get_shape().assert_has_rank(1)
    for tensor in tensor_list:
      labels.get_shape()[:1].assert_is_compatible_with(tensor.get_shape()[:1])
  else:
    labels.get_shape().assert_has_rank(0)
  classes = tf.cast(tf.size(probabilities), labels.dtype)
  checks = [
    tf.assert_integer(labels),
    tf.assert_non_negative(labels, message="Labels must be in [0, num_classes)."),
    tf.assert_less(labels, classes, message="Labels must be in [0, num_classes)."),
  ]
  with tf.control_dependencies(checks):
    return tf.identity(labels)


def _acceptance(init_probs, target_probs):
  """The probability of keeping an element of each class: as great as they can be."""
  ratio = tf.where(init_probs > 0, target_probs / init_probs, tf.zeros_like(init_probs))
  return ratio / tf.reduce_max(ratio)


def _estimated_shares(labels, num_classes, smoothing_constant=10):
  """(labels that are counted when they are read, the shares of classes so far), as if each had been seen before, `smoothing_constant` times."""
  seen = tf.Variable(
    tf.fill([num_classes], np.int64(smoothing_constant)), trainable=False, name="class_count", dtype=dtypes.int64
  )
  more = tf.reduce_sum(tf.one_hot(tf.reshape(labels, [-1]), num_classes, dtype=dtypes.int64), 0)
  with tf.control_dependencies([tf.assign_add(seen, more)]):
    labels = tf.identity(labels)
  counted = tf.cast(seen.value(), dtypes.float32)
  return labels, counted / tf.reduce_sum(counted)
