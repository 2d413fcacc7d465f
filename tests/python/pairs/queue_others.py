"""Accumulators, barriers, staging areas, readers, records."""

import os
import tempfile


def _modules(tf):
  """What has the classes that are not public."""
  if tf.__name__.startswith("millrace"):
    from millrace.ops.data_flow import barrier, map_staging, record_input, staging

    return {
      "Barrier": barrier.Barrier,
      "StagingArea": staging.StagingArea,
      "MapStagingArea": map_staging.MapStagingArea,
      "RecordInput": record_input.RecordInput,
    }
  from tensorflow.python.ops import data_flow_ops

  return vars(data_flow_ops)


def _file(name, data):
  folder = os.path.join(tempfile.gettempdir(), "millrace_pairs")
  os.makedirs(folder, exist_ok=True)
  path = os.path.join(folder, name)
  with open(path, "wb") as file:
    file.write(data)
  return path


def program_accumulator(tf):
  mean = tf.ConditionalAccumulator(tf.float32, [2])
  total = tf.ConditionalAccumulator(tf.float32, [2], "shared", "total", "SUM")
  result = []
  with tf.Session() as session:
    for accumulator in (mean, total):
      apply_one = accumulator.apply_grad([1.0, 2.0])
      apply_two = accumulator.apply_grad([3.0, 5.0], local_step=tf.constant(1, tf.int64), name="two")
      number = accumulator.num_accumulated()
      take = accumulator.take_grad(2)
      session.run([apply_one])
      session.run([apply_two])
      result += [session.run(number), session.run(take), session.run(number), str(take.shape)]
  return result


def program_accumulator_steps(tf):
  accumulator = tf.ConditionalAccumulator(tf.float32)
  with tf.Session() as session:
    session.run(accumulator.set_global_step(3))
    session.run(accumulator.apply_grad(1.0, local_step=2))
    stale = session.run(accumulator.num_accumulated())
    session.run(accumulator.apply_grad(2.0, local_step=3))
    return [stale, session.run(accumulator.num_accumulated()), session.run(accumulator.take_grad(1)), accumulator.dtype.name]


def program_accumulator_wrong_shape(tf):
  tf.ConditionalAccumulator(tf.float32, [2]).apply_grad([1.0, 2.0, 3.0])


def program_sparse_accumulator(tf):
  accumulator = tf.SparseConditionalAccumulator(tf.float32, [3, 2])
  slices = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]), tf.constant([3, 2]))
  one = accumulator.apply_indexed_slices_grad(slices)
  two = accumulator.apply_grad([2], [[5.0, 6.0]], [3, 2], local_step=1)
  take, number = accumulator.take_indexed_slices_grad(2), accumulator.num_accumulated()
  raw = accumulator.take_grad(1)
  with tf.Session() as session:
    session.run(one)
    session.run(two)
    taken = [session.run(number)] + session.run([take.indices, take.values, take.dense_shape])
    session.run(accumulator.apply_grad([1], [[1.0, 1.0]], local_step=5))
    return taken + [session.run([raw[0], raw[1]])]


def program_sparse_accumulator_sum(tf):
  accumulator = tf.sparse.SparseConditionalAccumulator(tf.float32, [4], "shared", "sum_of_rows", "SUM")
  put = accumulator.apply_grad([1, 3], [1.5, 2.5], [4])
  with tf.Session() as session:
    session.run(put)
    session.run(put)
    taken = accumulator.take_grad(2, name="taken")
    return session.run([taken[0], taken[1], taken[2]])


def program_barrier(tf):
  barrier = _modules(tf)["Barrier"]([tf.float32, tf.int32], [[2], []], "shared", "bar")
  first = barrier.insert_many(0, ["a", "b"], [[1.0, 2.0], [3.0, 4.0]])
  second = barrier.insert_many(1, ["b", "a"], [5, 6], name="second")
  taken, close = barrier.take_many(2), barrier.close()
  ready, incomplete = barrier.ready_size(), barrier.incomplete_size()
  with tf.Session() as session:
    session.run(first)
    counts = session.run([ready, incomplete])
    session.run(second)
    counts += session.run([ready, incomplete])
    keys, values = session.run([taken[1], taken[2]])
    session.run(close)
    return counts + [keys, values, [str(t.shape) for t in taken[2]]]


def program_staging(tf):
  area = _modules(tf)["StagingArea"]([tf.float32, tf.int32], shapes=[[2], []], names=["a", "b"], capacity=3)
  put = area.put({"a": tf.constant([1.0, 2.0]), "b": tf.constant(3)})
  size, get, peek = area.size(), area.get(), area.peek(0)
  with tf.Session() as session:
    session.run(put)
    session.run(put)
    return [session.run(size), session.run(peek), session.run(get), session.run(size)]


def program_staging_list(tf):
  area = _modules(tf)["StagingArea"]([tf.float32], memory_limit=1000)
  put, get, clear, size = area.put([tf.constant(1.5)], name="in"), area.get(name="out"), area.clear(), area.size()
  with tf.Session() as session:
    session.run(put)
    result = [session.run(get)]
    session.run(put)
    session.run(clear)
    return result + [session.run(size), area.name]


def program_staging_wrong_type(tf):
  _modules(tf)["StagingArea"]([tf.float32]).put([tf.constant(1)])


def program_map_staging(tf):
  area = _modules(tf)["MapStagingArea"]([tf.float32, tf.int32], shapes=[[], []], ordered=True)
  key = tf.placeholder(tf.int64, [])
  put = area.put(key, [tf.constant(1.0), tf.cast(key, tf.int32)], [0, 1])
  get, at, size, incomplete = area.get(), area.get(key), area.size(), area.incomplete_size()
  with tf.Session() as session:
    for k in (5, 3, 4):
      session.run(put, {key: k})
    return [session.run([size, incomplete]), session.run(get), session.run(at, {key: 5})]


def program_map_staging_names(tf):
  area = _modules(tf)["MapStagingArea"]([tf.float32, tf.int32], names=["a", "b"])
  key = tf.constant(7, tf.int64)
  half, rest = area.put(key, {"a": tf.constant(1.0)}), area.put(key, {"b": tf.constant(2)})
  peek, clear, incomplete = area.peek(key, ["b"]), area.clear(), area.incomplete_size()
  with tf.Session() as session:
    session.run(half)
    result = [session.run(incomplete)]
    session.run(rest)
    result.append(session.run(peek))
    session.run(clear)
    return result


def program_text_lines(tf):
  path = _file("lines.txt", b"head\none\ntwo\nthree\n")
  queue = tf.FIFOQueue(5, tf.string)
  reader = tf.TextLineReader(skip_header_lines=1)
  key, value = reader.read(queue)
  many = reader.read_up_to(queue, 5)
  produced, completed = reader.num_records_produced(), reader.num_work_units_completed()
  with tf.Session() as session:
    session.run(queue.enqueue(path))
    session.run(queue.enqueue(path))
    session.run(queue.close())
    result = [session.run([key, value])[1], session.run(many)[1], session.run([produced, completed])]
    session.run(many)
    return result


def program_text_lines_end(tf):
  path = _file("short.txt", b"one\n")
  queue = tf.FIFOQueue(5, tf.string, shared_name="end_of_lines")
  value = tf.TextLineReader().read(queue)[1]
  with tf.Session() as session:
    session.run(queue.enqueue(path))
    session.run(queue.close())
    session.run(value)
    session.run(value)


def program_whole_files(tf):
  paths = [_file("whole_1", b"abc"), _file("whole_2", b"defg")]
  queue = tf.FIFOQueue(5, tf.string)
  reader = tf.WholeFileReader(name="whole")
  _, value = reader.read(queue)
  state, reset = reader.serialize_state(), reader.reset()
  restore = reader.restore_state(state)
  with tf.Session() as session:
    session.run(queue.enqueue_many([paths]))
    result = [session.run(value), session.run(value)]
    session.run(restore)
    session.run(reset)
    return result + [reader.supports_serialize, session.run(reader.num_records_produced())]


def program_identity_reader(tf):
  queue = tf.FIFOQueue(5, tf.string)
  reader = tf.IdentityReader()
  key, value = reader.read(queue, name="read")
  with tf.Session() as session:
    session.run(queue.enqueue_many([["a", "b"]]))
    session.run(queue.close())
    return [session.run([key, value]), session.run([key, value])]


def program_fixed_length(tf):
  path = _file("fixed.bin", b"HH" + bytes(range(12)) + b"F")
  queue = tf.FIFOQueue(5, tf.string)
  reader = tf.FixedLengthRecordReader(4, header_bytes=2, footer_bytes=1, hop_bytes=2)
  _, value = reader.read(queue)
  with tf.Session() as session:
    session.run(queue.enqueue(path))
    session.run(queue.close())
    found = []
    try:
      while True:
        found.append(session.run(value))
    except tf.errors.OutOfRangeError:
      return found


def program_serialize_not_supported(tf):
  state = tf.TextLineReader().serialize_state()
  with tf.Session() as session:
    session.run(state)


def program_records(tf):
  paths = [
    os.path.join(tempfile.gettempdir(), "millrace_pairs_{}".format(tf.__name__.split(".")[0]) + end) for end in ("", ".gz")
  ]
  options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
  for path, how in zip(paths, (None, options)):
    with tf.python_io.TFRecordWriter(path, options=how) as writer:
      for i in range(3):
        writer.write(b"record %d" % i)
      writer.flush()
  result = [list(tf.python_io.tf_record_iterator(paths[0])), list(tf.io.tf_record_iterator(paths[1], options))]
  queue = tf.FIFOQueue(5, tf.string)
  _, plain = tf.TFRecordReader().read(queue)
  other = tf.FIFOQueue(5, tf.string)
  packed = tf.TFRecordReader("packed", options).read_up_to(other, 10)[1]
  with tf.Session() as session:
    session.run(queue.enqueue_many([[paths[0]]]))
    session.run(other.enqueue_many([[paths[1]]]))
    result += [session.run(plain), session.run(packed)]
  return result


program_records.values_only = True  # the paths differ


def program_damaged_records(tf):
  path = _file("damaged.rec", b"\x05\x00\x00\x00\x00\x00\x00\x00nonsense")
  list(tf.python_io.tf_record_iterator(path))


def program_compression_types(tf):
  kind = tf.io.TFRecordCompressionType
  text = tf.io.TFRecordOptions.get_compression_type_string
  return [kind.NONE, kind.ZLIB, kind.GZIP, text(None), text(tf.io.TFRecordOptions(kind.ZLIB)), text("GZIP")]


def program_partition_and_stitch(tf):
  parts = tf.dynamic_partition([10.0, 20.0, 30.0, 40.0], [1, 0, 1, 0], 2)
  whole = tf.dynamic_stitch([[1, 3], [0, 2]], parts, name="whole")
  with tf.Session() as session:
    return session.run(parts) + [session.run(whole)]


def program_record_input(tf):
  make = _modules(tf)["RecordInput"]
  make("/nowhere/*.x", batch_size=2, buffer_size=3, parallelism=4, shift_ratio=0.1, seed=5, name="input").get_yield_op()
  return [len(part) for part in make("/nowhere/*.x", batch_size=4, batches=2).get_yield_op()]
