"""A queue that makes the next elements while the present one is used."""

import millrace as tf


def prefetch_queue(tensors, capacity=8, num_threads=1, dynamic_pad=False, shared_name=None, name=None):
  """Returns a queue of elements `tensors` (a list, or a dictionary), which `num_threads` threads fill.

  Shapes have to be known, or with `dynamic_pad`, ranks. Its queue runner is added to the graph. Raises ValueError for other shapes.
  """
  if isinstance(tensors, dict):
    names = sorted(tensors)
    values = [tensors[key] for key in names]
  else:
    names, values = None, tensors
  with tf.name_scope(name, "prefetch_queue", values):
    values = [tf.convert_to_tensor(value) for value in values]
    dtypes = [value.dtype for value in values]
    shapes = [value.get_shape() for value in values]
    if dynamic_pad:
      if any(shape.ndims is None for shape in shapes):
        raise ValueError(f"All shapes must have a defined rank: {shapes}")
      kind = tf.PaddingFIFOQueue
    else:
      if not all(shape.is_fully_defined() for shape in shapes):
        raise ValueError(f"All shapes must be fully defined: {shapes}")
      kind = tf.FIFOQueue
    queue = kind(capacity=capacity, dtypes=dtypes, shapes=shapes, names=names, shared_name=shared_name)
    enqueue = queue.enqueue(values if names is None else dict(zip(names, values)))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * num_threads))
    tf.summary.scalar(f"fraction_of_{capacity}_full", tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
    return queue
