"""Queues of serialized Examples from files: read_batch_examples and what parses them."""

import millrace as tf
from millrace.framework import nest


def _file_queue(file_pattern, randomize_input, num_epochs, seed=None):
  """A queue of the names of files. Raises ValueError if there are none."""
  if isinstance(file_pattern, (list, tuple)):
    names = [name for pattern in file_pattern for name in tf.gfile.Glob(pattern)]
  else:
    names = tf.gfile.Glob(file_pattern)
  if not names:
    raise ValueError(f"No files match {file_pattern}.")
  # One after another in the order of their names, unless it is said otherwise.
  return tf.train.string_input_producer(sorted(names), num_epochs=num_epochs, shuffle=randomize_input, seed=seed)


def _check_numbers(batch_size, queue_capacity, num_threads, read_batch_size, num_epochs):
  if batch_size is None or batch_size <= 0 or (queue_capacity is not None and batch_size >= queue_capacity):
    raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {queue_capacity}.")
  if read_batch_size is None or read_batch_size <= 0:
    raise ValueError(f"Invalid read_batch_size {read_batch_size}.")
  if num_threads is None or num_threads <= 0:
    raise ValueError(f"Invalid num_threads {num_threads}.")
  if num_epochs is not None and num_epochs <= 0:
    raise ValueError(f"Invalid num_epochs {num_epochs}.")


def read_keyed_batch_examples(
  file_pattern,
  batch_size,
  reader,
  randomize_input=True,
  num_epochs=None,
  queue_capacity=10000,
  num_threads=1,
  read_batch_size=1,
  parse_fn=None,
  name=None,
  seed=None,
):
  """Keys and serialized Examples of files, in batches: two string tensors.

  `reader()` makes a reader; `num_threads` of them read `read_batch_size` records at a time, which `parse_fn` changes. Files and
  records are shuffled if `randomize_input`. Raises ValueError for numbers that make no sense, and without files.
  """
  _check_numbers(batch_size, queue_capacity, num_threads, read_batch_size, num_epochs)
  with tf.name_scope(name, "read_batch_examples", [file_pattern]) as scope:
    with tf.name_scope("file_name_queue"):
      queue = _file_queue(file_pattern, randomize_input, num_epochs, seed)
    with tf.name_scope("read"):
      records = []
      for _ in range(num_threads):
        one = reader()
        if read_batch_size > 1:
          keys, values = one.read_up_to(queue, read_batch_size)
        else:
          keys, values = one.read(queue)
        records.append((keys, parse_fn(values) if parse_fn else values))
    many = read_batch_size > 1
    smaller = num_epochs is not None
    if randomize_input:
      return tf.train.shuffle_batch_join(
        records,
        batch_size,
        capacity=queue_capacity,
        min_after_dequeue=max(1, queue_capacity // 10),
        enqueue_many=many,
        allow_smaller_final_batch=smaller,
        seed=seed,
        name=scope,
      )
    return tf.train.batch_join(
      records, batch_size, capacity=queue_capacity, enqueue_many=many, allow_smaller_final_batch=smaller, name=scope
    )


def read_batch_examples(
  file_pattern,
  batch_size,
  reader,
  randomize_input=True,
  num_epochs=None,
  queue_capacity=10000,
  num_threads=1,
  read_batch_size=1,
  parse_fn=None,
  name=None,
  seed=None,
):
  """Serialized Examples of files, in batches; the arguments are as in `read_keyed_batch_examples`."""
  return read_keyed_batch_examples(
    file_pattern,
    batch_size,
    reader,
    randomize_input,
    num_epochs,
    queue_capacity,
    num_threads,
    read_batch_size,
    parse_fn,
    name,
    seed,
  )[1]


def read_keyed_batch_examples_shared_queue(
  file_pattern,
  batch_size,
  reader,
  randomize_input=True,
  num_epochs=None,
  queue_capacity=10000,
  num_threads=1,
  read_batch_size=1,
  parse_fn=None,
  name=None,
  seed=None,
):
  """The same where all workers of a cluster take the names of files from one queue, which is on a parameter server.

  The queue is wherever the default devices put it; the names are not read twice if `tf.device` says a parameter server.
  """
  return read_keyed_batch_examples(
    file_pattern,
    batch_size,
    reader,
    randomize_input,
    num_epochs,
    queue_capacity,
    num_threads,
    read_batch_size,
    parse_fn,
    name,
    seed,
  )


def queue_parsed_features(parsed_features, keys=None, feature_queue_capacity=100, num_enqueue_threads=2, name=None):
  """Keys and features that a queue of batches has; keys are None if none are given. Threads fill it with parsed features."""
  names = sorted(parsed_features)
  values = [parsed_features[key] for key in names]
  flat = list(values) if keys is None else [keys, *values]
  with tf.name_scope(name, "queue_parsed_features", flat):
    # The queue has the three parts of sparse tensors.
    dense = nest.flatten(flat, expand_composites=True)
    queue = tf.FIFOQueue(feature_queue_capacity, [v.dtype for v in dense])
    runner = tf.train.QueueRunner(
      queue,
      [queue.enqueue(dense) for _ in range(num_enqueue_threads)],
      queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
    )
    tf.train.add_queue_runner(runner)
    tf.summary.scalar(
      f"queue/{queue.name}/fraction_of_{feature_queue_capacity}_full",
      tf.cast(queue.size(), tf.float32) * (1.0 / feature_queue_capacity),
    )
    taken = queue.dequeue()
    taken = taken if isinstance(taken, list) else [taken]
    for given, tensor in zip(dense, taken):
      tensor.set_shape(given.get_shape())
    restored = nest.pack_sequence_as(flat, taken, expand_composites=True)
  found_keys, rest = (None, restored) if keys is None else (restored[0], restored[1:])
  return found_keys, dict(zip(names, rest))


def read_keyed_batch_features(
  file_pattern,
  batch_size,
  features,
  reader,
  randomize_input=True,
  num_epochs=None,
  queue_capacity=10000,
  reader_num_threads=1,
  feature_queue_capacity=100,
  num_enqueue_threads=2,
  parse_fn=None,
  name=None,
  read_batch_size=None,
):
  """Keys and parsed features of Examples of files, in batches; `features` says how to parse them."""
  with tf.name_scope(name, "read_batch_features", [file_pattern]):
    keys, examples = read_keyed_batch_examples(
      file_pattern,
      batch_size,
      reader,
      randomize_input=randomize_input,
      num_epochs=num_epochs,
      queue_capacity=queue_capacity,
      num_threads=reader_num_threads,
      read_batch_size=read_batch_size or batch_size,
      parse_fn=parse_fn,
    )
    return queue_parsed_features(
      tf.parse_example(examples, features),
      keys=keys,
      feature_queue_capacity=feature_queue_capacity,
      num_enqueue_threads=num_enqueue_threads,
    )


def read_keyed_batch_features_shared_queue(
  file_pattern,
  batch_size,
  features,
  reader,
  randomize_input=True,
  num_epochs=None,
  queue_capacity=10000,
  reader_num_threads=1,
  feature_queue_capacity=100,
  num_queue_runners=2,
  num_enqueue_threads=None,
  parse_fn=None,
  name=None,
):
  """The same where the names of files are in a queue that workers share."""
  return read_keyed_batch_features(
    file_pattern,
    batch_size,
    features,
    reader,
    randomize_input=randomize_input,
    num_epochs=num_epochs,
    queue_capacity=queue_capacity,
    reader_num_threads=reader_num_threads,
    feature_queue_capacity=feature_queue_capacity,
    num_enqueue_threads=num_enqueue_threads or num_queue_runners,
    parse_fn=parse_fn,
    name=name,
  )


def read_batch_features(
  file_pattern,
  batch_size,
  features,
  reader,
  randomize_input=True,
  num_epochs=None,
  queue_capacity=10000,
  feature_queue_capacity=100,
  reader_num_threads=1,
  num_enqueue_threads=2,
  parse_fn=None,
  name=None,
  read_batch_size=None,
):
  """Parsed features of Examples of files, in batches: a map of names to tensors."""
  return read_keyed_batch_features(
    file_pattern,
    batch_size,
    features,
    reader,
    randomize_input=randomize_input,
    num_epochs=num_epochs,
    queue_capacity=queue_capacity,
    reader_num_threads=reader_num_threads,
    feature_queue_capacity=feature_queue_capacity,
    num_enqueue_threads=num_enqueue_threads,
    parse_fn=parse_fn,
    name=name,
    read_batch_size=read_batch_size,
  )[1]


def read_batch_record_features(
  file_pattern,
  batch_size,
  features,
  randomize_input=True,
  num_epochs=None,
  queue_capacity=10000,
  reader_num_threads=1,
  name="dequeue_record_examples",
):
  """Parsed features of Examples of files of records, in batches."""
  return read_batch_features(
    file_pattern=file_pattern,
    batch_size=batch_size,
    features=features,
    reader=tf.TFRecordReader,
    randomize_input=randomize_input,
    num_epochs=num_epochs,
    queue_capacity=queue_capacity,
    reader_num_threads=reader_num_threads,
    name=name,
  )
