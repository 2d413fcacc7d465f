"""The parts of making batches: what is given becomes tensors, tensors go into a queue, batches come out."""

import millrace as tf
from millrace.framework import convert, tensor_shape
from millrace.train import queue_runners
from millrace.train.input import storing


def as_tensor_list(tensors):
  """The tensors of a map in the order of its keys as texts, or those of a list."""
  return [tensors[k] for k in sorted(tensors, key=str)] if isinstance(tensors, dict) else list(tensors)


def as_tensor_list_list(tensors_list):
  if not tensors_list:
    raise ValueError("Expected at least one set of tensors")
  if isinstance(tensors_list[0], dict):
    expected_keys = set(tensors_list[0].keys())
    for tensors in tensors_list[1:]:
      if set(tensors.keys()) != expected_keys:
        raise ValueError("All dictionaries in tensors_list must have the same keys")
    return [as_tensor_list(tensors) for tensors in tensors_list]
  return tensors_list


def as_original_type(original, tensors):
  """A map where a map was given, else what the queue gives: a list, or a tensor of one."""
  if not isinstance(original, dict):
    return tensors
  if len(original) == 1:
    # A queue of one component gives a tensor instead of a list.
    return {next(iter(original)): tensors}
  return {k: tensors[i] for i, k in enumerate(sorted(original, key=str))}


def validate_keep_input(keep_input, enqueue_many):
  keep_input = convert.convert_to_tensor(keep_input)
  ndims = keep_input.get_shape().ndims
  if ndims is None:
    raise ValueError("`keep_input` dimensions must be known at graph construction.")
  if not enqueue_many and ndims == 1:
    raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
  if ndims > 1:
    raise ValueError("`keep_input` must be 0 or 1 dimensions.")
  return keep_input


def checked(tensor_list, keep_input, enqueue_many):
  """The tensors as tensors without sparse ones, the condition as tensor, and what was stored."""
  tensor_list = tensors(tensor_list)
  if not tensor_list:
    raise ValueError("Expected at least one tensor in batch().")
  keep_input = validate_keep_input(keep_input, enqueue_many)
  tensor_list, infos = storing.store_sparse_tensors(tensor_list, enqueue_many, keep_input)
  return tensor_list, keep_input, infos


def tensors(tensor_list):
  return [convert.convert_to_tensor_or_sparse_tensor(t) for t in tensor_list]


def checked_join(tensor_list_list, keep_input, enqueue_many):
  tensor_list_list = [tensors(tl) for tl in tensor_list_list]
  if not tensor_list_list:
    raise ValueError("Expected at least one input in batch_join().")
  keep_input = validate_keep_input(keep_input, enqueue_many)
  tensor_list_list, infos = storing.store_sparse_tensors_join(tensor_list_list, enqueue_many, keep_input)
  return tensor_list_list, keep_input, infos


def dtypes(tensor_list_list):
  all_types = [[t.dtype.base_dtype for t in tl] for tl in tensor_list_list]
  types = all_types[0]
  for other in all_types[1:]:
    if other != types:
      raise TypeError(
        "Expected types to be consistent: {} vs. {}.".format(", ".join(x.name for x in types), ", ".join(x.name for x in other))
      )
  return types


def shapes(tensor_list_list, shapes, enqueue_many):
  """The shapes of the queue's elements: what all lists have in common."""
  if shapes is not None:
    return shapes
  length = len(tensor_list_list[0])
  for tl in tensor_list_list:
    for t in tl:
      if t.get_shape().ndims is None:
        raise ValueError(f"Cannot infer Tensor's rank: {t}")
  return [merge_shapes([tl[i].get_shape().as_list() for tl in tensor_list_list], enqueue_many) for i in range(length)]


def merge_shapes(shape_list, enqueue_many):
  shape_list = [tensor_shape.as_shape(s) for s in shape_list]
  if enqueue_many:
    # Without the batch.
    shape_list = [s.with_rank_at_least(1)[1:] for s in shape_list]
  merged = shape_list[0]
  for s in shape_list[1:]:
    merged = merged.merge_with(s)
  return merged.as_list()


def which_queue(dynamic_pad):
  return tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue


def select_which_to_enqueue(tensor_list, keep_input):
  """The elements that a vector keeps."""
  select_i = tf.cast(keep_input, tf.int32)
  return [tf.dynamic_partition(x, select_i, num_partitions=2)[1] for x in tensor_list]


def enqueue_op(enqueue, tensor_list, keep_input):
  if keep_input.get_shape().ndims == 1:
    return enqueue(select_which_to_enqueue(tensor_list, keep_input))
  return storing.smart_cond(keep_input, lambda: enqueue(tensor_list), tf.no_op)


def enqueue(queue, tensor_list, threads, enqueue_many, keep_input):
  enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
  ops = [enqueue_op(enqueue, tensor_list, keep_input)] * threads
  queue_runners.add_queue_runner(queue_runners.QueueRunner(queue, ops))


def enqueue_join(queue, tensor_list_list, enqueue_many, keep_input):
  enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
  ops = [enqueue_op(enqueue, tensor_list, keep_input) for tensor_list in tensor_list_list]
  queue_runners.add_queue_runner(queue_runners.QueueRunner(queue, ops))


def fullness(queue, capacity):
  tf.summary.scalar(f"fraction_of_{capacity}_full", tf.cast(queue.size(), tf.float32) * (1.0 / capacity))


def fullness_over(queue, capacity, min_after_dequeue):
  room = capacity - min_after_dequeue
  full = tf.cast(tf.maximum(0, queue.size() - min_after_dequeue), tf.float32) * (1.0 / room)
  tf.summary.scalar(f"fraction_over_{min_after_dequeue}_of_{room}_full", full)


def dequeued(queue, batch_size, allow_smaller_final_batch, infos, original, scope):
  dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
  return as_original_type(original, storing.restore_sparse_tensors(dequeue(batch_size, name=scope), infos))
