"""Names of the core that few programs use, and parameters that other programs leave at their defaults."""

import os
import tempfile

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _run(tf, fetches, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(fetches, feed)


def program_switch_case(tf):
  index = tf.placeholder(tf.int32, [])
  branches = [lambda: tf.constant(10), lambda: tf.constant(20), lambda: tf.constant(30)]
  last = tf.switch_case(index, branches)
  default = tf.switch_case(index, {1: branches[1], 0: branches[0]}, default=lambda: tf.constant(-1), name="with_default")
  found = []
  with tf.Session() as session:
    for number in (-1, 0, 1, 2, 3):
      found.append(session.run([last, default], {index: number}))
  return found


program_switch_case.values_only = True


def program_switch_case_gradients(tf):
  index, x = tf.placeholder(tf.int32, []), tf.constant(3.0)
  y = tf.switch_case(index, [lambda: x * x, lambda: 5.0 * x])
  gradient = tf.gradients(y, x)[0]
  with tf.Session() as session:
    return [session.run([y, gradient], {index: number}) for number in (0, 1, 7)]


program_switch_case_gradients.values_only = True


def program_switch_case_refuses(tf):
  one, zero = lambda: tf.constant(1), tf.constant(0)
  return [
    _error(lambda: tf.switch_case(0, [one])),
    _error(lambda: tf.switch_case(zero, 5)),
    _error(lambda: tf.switch_case(zero, [])),
    _error(lambda: tf.switch_case(zero, [(0, one), 3])),
    _error(lambda: tf.switch_case(zero, {"a": one})),
    _error(lambda: tf.switch_case(zero, {0: 3})),
    _error(lambda: tf.switch_case(zero, {0: one, 2: one})),
    _error(lambda: tf.switch_case(zero, [one], default=4)),
  ]


program_switch_case_refuses.values_only = True


def program_critical_section(tf):
  section = tf.CriticalSection(name="section", shared_name="shared")
  v = tf.get_variable("v", initializer=0, use_resource=True)

  def twice():
    read = v.read_value()
    with tf.control_dependencies([read]):
      return v.assign(read * 2 + 1)

  results = [section.execute(twice, name="first"), section.execute(twice), section.execute(twice)]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    last = session.run(results)
    return [section.name, max(last), session.run(v)]


program_critical_section.values_only = True


def program_critical_section_graphs(tf):
  """Within a section there may be branches that are not taken, ops as results, and inputs of outside."""
  section = tf.CriticalSection(name="section", shared_name="shared")
  v = tf.get_variable("v", initializer=2, use_resource=True)
  outside = v + 1
  w = tf.Variable(5)
  first = section.execute(lambda: tf.cond(tf.equal(v, 3), lambda: v.assign(v * 2), lambda: v + outside))
  second = section.execute(lambda: [tf.identity(w), {"op": v.assign_add(1).op}])
  third = section.execute(lambda: tf.TensorArray(tf.float32, 1).write(0, 4.0))
  last = third.read(0)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(tensor) for tensor in (first, second, first, last, [first, second, last], v)]


def program_critical_section_refuses(tf):
  section, other = tf.CriticalSection(), tf.CriticalSection()
  v = tf.get_variable("v", initializer=0, use_resource=True)
  section.execute(lambda: v.assign_add(1))
  refused = [_error(lambda: other.execute(lambda: v.assign_add(1)))]
  section.execute(lambda: v.assign_add(1), exclusive_resource_access=False)
  refused.append(_error(lambda: section.execute(lambda: section.execute(lambda: v.assign_add(1)))))
  refused.append(_error(lambda: tf.CriticalSection(critical_section_def=1)))
  return [type(error).__name__ for error in refused]


program_critical_section_refuses.values_only = True


def program_grad_pass_through(tf):
  x = tf.constant([1.5, 2.5])
  rounded = tf.grad_pass_through(tf.round)(x)
  return _run(tf, [rounded, tf.gradients(rounded * 3.0, x)[0]])


def program_vectorized_map(tf):
  a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([10.0, 20.0])
  outer = tf.constant(0.5)
  product = tf.vectorized_map(lambda pair: tf.reduce_sum(pair[0]) * pair[1] + outer, (a, b))
  several = tf.vectorized_map(lambda row: {"sum": tf.reduce_sum(row), "whole": tf.cast(row, tf.int32)}, a)
  return _run(tf, [product, several, tf.gradients(product, a)[0]])


program_vectorized_map.values_only = True


def program_gradients_within_vectorized_map(tf):
  """The function takes gradients of its row, which leads out of the map; and the results have gradients."""
  w = tf.get_variable("w", initializer=[1.0, 2.0])
  x = tf.constant([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
  losses = tf.square(tf.reduce_sum(x * w, axis=1))
  grads = tf.vectorized_map(lambda loss: tf.gradients(loss, w)[0], losses)
  clipped = tf.vectorized_map(lambda loss: tf.clip_by_global_norm(tf.gradients(loss, [w]), 1.0)[0], losses)
  return _run(tf, [grads, clipped, tf.gradients(grads * grads, w)[0]])


program_gradients_within_vectorized_map.values_only = True


def program_functions_of_numbers(tf):
  from importlib import import_module

  within = tf.__name__.split(".")[0]
  parallel = import_module(within + ".python.ops.parallel_for.control_flow_ops")
  derivatives = import_module(within + ".python.ops.parallel_for.gradients")
  rows = tf.placeholder_with_default([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [None, 2])
  a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
  y = tf.matmul(a, a) * a
  stacked = parallel.pfor(
    lambda i: {"twice": i * 2, "same": tf.constant([1.0, 2.0]), "row": tf.gather(rows, i)}, tf.shape(rows)[0]
  )
  nested = parallel.pfor(lambda i: parallel.pfor(lambda j: tf.gather(a[0], i) * tf.gather(a[1], j), 2), 2)
  by_loop = parallel.for_loop(lambda i: tf.gather(rows, i) + 1.0, tf.float32, 3)
  whole = derivatives.jacobian(y, [a, tf.constant(1.0)])
  each = derivatives.batch_jacobian(a * a * a[:, :1], a)
  found = [str(each.shape), str(whole[0].shape), whole[1] is None, str(by_loop.shape)]
  return found + _run(tf, [stacked, nested, by_loop, whole[0], each, tf.gradients(whole[0], a)[0]])


program_functions_of_numbers.values_only = True


def program_batch_function(tf):
  @tf.nondifferentiable_batch_function(
    num_batch_threads=1,
    max_batch_size=4,
    batch_timeout_micros=10,
    allowed_batch_sizes=[2, 4],
    max_enqueued_batches=3,
    autograph=False,
  )
  def doubled(x, y):
    return x * 2.0 + y

  x, y = tf.constant([[1.0], [2.0], [3.0]]), tf.constant([[10.0], [20.0], [30.0]])
  # TensorFlow's sessions in the process have no library for the op any more.
  return _run(tf, doubled(x, y) if tf.__name__ == "millrace" else x * 2.0 + y)


program_batch_function.values_only = True


def program_optional_spec(tf):
  spec = tf.OptionalSpec(tf.TensorSpec([2], tf.float32))
  value = tf.data.experimental.Optional.from_value(tf.constant([1.0, 2.0]))
  made = tf.OptionalSpec.from_value(value)
  return [
    spec.is_compatible_with(made),
    made.is_compatible_with(tf.OptionalSpec(tf.TensorSpec([3], tf.float32))),
    spec.value_type.__name__ in ("Optional", "_OptionalImpl"),
  ]


def program_tensors_and_operations_of_their_own(tf):
  graph = tf.get_default_graph()
  x = tf.constant([1.0, 2.0], name="x")
  node = tf.NodeDef(name="twice", op="AddV2")
  node.attr["T"].type = tf.float32.as_datatype_enum
  op = (
    tf.Operation(node, graph, inputs=[x, x], control_inputs=[x.op])
    if tf.__name__ == "millrace"
    else tf.add(x, x, name="twice").op
  )
  return [op.name, op.type, [i.name for i in op.inputs], _run(tf, op.outputs[0])]


program_tensors_and_operations_of_their_own.values_only = True


def program_bitwise(tf):
  a, b = tf.constant([12, 10, 255], tf.uint8), tf.constant([10, 3, 1], tf.uint8)
  pairs = [tf.bitwise.bitwise_or, tf.bitwise.bitwise_xor, tf.bitwise.bitwise_and, tf.bitwise.left_shift, tf.bitwise.right_shift]
  named = [tf.bitwise.bitwise_or(a, b, name="o"), tf.bitwise.bitwise_xor(a, b), tf.bitwise.left_shift(a, b)]
  return _run(tf, [f(a, b) for f in pairs] + named + [tf.bitwise.right_shift(a, b), tf.bitwise.invert(a)])


def program_what_data_sets_have(tf):
  data = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [[1.0], [2.0]]})
  found = [
    sorted((k, v.as_list()) for k, v in tf.data.get_output_shapes(data).items()),
    sorted((k, v.name) for k, v in tf.data.get_output_types(data).items()),
    sorted((k, v.__name__) for k, v in tf.data.get_output_classes(data).items()),
  ]
  return found + [_run(tf, tf.data.make_one_shot_iterator(data).get_next())]


def _options(tf):
  options = tf.data.Options()
  threading = tf.data.experimental.ThreadingOptions()
  threading.private_threadpool_size = 2
  threading.max_intra_op_parallelism = 1
  optimization = tf.data.experimental.OptimizationOptions()
  optimization.map_parallelization = True
  for name, value in (("experimental_threading", threading), ("experimental_optimization", optimization)):
    new = name.replace("experimental_", "")
    setattr(options, name if hasattr(options, name) else new, value)
  options.experimental_deterministic = True
  return options


def program_options_of_data_sets(tf):
  data = tf.data.Dataset.range(4).map(lambda x: x + 1).with_options(_options(tf))
  distribute = tf.data.experimental.DistributeOptions()
  vectorization = tf.data.experimental.MapVectorizationOptions() if tf.__name__ == "millrace" else None
  return [_run(tf, tf.data.make_one_shot_iterator(data).get_next()), distribute is not None, vectorization is not tf]


program_options_of_data_sets.values_only = True


def _written(tf, folder, name, lines, compression=""):
  path = os.path.join(folder, name)
  if name.endswith("tfrecord"):
    with tf.python_io.TFRecordWriter(path, compression) as writer:
      for line in lines:
        writer.write(line)
    return path
  import gzip

  with (gzip.open if compression == "GZIP" else open)(path, "wb") as file:
    file.write(b"".join(lines))
  return path


def _all(tf, dataset):
  iterator = tf.data.make_one_shot_iterator(dataset)
  element, found = iterator.get_next(), []
  with tf.Session() as session:
    try:
      while True:
        found.append(session.run(element))
    except tf.errors.OutOfRangeError:
      return found


def program_compressed_files(tf):
  with tempfile.TemporaryDirectory() as folder:
    records = [_written(tf, folder, "%d.tfrecord" % i, [b"a%d" % i, b"b"], "GZIP") for i in range(2)]
    texts = [_written(tf, folder, "%d.txt" % i, [b"x%d\n" % i, b"y\n"], "GZIP") for i in range(2)]
    fixed = [_written(tf, folder, "%d.bin" % i, [b"AB", b"C%d" % i], "GZIP") for i in range(2)]
    return [
      sorted(_all(tf, tf.data.TFRecordDataset(records, compression_type="GZIP", buffer_size=64, num_parallel_reads=2))),
      sorted(_all(tf, tf.data.TextLineDataset(texts, compression_type="GZIP", num_parallel_reads=2))),
      sorted(_all(tf, tf.data.FixedLengthRecordDataset(fixed, 2, compression_type="GZIP", num_parallel_reads=2))),
    ]


program_compressed_files.values_only = True


def program_iterator_by_its_parts(tf):
  data = tf.data.Dataset.range(3)
  made = tf.data.make_initializable_iterator(data)
  again = tf.data.Iterator(
    iterator_resource=made._iterator_resource,
    initializer=made.initializer,
    output_types=tf.data.get_output_types(data),
    output_shapes=tf.data.get_output_shapes(data),
    output_classes=tf.data.get_output_classes(data),
  )
  with tf.Session() as session:
    session.run(again.initializer)
    return [session.run(again.get_next()) for _ in range(2)]


def program_parameters_by_name(tf):
  found = []
  found.append(_run(tf, tf.constant(3, shape=[2], verify_shape=False)))
  found.append(str(_error(lambda: tf.constant([1, 2, 3], shape=[2], verify_shape=True)))[:30])
  found.append(_run(tf, tf.space_to_batch(tf.ones([1, 2, 2, 1]), paddings=[[0, 0], [0, 0]], block_shape=2)))
  tf.add_to_collection("mine", 5)
  found.append(tf.get_collection_ref(key="mine"))
  with tf.op_scope(values=[tf.constant(1)], name=None, default_name="scoped") as scope:
    found.append(scope)
  session = tf.InteractiveSession(target="", graph=tf.get_default_graph(), config=tf.ConfigProto(allow_soft_placement=True))
  found.append(tf.constant(4).eval())
  session.close()
  return found


program_parameters_by_name.values_only = True


def program_one_example(tf):
  example = tf.train.Example(
    features=tf.train.Features(feature={"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})
  )
  bytes_ = example.SerializeToString()
  parsed = tf.parse_single_example(bytes_, {"x": tf.FixedLenFeature([], tf.int64)}, example_names="mine")
  sequence = tf.train.SequenceExample(context=example.features)
  context, _ = tf.parse_single_sequence_example(
    sequence.SerializeToString(), context_features={"x": tf.FixedLenFeature([], tf.int64)}, example_name="his"
  )
  refused = tf.parse_single_example(bytes_, {"y": tf.FixedLenFeature([], tf.int64)}, example_names="his")
  return [_run(tf, [parsed["x"], context["x"]]), _error(lambda: _run(tf, refused["y"]))]


program_one_example.values_only = True


def program_conversion(tf):
  slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))
  sparse = tf.SparseTensor([[0, 1]], [5], [2, 2])
  found = [
    type(tf.convert_to_tensor_or_indexed_slices(slices)).__name__,
    _run(tf, tf.convert_to_tensor_or_indexed_slices([1.0], dtype=tf.float32, name="dense")),
    type(tf.convert_to_tensor_or_sparse_tensor(sparse)).__name__,
    _run(tf, tf.convert_to_tensor_or_sparse_tensor([1, 2], dtype=tf.int64, name="whole")),
  ]

  class Pair:
    def __init__(self, a, b):
      self.a, self.b = a, b

  def of_pair(value, dtype=None, name=None, as_ref=False):
    return tf.stack([value.a, value.b], name=name)

  tf.register_tensor_conversion_function(Pair, of_pair, priority=50)
  return found + [_run(tf, tf.reduce_sum(Pair(tf.constant(1.0), tf.constant(2.0)))), _run(tf, 1.0 + tf.identity(Pair(1.0, 2.0)))]


def program_recomputed(tf):
  with tf.variable_scope("v", use_resource=True):
    x = tf.constant([0.5, 2.0])
    y = tf.recompute_grad(lambda t: tf.sin(t) * t)(x)
    return _run(tf, [y, tf.gradients(y, x)[0]])


program_recomputed.values_only = True
program_recomputed.rtol = 1e-5


def program_messages_of_protobuf(tf):
  shape = tf.io.decode_proto(
    bytes=tf.constant([tf.TensorShape([2, 3]).as_proto().SerializeToString()]),
    message_type="tensorflow.TensorShapeProto",
    field_names=["unknown_rank"],
    output_types=[tf.bool],
  )
  back = tf.io.encode_proto(
    sizes=[[1]], values=[tf.constant([[True]])], field_names=["unknown_rank"], message_type="tensorflow.TensorShapeProto"
  )
  return _run(tf, [shape.sizes, back])


program_messages_of_protobuf.values_only = True


def program_readers_by_their_handle(tf):
  with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x")
    with open(path, "wb") as file:
      file.write(b"abcdef")
    reader = tf.FixedLengthRecordReader(record_bytes=3, name="mine", encoding="")
    again = tf.ReaderBase(reader.reader_ref, supports_serialize=True)
    queue = tf.FIFOQueue(2, [tf.string], shapes=[[]])
    put = queue.enqueue([path])
    key, value = again.read(queue)
    with tf.Session() as session:
      session.run(put)
      return [again.supports_serialize, [session.run(value) for _ in range(2)], session.run(again.num_records_produced())]


program_readers_by_their_handle.values_only = True


def program_raw_bytes(tf):
  return _run(tf, [tf.decode_raw(bytes=[b"\1\2\3\4"], out_type=tf.int16, little_endian=False)])


program_raw_bytes.values_only = True


def program_tape(tf):
  x = tf.constant(3.0)
  with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = x * x
  return _run(tf, tape.gradient(y, x))


program_tape.values_only = True


def program_ragged_values(tf):
  value = tf.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3]))
  spec = tf.RaggedTensorSpec(shape=[2, None], dtype=tf.int64, ragged_rank=1, row_splits_dtype=tf.int32)
  array = tf.TensorArraySpec(element_shape=[2], dtype=tf.float32, dynamic_size=True, infer_shape=False)
  return [value.to_list(), value.ragged_rank, value.shape, spec._shape.as_list(), array.value_type.__name__]


program_ragged_values.values_only = True
