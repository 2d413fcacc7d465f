"""slim's data: readers, queues, decoders, handlers of items, providers; summaries and sizes of models."""

import contextlib
import io
import os

import numpy as np


def _slim(tf):
  """tf.contrib.slim; on the stock side the package tf_slim, which needs names that TensorFlow 2.15 has elsewhere."""
  if hasattr(tf, "contrib"):
    return tf.contrib.slim
  from tensorflow.python.framework import ops
  from tensorflow.python.ops import array_ops, control_flow_ops

  ops.IndexedSlices, ops.Tensor = tf.IndexedSlices, tf.Tensor
  array_ops.stack, control_flow_ops.cond, control_flow_ops.case = tf.stack, tf.cond, tf.case
  import tf_slim

  return tf_slim


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _files(tf):
  """Two files with three records each."""
  os.makedirs("records", exist_ok=True)
  for file in range(2):
    with tf.python_io.TFRecordWriter("records/part-%d.rec" % file) as writer:
      for index in range(3):
        features = {
          "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[index + 10 * file])),
          "b": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0 * index, 2.0])),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
  return "records/*.rec"


def _read_all(tf, tensors):
  """Runs tensors until the input ends."""
  found = []
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
      while True:
        found.append(session.run(tensors))
    except tf.errors.OutOfRangeError:
      coordinator.request_stop()
    coordinator.join(threads)
  return found


def _nodes(tf):
  return [(op.name, op.type) for op in tf.get_default_graph().get_operations()]


def _run(tf, tensors):
  with tf.Session() as session:
    session.run(tf.tables_initializer())
    return session.run(tensors)


def program_parallel_read(tf):
  reader = _slim(tf).parallel_reader
  key, value = reader.parallel_read(_files(tf), tf.TFRecordReader, num_epochs=1, num_readers=1, shuffle=False, scope="all")
  nodes = _nodes(tf)
  names = [runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
  return [_read_all(tf, [key, value]), nodes, names, [item.name for item in tf.get_collection("summaries")]]


def program_parallel_read_shuffled(tf):
  reader = _slim(tf).parallel_reader
  key, _ = reader.parallel_read(
    [_files(tf)],
    tf.TFRecordReader,
    num_epochs=2,
    num_readers=2,
    reader_kwargs={"options": tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.NONE)},
    shuffle=True,
    dtypes=[tf.string, tf.string],
    capacity=20,
    min_after_dequeue=3,
    seed=4,
  )
  nodes = [node for node in _nodes(tf) if "Reader" in node[1] or "Queue" in node[1]]
  return [sorted(_read_all(tf, key)), nodes]


def program_single_pass_read(tf):
  reader = _slim(tf).parallel_reader
  key, value = reader.single_pass_read(_files(tf), tf.TFRecordReader, reader_kwargs={"name": "mine"}, scope="once")
  return [_read_all(tf, [key, value]), _nodes(tf)]


def program_parallel_reader(tf):
  module = _slim(tf).parallel_reader
  queue = tf.FIFOQueue(8, [tf.string, tf.string], [[], []])
  reader = module.ParallelReader(tf.IdentityReader, queue, num_readers=2, reader_kwargs={"name": "reader"})
  names = tf.train.string_input_producer(["a", "b", "c"], num_epochs=1, shuffle=False)
  keys, values = reader.read_up_to(names, 2)
  done = [reader.num_records_produced("produced"), reader.num_work_units_completed()]
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    found = []
    try:
      while True:
        found.extend(session.run(keys).tolist())
    except tf.errors.OutOfRangeError:
      counts = session.run(done)
    coordinator.request_stop()
    coordinator.join(threads)
  refused = _say(lambda: module.ParallelReader(tf.IdentityReader, tf.FIFOQueue(1, [tf.string])))
  return [sorted(found), counts, reader.num_readers, reader.common_queue is queue, values.dtype.name, refused]


def program_data_files(tf):
  get = _slim(tf).parallel_reader.get_data_files
  pattern = _files(tf)
  return [
    get(pattern),
    get(["records/part-1*", "records/part-0.re?"]),
    get("records/part-[01].rec"),
    get("not_there"),
    _say(lambda: get("records/nothing*")),
    _say(lambda: get([])),
  ]


def program_prefetch_queue(tf):
  prefetch = _slim(tf).prefetch_queue.prefetch_queue
  numbers = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
  queue = prefetch([numbers, tf.cast(numbers, tf.float32) * 2.0])
  named = prefetch({"b": tf.constant([1, 2]), "a": tf.constant(3.0)}, capacity=3, num_threads=2, shared_name="s", name="mine")
  nodes = _nodes(tf)
  values = _read_all(tf, queue.dequeue())
  runners = [len(runner.enqueue_ops) for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
  return [values, nodes, runners, named.names]


def program_prefetch_queue_of_unknown_sizes(tf):
  prefetch = _slim(tf).prefetch_queue.prefetch_queue
  number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
  queue = prefetch([tf.fill([number + 1], number)], dynamic_pad=True)
  values = _read_all(tf, queue.dequeue_many(3))
  return [
    values,
    _say(lambda: prefetch([tf.placeholder(tf.int32, [None, 2])])),
    _say(lambda: prefetch([tf.placeholder(tf.int32)], dynamic_pad=True)),
  ]


def _decoder(tf):
  module = _slim(tf).tfexample_decoder
  features = {"a": tf.FixedLenFeature([1], tf.int64), "b": tf.FixedLenFeature([2], tf.float32)}
  return module.TFExampleDecoder(features, {"label": module.Tensor("a", shape=[]), "vector": module.Tensor("b")})


def program_dataset_data_provider(tf):
  slim = _slim(tf)
  described = {"label": "a number", "vector": "two numbers"}
  data = slim.dataset.Dataset(_files(tf), tf.TFRecordReader, _decoder(tf), 6, described, num_classes=10)
  provider = slim.dataset_data_provider.DatasetDataProvider(data, shuffle=False, num_epochs=1)
  tensors = provider.get(["label", "vector", "record_key"])
  nodes = [node for node in _nodes(tf) if "Parse" not in node[0]]
  facts = [data.num_classes, data.num_samples, data.items_to_descriptions, provider.num_samples(), sorted(provider.list_items())]
  return [_read_all(tf, tensors), nodes, facts, _say(lambda: provider.get(["other"])), _say(lambda: provider.get("label"))]


def program_dataset_data_provider_shuffled(tf):
  slim = _slim(tf)
  data = slim.dataset.Dataset(_files(tf), tf.TFRecordReader, _decoder(tf), 6, {})
  provider = slim.dataset_data_provider.DatasetDataProvider(
    data,
    num_readers=2,
    reader_kwargs={"name": "reader"},
    shuffle=True,
    num_epochs=1,
    common_queue_capacity=20,
    common_queue_min=4,
    record_key="key",
    seed=3,
    scope="mine",
  )
  nodes = [node[0] for node in _nodes(tf) if "Queue" in node[1] or "Reader" in node[1]]
  values = sorted(int(label) for label in _read_all(tf, provider.get(["label"])[0]))
  bad = _say(lambda: slim.dataset_data_provider.DatasetDataProvider(data, record_key="label"))
  return [values, nodes, sorted(provider.list_items()), bad]


def program_data_provider(tf):
  slim = _slim(tf)
  provider = slim.data_provider.DataProvider({"a": 1, "b": 2}, 3)

  class Decoder(slim.data_decoder.DataDecoder):
    def decode(self, data, items):
      return [data] * len(items)

    def list_items(self):
      return ["x"]

  return [
    provider.get(["b", "a"]),
    provider.num_samples(),
    Decoder().decode(1, ["x"]),
    type(_say(slim.data_decoder.DataDecoder)).__name__,
  ]


def _sparse(tf, *values, **kwargs):
  dtype = kwargs.get("dtype", tf.float32)
  indices = np.arange(len(values), dtype=np.int64).reshape(-1, 1)
  return tf.SparseTensor(tf.constant(indices), tf.constant(values, dtype), tf.constant([len(values)], tf.int64))


def _handled(tf, handler, **tensors):
  return handler.tensors_to_item(tensors)


def program_tensor_handler(tf):
  made = _slim(tf).tfexample_decoder.Tensor
  items = [
    _handled(tf, made("a"), a=tf.constant([1.0])),
    _handled(tf, made("a", shape=[1, 2]), a=tf.constant([1.0, 2.0])),
    _handled(tf, made("a", shape_keys="s"), a=tf.constant([1.0, 2.0]), s=tf.constant([2, 1])),
    _handled(
      tf,
      made("a", shape_keys=["h", "w"]),
      a=_sparse(tf, 1.0, 2.0),
      h=tf.constant([2], tf.int64),
      w=_sparse(tf, 1, dtype=tf.int64),
    ),
    _handled(tf, made("a", default_value=7), a=tf.SparseTensor(tf.constant([[1]], tf.int64), [5], tf.constant([3], tf.int64))),
  ]
  refused = _say(lambda: made("a", shape_keys="s", shape=[1]))
  return [_run(tf, items), [made("a", shape_keys=["h", "w"]).keys, made("a").keys], refused]


def program_lookup_handler(tf):
  made = _slim(tf).tfexample_decoder.LookupTensor
  table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["x", "y"], [1, 2]), -1)
  words = tf.SparseTensor(tf.constant([[0], [2]], tf.int64), ["y", "z"], tf.constant([4], tf.int64))
  item = _handled(tf, made("a", table, shape=[2, 2], default_value="x"), a=words)
  other = _handled(tf, made("a", table, shape_keys="s"), a=tf.constant(["y", "x"]), s=tf.constant([2, 1]))
  return _run(tf, [item, other])


def program_sparse_handler(tf):
  made = _slim(tf).tfexample_decoder.SparseTensor
  where = _sparse(tf, 0, 3, dtype=tf.int64)
  values = _sparse(tf, 1.0, 2.0)
  plain = _handled(tf, made(), indices=where, values=values)
  shaped = _handled(tf, made("i", "v", shape_key="s"), i=where, v=values, s=_sparse(tf, 7, dtype=tf.int64))
  dense = _handled(tf, made("i", "v", shape=[5], densify=True, default_value=3), i=where, v=values)
  return [[list(value) for value in _run(tf, [plain, shaped])], _run(tf, dense), made("i", "v", shape_key="s").keys]


def program_backup_handler(tf):
  module = _slim(tf).tfexample_decoder
  handler = module.BackupHandler(module.Tensor("a"), module.Tensor("b"))
  words = tf.placeholder(tf.string, [None])
  item = _handled(tf, handler, a=words, b=tf.constant(["backup"]))
  with tf.Session() as session:
    values = [session.run(item, {words: ["first"]}), session.run(item, {words: []})]
  return [
    values,
    handler.keys,
    _say(lambda: module.BackupHandler("a", module.Tensor("b"))),
    _say(lambda: module.BackupHandler(module.Tensor("b"), "a")),
  ]


def program_own_handlers(tf):
  module = _slim(tf).tfexample_decoder
  called = module.ItemHandlerCallback(["a", "b"], lambda tensors: tensors["a"] + tensors["b"])

  class Doubled(module.ItemHandler):
    def __init__(self):
      super().__init__("a")

    def tensors_to_item(self, keys_to_tensors):
      return keys_to_tensors["a"] * 2

  return [_handled(tf, called, a=1, b=2), called.keys, Doubled().tensors_to_item({"a": 4}), Doubled().keys]


def _encoded(tf):
  """A picture as PNG and JPEG."""
  picture = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
  with tf.Graph().as_default(), tf.Session() as session:
    return session.run([tf.image.encode_png(picture), tf.image.encode_jpeg(picture, quality=95)])


def program_image_handler(tf):
  made = _slim(tf).tfexample_decoder.Image
  png, jpeg = _encoded(tf)

  def decoded(handler, contents, kind):
    return handler.tensors_to_item({handler.keys[0]: tf.constant(contents), handler.keys[1]: tf.constant(kind)})

  numbers = np.array([1.0, 2.5], np.float32).tobytes()
  items = [
    decoded(made(), png, "png"),
    tf.shape(decoded(made(image_key="i", format_key="f", shape=[4, 4, 3]), jpeg, "unknown")),
    tf.shape(decoded(made(channels=1, dct_method="INTEGER_ACCURATE"), jpeg, "jpeg")),
    decoded(made(dtype=tf.float32), png, "png"),
    decoded(made(shape=[2], dtype=tf.float32), numbers, "raw"),
    decoded(made(shape=[1, 2], dtype=tf.float32), numbers, "RAW"),
    decoded(made(repeated=True), [png, png], "png"),
  ]
  return [_run(tf, items), made("i", "f").keys, made().keys, items[0].shape.as_list()]


def program_box_handlers(tf):
  module = _slim(tf).tfexample_decoder
  names = ["ymin", "xmin", "ymax", "xmax"]
  sides = {"box/" + name: _sparse(tf, 1.0 + index, 10.0 + index) for index, name in enumerate(names)}
  dense = {name: tf.constant([0.5, float(index)]) for index, name in enumerate("abcd")}
  items = [
    module.BoundingBox(prefix="box/").tensors_to_item(sides),
    module.BoundingBox(keys=list("abcd")).tensors_to_item(dense),
  ]
  return [_run(tf, items), module.BoundingBox(prefix="box/").keys, _say(lambda: module.BoundingBox(keys=["a"]))]


def program_sequence_handlers(tf):
  module = _slim(tf).tfexample_decoder

  def steps(*values):
    indices = tf.constant([[0, 0], [1, 0], [1, 1]], tf.int64)
    return tf.SparseTensor(indices, tf.constant(values), tf.constant([2, 2], tf.int64))

  boxes = {"p/" + name: steps(1.0 + i, 2.0 + i, 3.0 + i) for i, name in enumerate(["ymin", "xmin", "ymax", "xmax"])}
  points = {name: steps(1.0 + i, 2.0 + i, 3.0 + i) for i, name in enumerate("yx")}
  both = {name: steps(1.0, 2.0, 3.0) for name in "ab"}
  items = [
    module.BoundingBoxSequence(prefix="p/").tensors_to_item(boxes),
    module.KeypointsSequence(keys=["y", "x"], prefix="", default_value=-5.0).tensors_to_item(points),
    module.NumBoxesSequence(keys=["a", "b"]).tensors_to_item(both),
    module.NumBoxesSequence(keys=["a", "b"], check_consistency=False).tensors_to_item(both),
  ]
  sparse = module.BoundingBoxSequence(keys=["ymin", "xmin", "ymax", "xmax"], prefix="p/", return_dense=False).tensors_to_item(
    boxes
  )
  return [_run(tf, items), list(_run(tf, sparse)), _say(module.NumBoxesSequence)]


def program_numbers_of_boxes_that_differ(tf):
  module = _slim(tf).tfexample_decoder
  one = tf.SparseTensor(tf.constant([[0, 0]], tf.int64), [1.0], tf.constant([1, 2], tf.int64))
  two = tf.SparseTensor(tf.constant([[0, 0], [0, 1]], tf.int64), [1.0, 2.0], tf.constant([1, 2], tf.int64))
  item = module.NumBoxesSequence(keys=["a", "b"]).tensors_to_item({"a": one, "b": two})
  with tf.Session() as session:
    return type(_say(lambda: session.run(item))).__name__


def program_example_decoder(tf):
  module = _slim(tf).tfexample_decoder
  features = {
    "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[3])),
    "b": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
  }
  example = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
  decoder = module.TFExampleDecoder(
    {
      "b": tf.VarLenFeature(tf.float32),
      "a": tf.FixedLenFeature([1], tf.int64, default_value=[4]),
      "c": tf.FixedLenFeature([], tf.int64, default_value=4),
    },
    {"z": module.Tensor("a"), "y": module.Tensor("b"), "c": module.Tensor("c")},
  )
  every = decoder.decode(tf.constant(example))
  some = decoder.decode(tf.constant(example), ["y", "c"])
  return [_run(tf, every), _run(tf, some), decoder.list_items(), _say(lambda: decoder.decode(tf.constant(example), ["q"]))]


def program_sequence_decoder(tf):
  module = _slim(tf).tfexample_decoder
  context = tf.train.Features(feature={"l": tf.train.Feature(int64_list=tf.train.Int64List(value=[2]))})
  floats = [tf.train.Feature(float_list=tf.train.FloatList(value=[value])) for value in (1.0, 2.0)]
  lists = tf.train.FeatureLists(feature_list={"s": tf.train.FeatureList(feature=floats)})
  example = tf.train.SequenceExample(context=context, feature_lists=lists).SerializeToString()
  decoder = module.TFSequenceExampleDecoder(
    {"l": tf.FixedLenFeature([], tf.int64)},
    {"s": tf.FixedLenSequenceFeature([], tf.float32)},
    {"length": module.Tensor("l"), "sequence": module.Tensor("s")},
  )
  return [
    _run(tf, decoder.decode(tf.constant(example))),
    _run(tf, decoder.decode(tf.constant(example), items=["sequence"])),
    sorted(decoder.list_items()),
  ]


def program_queue_runners(tf):
  module = _slim(tf).queues
  numbers = tf.train.range_input_producer(3, shuffle=False).dequeue()

  def nested(session):
    with module.QueueRunners(session), module.QueueRunners(session):
      pass

  def failing(session):
    with module.QueueRunners(session):
      raise KeyError("mine")

  with tf.Session() as session:
    with module.QueueRunners(session) as value:
      got = [int(session.run(numbers)) for _ in range(4)]
  with tf.Session() as session:
    inner = type(_say(lambda: nested(session))).__name__
  with tf.Session() as session:
    failed = type(_say(lambda: failing(session))).__name__
  return [got, value, inner, failed, issubclass(module.NestedQueueRunnerError, Exception)]


def program_summaries(tf):
  summaries = _slim(tf).summaries
  t = tf.constant([1.0, 0.0], name="t")
  s = tf.constant(2.0, name="s")
  picture = tf.constant(1.0, shape=[1, 2, 2, 1], name="picture")
  summaries.add_histogram_summary(t)
  summaries.add_histogram_summary(t, name="n", prefix="p")
  summaries.add_histogram_summaries([t, s], prefix="h")
  summaries.add_scalar_summary(s, name="m", prefix="p")
  summaries.add_scalar_summary(s, print_summary=True)
  summaries.add_scalar_summaries([s], prefix="q", print_summary=True)
  summaries.add_image_summary(picture, name="i", prefix="p", print_summary=True)
  summaries.add_image_summaries([picture], prefix="r")
  summaries.add_zero_fraction_summary(t, name="z", prefix="p", print_summary=True)
  summaries.add_zero_fraction_summaries([t], prefix="w")
  collected = tf.get_collection(tf.GraphKeys.SUMMARIES)
  nodes = [
    (op.name, op.type) for op in tf.get_default_graph().get_operations() if op.type.endswith("Summary") or op.type == "Print"
  ]
  messages = [tf.Summary.FromString(text).value[0] for text in _run(tf, collected)]
  return [[item.name for item in collected], nodes, [(value.tag, value.simple_value) for value in messages]]


def program_model_analyzer(tf):
  analyzer = _slim(tf).model_analyzer
  with tf.variable_scope("scope"):
    v = tf.get_variable("v", [3, 4], initializer=tf.zeros_initializer())
    tf.get_variable("w", [], dtype=tf.int64, initializer=tf.zeros_initializer())
  p = tf.placeholder(tf.float32, [None, 2], name="p")
  tf.unique(tf.constant([1, 2]))
  out = io.StringIO()
  with contextlib.redirect_stdout(out):
    sizes = analyzer.analyze_vars(tf.global_variables(), print_info=True)
    elements = analyzer.analyze_ops(tf.get_default_graph(), print_info=True)
  quiet = [analyzer.analyze_vars([v]), analyzer.analyze_ops(tf.get_default_graph())]
  return [sizes, elements, quiet, out.getvalue(), analyzer.tensor_description(v), analyzer.tensor_description(p)]
