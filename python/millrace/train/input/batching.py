"""Batches of tensors, which queue runners put together."""

import millrace as tf
from millrace.train.input import batch_parts as parts


def batch(
  tensors,
  batch_size,
  num_threads=1,
  capacity=32,
  enqueue_many=False,
  shapes=None,
  dynamic_pad=False,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """Batches of `tensors` (a list or a map), whose values `num_threads` threads put into a queue.

  With `enqueue_many` they are batches already. `dynamic_pad` fills elements up to the largest of their batch.
  `allow_smaller_final_batch` gives the rest at the end. Raises ValueError for none, or where a shape isn't known.
  """
  return _batch(
    tensors,
    batch_size,
    keep_input=True,
    num_threads=num_threads,
    capacity=capacity,
    enqueue_many=enqueue_many,
    shapes=shapes,
    dynamic_pad=dynamic_pad,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def maybe_batch(
  tensors,
  keep_input,
  batch_size,
  num_threads=1,
  capacity=32,
  enqueue_many=False,
  shapes=None,
  dynamic_pad=False,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """`batch` of those values for which `keep_input` is true; with `enqueue_many` it may be a vector."""
  return _batch(
    tensors,
    batch_size,
    keep_input,
    num_threads=num_threads,
    capacity=capacity,
    enqueue_many=enqueue_many,
    shapes=shapes,
    dynamic_pad=dynamic_pad,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def batch_join(
  tensors_list,
  batch_size,
  capacity=32,
  enqueue_many=False,
  shapes=None,
  dynamic_pad=False,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """Batches of several lists or maps of tensors, each of which gets a thread."""
  return _batch_join(
    tensors_list,
    batch_size,
    keep_input=True,
    capacity=capacity,
    enqueue_many=enqueue_many,
    shapes=shapes,
    dynamic_pad=dynamic_pad,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def maybe_batch_join(
  tensors_list,
  keep_input,
  batch_size,
  capacity=32,
  enqueue_many=False,
  shapes=None,
  dynamic_pad=False,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """`batch_join` of those values for which `keep_input` is true."""
  return _batch_join(
    tensors_list,
    batch_size,
    keep_input,
    capacity=capacity,
    enqueue_many=enqueue_many,
    shapes=shapes,
    dynamic_pad=dynamic_pad,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def shuffle_batch(
  tensors,
  batch_size,
  capacity,
  min_after_dequeue,
  num_threads=1,
  seed=None,
  enqueue_many=False,
  shapes=None,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """Batches in random order: of a queue in which at least `min_after_dequeue` elements stay."""
  return _shuffle_batch(
    tensors,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input=True,
    num_threads=num_threads,
    seed=seed,
    enqueue_many=enqueue_many,
    shapes=shapes,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def maybe_shuffle_batch(
  tensors,
  batch_size,
  capacity,
  min_after_dequeue,
  keep_input,
  num_threads=1,
  seed=None,
  enqueue_many=False,
  shapes=None,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """`shuffle_batch` of those values for which `keep_input` is true."""
  return _shuffle_batch(
    tensors,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input,
    num_threads=num_threads,
    seed=seed,
    enqueue_many=enqueue_many,
    shapes=shapes,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def shuffle_batch_join(
  tensors_list,
  batch_size,
  capacity,
  min_after_dequeue,
  seed=None,
  enqueue_many=False,
  shapes=None,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """Batches in random order of several lists or maps of tensors, each of which gets a thread."""
  return _shuffle_batch_join(
    tensors_list,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input=True,
    seed=seed,
    enqueue_many=enqueue_many,
    shapes=shapes,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def maybe_shuffle_batch_join(
  tensors_list,
  batch_size,
  capacity,
  min_after_dequeue,
  keep_input,
  seed=None,
  enqueue_many=False,
  shapes=None,
  allow_smaller_final_batch=False,
  shared_name=None,
  name=None,
):
  """`shuffle_batch_join` of those values for which `keep_input` is true."""
  return _shuffle_batch_join(
    tensors_list,
    batch_size,
    capacity,
    min_after_dequeue,
    keep_input,
    seed=seed,
    enqueue_many=enqueue_many,
    shapes=shapes,
    allow_smaller_final_batch=allow_smaller_final_batch,
    shared_name=shared_name,
    name=name,
  )


def _batch(
  tensors,
  batch_size,
  keep_input,
  num_threads,
  capacity,
  enqueue_many,
  shapes,
  dynamic_pad,
  allow_smaller_final_batch,
  shared_name,
  name,
):
  tensor_list = parts.as_tensor_list(tensors)
  with tf.name_scope(name, "batch", [*tensor_list, keep_input]) as scope:
    tensor_list, keep_input, infos = parts.checked(tensor_list, keep_input, enqueue_many)
    queue = parts.which_queue(dynamic_pad)(
      capacity=capacity,
      dtypes=parts.dtypes([tensor_list]),
      shapes=parts.shapes([tensor_list], shapes, enqueue_many),
      shared_name=shared_name,
    )
    parts.enqueue(queue, tensor_list, num_threads, enqueue_many, keep_input)
    parts.fullness(queue, capacity)
    return parts.dequeued(queue, batch_size, allow_smaller_final_batch, infos, tensors, scope)


def _batch_join(
  tensors_list,
  batch_size,
  keep_input,
  capacity,
  enqueue_many,
  shapes,
  dynamic_pad,
  allow_smaller_final_batch,
  shared_name,
  name,
):
  tensor_list_list = parts.as_tensor_list_list(tensors_list)
  with tf.name_scope(name, "batch_join", [t for tl in tensor_list_list for t in tl] + [keep_input]) as scope:
    tensor_list_list, keep_input, infos = parts.checked_join(tensor_list_list, keep_input, enqueue_many)
    queue = parts.which_queue(dynamic_pad)(
      capacity=capacity,
      dtypes=parts.dtypes(tensor_list_list),
      shapes=parts.shapes(tensor_list_list, shapes, enqueue_many),
      shared_name=shared_name,
    )
    parts.enqueue_join(queue, tensor_list_list, enqueue_many, keep_input)
    parts.fullness(queue, capacity)
    return parts.dequeued(queue, batch_size, allow_smaller_final_batch, infos, tensors_list[0], scope)


def _check_capacity(capacity, min_after_dequeue):
  if capacity <= min_after_dequeue:
    raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}.")


def _shuffle_queue(capacity, min_after_dequeue, seed, tensor_list_list, shapes, enqueue_many, shared_name):
  return tf.RandomShuffleQueue(
    capacity=capacity,
    min_after_dequeue=min_after_dequeue,
    seed=seed,
    dtypes=parts.dtypes(tensor_list_list),
    shapes=parts.shapes(tensor_list_list, shapes, enqueue_many),
    shared_name=shared_name,
  )


def _shuffle_batch(
  tensors,
  batch_size,
  capacity,
  min_after_dequeue,
  keep_input,
  num_threads,
  seed,
  enqueue_many,
  shapes,
  allow_smaller_final_batch,
  shared_name,
  name,
):
  tensor_list = parts.as_tensor_list(tensors)
  with tf.name_scope(name, "shuffle_batch", [*tensor_list, keep_input]) as scope:
    _check_capacity(capacity, min_after_dequeue)
    tensor_list, keep_input, infos = parts.checked(tensor_list, keep_input, enqueue_many)
    queue = _shuffle_queue(capacity, min_after_dequeue, seed, [tensor_list], shapes, enqueue_many, shared_name)
    parts.enqueue(queue, tensor_list, num_threads, enqueue_many, keep_input)
    parts.fullness_over(queue, capacity, min_after_dequeue)
    return parts.dequeued(queue, batch_size, allow_smaller_final_batch, infos, tensors, scope)


def _shuffle_batch_join(
  tensors_list,
  batch_size,
  capacity,
  min_after_dequeue,
  keep_input,
  seed,
  enqueue_many,
  shapes,
  allow_smaller_final_batch,
  shared_name,
  name,
):
  tensor_list_list = parts.as_tensor_list_list(tensors_list)
  with tf.name_scope(name, "shuffle_batch_join", [t for tl in tensor_list_list for t in tl] + [keep_input]) as scope:
    _check_capacity(capacity, min_after_dequeue)
    tensor_list_list, keep_input, infos = parts.checked_join(tensor_list_list, keep_input, enqueue_many)
    queue = _shuffle_queue(capacity, min_after_dequeue, seed, tensor_list_list, shapes, enqueue_many, shared_name)
    parts.enqueue_join(queue, tensor_list_list, enqueue_many, keep_input)
    parts.fullness_over(queue, capacity, min_after_dequeue)
    return parts.dequeued(queue, batch_size, allow_smaller_final_batch, infos, tensors_list[0], scope)
