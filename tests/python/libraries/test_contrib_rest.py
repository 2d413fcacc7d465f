"""Small parts of tf.contrib: copied graphs, lists of ops, activations and losses, older summaries, testing, objects in checkpoints."""

import os
import unittest

import numpy as np
import pytest

import millrace as tf

nn = tf.contrib.nn


def run(tensors, feed=None):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(tensors, feed)


# copy_graph


def test_a_graph_is_copied():
  copy = tf.contrib.copy_graph
  x = tf.placeholder(tf.float32, [2], name="x")
  w = tf.Variable([3.0, 4.0], name="w")
  fixed = tf.Variable(1.0, trainable=False, name="fixed", collections=["mine"])
  with tf.control_dependencies([tf.no_op(name="before")]):
    y = tf.reduce_sum(x * w, name="y")
  target = tf.Graph()
  w_copy = copy.copy_variable_to_graph(w, target, scope="other")
  fixed_copy = copy.copy_variable_to_graph(fixed, to_graph=target)
  y_copy = copy.copy_op_to_graph(y, target, [w_copy], scope="other")
  assert w_copy.op.name == "other/w" and y_copy.name == "other/y:0" and fixed_copy.op.name == "fixed"
  assert target.get_collection("trainable_variables") == [w_copy] and target.get_collection("mine") == [fixed_copy]
  assert [op.name for op in target.get_operation_by_name("other/mul").control_inputs] == ["other/before"]
  assert copy.copy_op_to_graph(y.op, to_graph=target, variables=[w_copy], scope="other") is y_copy.op
  assert copy.get_copied_op(y, target, scope="other") is y_copy and copy.get_copied_op(w, target, "other") is w_copy.op
  with tf.Session(graph=target) as session:
    session.run([w_copy.initializer])
    assert session.run(y_copy, {"other/x:0": [1.0, 2.0]}) == 11.0
  with pytest.raises(TypeError, match="is not a Variable"):
    copy.copy_variable_to_graph(y, target)
  with pytest.raises(TypeError, match="Could not copy instance"):
    copy.copy_op_to_graph("y", target, [])


# util


def test_ops_of_a_graph():
  util = tf.contrib.util
  x = tf.constant(1.0)
  tf.data.Dataset.range(3).map(lambda n: tf.cast(n, tf.float32) * x).make_one_shot_iterator()
  graph_def = tf.get_default_graph().as_graph_def()
  used = util.ops_used_by_graph_def(graph_def)
  assert {"Const", "OneShotIterator"} <= used and not used & {function.signature.name for function in graph_def.library.function}
  stripped = util.stripped_op_list_for_graph(graph_def=graph_def)
  assert [op.name for op in stripped.op] == sorted(used)
  graph_def.node.add(name="unknown", op="NobodyKnowsThisOp")
  with pytest.raises(RuntimeError, match="NobodyKnowsThisOp"):
    util.stripped_op_list_for_graph(graph_def)
  assert util.constant_value(x) == 1.0
  assert util.make_ndarray(util.make_tensor_proto([1, 2])).tolist() == [1, 2]


# nn


def test_scaled_softplus():
  x = np.array([-2.0, 0.0, 3.0], np.float32)
  plain, clipped = nn.scaled_softplus(x, 2.0), nn.scaled_softplus(x, alpha=[1.0, 2.0, 3.0], clip=1.5, name="clipped")
  values = run([plain, clipped])
  np.testing.assert_allclose(values[0], 2 * np.log1p(np.exp(x / 2)), rtol=1e-5)
  a = np.array([1.0, 2.0, 3.0])
  np.testing.assert_allclose(values[1], np.minimum(a * np.log1p(np.exp(x / a)), 1.5), rtol=1e-5)


def test_alpha_dropout():
  x = tf.constant(np.random.RandomState(0).normal(size=[400, 50]).astype(np.float32))
  dropped = nn.alpha_dropout(x, 0.8, seed=3, name="mine")
  columns = nn.alpha_dropout(tf.ones([5, 4]), keep_prob=tf.constant(0.5), noise_shape=[1, 4], seed=1)
  values = run([dropped, columns])
  # Mean and variance stay, and one value is that of the dropped elements.
  assert abs(values[0].mean()) < 0.05 and abs(values[0].std() - 1.0) < 0.05
  kinds, counts = np.unique(values[0], return_counts=True)
  limit = -1.7580993408473766
  a = (0.8 + limit**2 * 0.8 * 0.2) ** -0.5
  np.testing.assert_allclose(kinds[counts.argmax()], a * limit - a * 0.2 * limit, rtol=1e-4)
  assert abs(counts.max() / values[0].size - 0.2) < 0.02
  assert (values[1] == values[1][:1]).all()
  assert nn.alpha_dropout(x, 1.0) is x
  with pytest.raises(ValueError, match="keep_prob"):
    nn.alpha_dropout(x, 0.0)


def test_flipped_losses():
  logits, one_hot = tf.constant([[1.0, 2.0], [3.0, 0.0]]), tf.constant([[0.0, 1.0], [1.0, 0.0]])
  pairs = [
    (
      nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, one_hot, dim=0, name="a"),
      tf.nn.softmax_cross_entropy_with_logits(labels=one_hot, logits=logits, dim=0),
    ),
    (
      nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, labels=[1, 0], name="b"),
      tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=logits),
    ),
    (
      nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, targets=one_hot, name="c"),
      tf.nn.sigmoid_cross_entropy_with_logits(labels=one_hot, logits=logits),
    ),
  ]
  for one, other in run(pairs):
    np.testing.assert_array_equal(one, other)


def test_sampled_losses():
  numbers = np.random.RandomState(0)
  weights, biases = numbers.normal(size=[6, 3]).astype(np.float32), numbers.normal(size=6).astype(np.float32)
  inputs, labels = numbers.normal(size=[2, 3]).astype(np.float32), np.array([[1], [4]], np.int64)
  counts = np.array([[0.5], [0.25]], np.float32)
  sampled = (tf.constant([0, 3, 5], tf.int64), tf.constant(counts), tf.constant([0.1, 0.2, 0.3]))
  sparse = nn.sampled_sparse_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    3,
    6,
    sampled_values=sampled,
    remove_accidental_hits=False,
    partition_strategy="div",
    name="s",
  )
  ranked = nn.rank_sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled=3,
    num_resampled=2,
    num_classes=6,
    num_true=1,
    sampled_values=sampled,
    resampling_temperature=2.0,
    remove_accidental_hits=False,
    partition_strategy="div",
    name="r",
  )
  drawn = nn.rank_sampled_softmax_loss(weights, biases, labels, inputs, 4, 4, 6, 1, None, 1.0, True, "mod")

  def loss(classes, expected):
    logits = inputs @ weights[classes].T + biases[classes] - np.log(expected)
    true = (inputs * weights[labels[:, 0]]).sum(1) + biases[labels[:, 0]] - np.log(counts[:, 0])
    every = np.concatenate([true[:, None], logits], 1)
    return np.log(np.exp(every).sum(1)) - true

  classes, expected = np.array([0, 3, 5]), np.array([0.1, 0.2, 0.3])
  strength = np.log(np.exp((inputs @ weights[classes].T + biases[classes]) / 2.0).sum(0))
  best = np.argsort(-strength)[:2]
  values = run([sparse, ranked, drawn])
  np.testing.assert_allclose(values[0], loss(classes, expected), rtol=1e-4)
  np.testing.assert_allclose(values[1], loss(classes[best], expected[best]), rtol=1e-4)
  assert values[2].shape == (2,) and (values[2] > 0).all()
  with pytest.raises(ValueError, match="num_resampled"):
    nn.rank_sampled_softmax_loss(weights, biases, labels, inputs, 2, 3, 6, 1, None, 1.0, True, "mod")


def test_names_of_the_core():
  assert run(nn.nth_element(tf.constant([3, 1, 2]), 1)) == 2
  value = nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2)
  assert run(value).reshape(-1).tolist() == [1.0, 1.0, 1.0, 1.0]
  assert tf.contrib.staging.StagingArea is tf.contrib.staging.StagingArea
  area = tf.contrib.staging.StagingArea([tf.float32], shapes=[[]])
  with tf.Session() as session:
    session.run(area.put([tf.constant(4.0)]))
    assert session.run(area.get())[0] == 4.0
  seed = tf.constant([1, 2])
  pairs = [
    (tf.contrib.stateless.stateless_uniform([3], seed), tf.random.stateless_uniform([3], seed)),
    (tf.contrib.stateless.stateless_normal([3], seed), tf.random.stateless_normal([3], seed)),
    (tf.contrib.stateless.stateless_truncated_normal([3], seed), tf.random.stateless_truncated_normal([3], seed)),
    (
      tf.contrib.stateless.stateless_multinomial([[1.0, 2.0]], 4, seed),
      tf.random.stateless_multinomial([[1.0, 2.0]], 4, seed),
    ),
  ]
  for one, other in run(pairs):
    np.testing.assert_array_equal(one, other)
  quantization = tf.contrib.quantization
  assert quantization.quantized_relu is not None and quantization.quantized_matmul is not None
  quantized = quantization.quantize_v2(tf.constant([0.0, 1.0]), 0.0, 1.0, tf.quint8)
  np.testing.assert_allclose(run(quantization.dequantize(*quantized)), [0.0, 1.0])


# Older summaries


def test_summaries_from_before_1_0(tmp_path):
  old = tf.contrib.deprecated
  old.scalar_summary(["a", "b"], [1.0, 2.0], name="s")
  old.histogram_summary("h", [1.0, 2.0], name="hist")
  old.image_summary("i", tf.zeros([3, 2, 2, 1]), max_images=2, name="img")
  old.audio_summary("u", tf.zeros([2, 8]), 8000.0, max_outputs=1, name="aud")
  other = old.scalar_summary("c", 3.0, collections=["mine"])
  assert tf.get_collection("mine") == [other] and len(tf.get_collection("summaries")) == 4
  merged = old.merge_summary([other, other], collections=["merged"], name="m")
  assert tf.get_collection("merged") == [merged] and merged.op.name == "m/m"
  tags = [value.tag for value in tf.Summary.FromString(run(old.merge_all_summaries())).value]
  assert tags == ["a", "b", "h", "i/image/0", "i/image/1", "u/audio"]
  assert old.merge_all_summaries(key="nothing") is None
  twice = [
    old.histogram_summary("h", [1.0], collections=["x"]),
    old.image_summary("i", tf.zeros([1, 2, 2, 1]), collections=["x"]),
    old.audio_summary("u", tf.zeros([2, 8]), 8000.0, collections=["x"]),
  ]
  assert tf.get_collection("x") == twice


# testing


def test_summaries_in_tests(tmp_path):
  testing = tf.contrib.testing
  folder = str(tmp_path)
  assert testing.latest_event_file(folder) is None and testing.latest_events(folder) == []
  with tf.summary.FileWriter(folder) as writer:
    for step in (1, 2):
      writer.add_summary(run(tf.summary.scalar("loss", step * 2.0)), step)
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.STOP))
  assert os.path.dirname(testing.latest_event_file(folder)) == folder
  events = testing.latest_summaries(folder)
  tags = [event.summary.value[0].tag for event in events]
  assert len(testing.latest_events(folder)) == len(events) + 2 == 4
  assert testing.simple_values_from_events(events, tags[:1]) == {1: {tags[0]: 2.0}}
  proto = testing.to_summary_proto(events[0].summary.SerializeToString())
  testing.assert_summary([tags[0]], {tags[0]: 2.0}, proto)
  for expected, numbers in ((["x"], {}), ([tags[0]], {tags[0]: 3.0}), ([tags[0]], {"x": 1.0})):
    with pytest.raises(AssertionError):
      testing.assert_summary(expected, numbers, proto)


def test_a_fake_writer():
  writer_class = tf.contrib.testing.FakeSummaryWriter
  assert tf.contrib.testing.FakeFileWriter is writer_class
  case = unittest.TestCase()
  writer_class.install()
  try:
    with pytest.raises(ValueError, match="already installed"):
      writer_class.install()
    writer = tf.summary.FileWriterCache.get("somewhere")
    assert isinstance(writer, writer_class) and writer.get_logdir() == "somewhere"
    value = tf.Summary.Value(tag="t", simple_value=2.0)
    writer.add_summary(tf.Summary(value=[value]).SerializeToString(), 1)
    writer.add_event(tf.Event(step=2, summary=tf.Summary(value=[value])))
    writer.add_graph("graph")
    writer.add_meta_graph("meta")
    writer.add_session_log("log", 1)
    writer.add_run_metadata("metadata", "tag")
    writer.flush()
    writer.close()
    writer.reopen()
    assert sorted(writer.summaries) == [1, 2]
    writer.assert_summaries(
      case,
      expected_logdir="somewhere",
      expected_graph=tf.get_default_graph(),
      expected_summaries={1: {"t": 2.0}, 2: {"t": 2.0}},
      expected_added_graphs=["graph"],
      expected_added_meta_graphs=["meta"],
      expected_session_logs=["log"],
    )
    with pytest.raises(AssertionError):
      writer.assert_summaries(case, expected_summaries={3: {}})
    with pytest.raises(ValueError, match="global_step"):
      writer.add_graph("graph", global_step=-1)
    with pytest.raises(ValueError, match="graph_def"):
      writer.add_graph("graph", graph_def="x")
  finally:
    writer_class.uninstall()
  with pytest.raises(ValueError, match="not installed"):
    writer_class.uninstall()


# The projector


def test_the_projector(tmp_path):
  from google.protobuf import text_format

  projector = tf.contrib.tensorboard.plugins.projector
  config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt")
  embedding = config.embeddings.add()
  embedding.tensor_name, embedding.metadata_path = "words:0", "words.tsv"
  embedding.sprite.image_path = "sprite.png"
  embedding.sprite.single_image_dim.extend([28, 28])
  writer = tf.summary.FileWriter(str(tmp_path))
  projector.visualize_embeddings(writer, config=config)
  with open(tmp_path / "projector_config.pbtxt", encoding="ascii") as file:
    text = file.read()
  assert text_format.Parse(text, projector.ProjectorConfig()) == config and 'tensor_name: "words:0"' in text
  assert isinstance(embedding, projector.EmbeddingInfo) and isinstance(embedding.sprite, projector.SpriteMetadata)

  class NoFolder:
    def get_logdir(self):
      return None

  with pytest.raises(ValueError, match="must have a logdir"):
    projector.visualize_embeddings(NoFolder(), config)


# Objects in checkpoints


class _Layer(tf.contrib.checkpoint.Checkpointable):
  def __init__(self, value):
    self.w = tf.Variable(value)
    self.hidden = tf.contrib.checkpoint.NoDependency(tf.Variable(0.0))
    self.name = "layer"


def test_objects_are_saved(tmp_path):
  contrib = tf.contrib.checkpoint

  class Model(contrib.Checkpointable):
    def __init__(self, value):
      self.layers = contrib.List([_Layer(value), _Layer(value + 1)])
      self.by_name = contrib.Mapping(first=_Layer(value + 2))
      self.names = contrib.UniqueNameTracker()
      self.names.track(tf.Variable(value + 3), "v")
      self.second = contrib.NoDependency(self.names.track(tf.Variable(value + 4), base_name="v"))
      self.state = ["none"]
      self.kept = contrib.PythonStateWrapper(lambda: self.state[0], self._restore)

    def _restore(self, text):
      self.state[0] = text

  assert contrib.CheckpointableBase is contrib.Checkpointable
  model = Model(1.0)
  model.state[0] = b"state"
  checkpoint = tf.train.Checkpoint(model=model)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = checkpoint.save(str(tmp_path / "model"), session=session)
  names = sorted(name for name, _ in tf.train.list_variables(path) if name.startswith("model/"))
  value = "/.ATTRIBUTES/VARIABLE_VALUE"
  assert names == [
    "model/by_name/first/w" + value,
    "model/kept/.ATTRIBUTES/py_state",
    "model/layers/0/w" + value,
    "model/layers/1/w" + value,
    "model/names/v" + value,
    "model/names/v_1" + value,
  ]
  assert any(found is model.second for found in contrib.list_objects(model)) and contrib.list_objects(model)[0] is model
  tf.reset_default_graph()
  other = Model(50.0)
  with tf.Session() as session:
    status = tf.train.Checkpoint(model=other).restore(path)
    status.initialize_or_restore(session)
    values = session.run([layer.w for layer in other.layers] + [other.by_name["first"].w, other.second])
  assert values == [1.0, 2.0, 3.0, 5.0] and other.state[0] == b"state"
  metadata = contrib.object_metadata(path)
  assert isinstance(metadata, contrib.CheckpointableObjectGraph) and len(metadata.nodes) > 6
  assert 'label="layers"' in contrib.dot_graph_from_checkpoint(path)


def test_structures_that_only_grow():
  contrib = tf.contrib.checkpoint
  made = contrib.List([1])
  made.append(2)
  assert made == [1, 2] and made[1:] == [2] and made + [3] == [1, 2, 3] and [0] + made == [0, 1, 2] and len(made) == 2
  for change in (lambda: made.__setitem__(0, 5), lambda: made.pop(), lambda: made.insert(0, 3)):
    with pytest.raises(ValueError):
      change()
  mapping = contrib.Mapping({"a": 1}, b=2)
  mapping.update(c=3)
  assert dict(mapping) == {"a": 1, "b": 2, "c": 3} and "a" in repr(mapping) and "1" in repr(made)
  with pytest.raises(ValueError, match="append-only"):
    mapping["a"] = 9
  with pytest.raises(TypeError, match="string keys"):
    mapping[1] = 2
  with pytest.raises(ValueError, match="can be saved"):
    contrib.UniqueNameTracker().track(3, "x")


def test_checkpoints_without_objects(tmp_path):
  tf.Variable(1.0)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(session, str(tmp_path / "plain"))
  with pytest.raises(ValueError, match="object-based"):
    tf.contrib.checkpoint.object_metadata(path)


def test_signatures_by_key():
  meta_graph = tf.MetaGraphDef()
  meta_graph.signature_def["serving"].method_name = "m"
  for module in (tf.contrib.saved_model, tf.contrib.saved_model.signature_def_utils):
    assert module.get_signature_def_by_key(meta_graph, "serving").method_name == "m"
  with pytest.raises(ValueError, match="No SignatureDef with key 'x'"):
    tf.contrib.saved_model.get_signature_def_by_key(meta_graph, signature_def_key="x")


def test_messages_within_strings():
  text = tf.contrib.proto.encode_proto_op(
    sizes=[[1]],
    values=[tf.constant([[5]], tf.int64)],
    field_names=["value"],
    message_type="tensorflow.Int64List",
    descriptor_source="local://",
  )
  _, values = tf.contrib.proto.decode_proto_op(
    text, message_type="tensorflow.Int64List", field_names=["value"], output_types=[tf.int64]
  )
  with tf.Session() as session:
    assert session.run(values[0]).tolist() == [[5]]


def _projected(row):
  """The sparsemax of a row, by its definition: the threshold is found by halving."""
  low, high = row.min() - 1.0, row.max()
  for _ in range(200):
    middle = (low + high) / 2
    low, high = (middle, high) if np.maximum(row - middle, 0).sum() > 1 else (low, middle)
  return np.maximum(row - low, 0)


def test_the_nearest_points_of_a_simplex():
  rng = np.random.RandomState(0)
  logits = rng.randn(5, 4) * 2 + 10
  labels = np.eye(4)[[0, 1, 2, 3, 0]]
  z = tf.constant(logits)
  p = tf.contrib.sparsemax.sparsemax(z, name="p")
  loss = tf.contrib.sparsemax.sparsemax_loss(z, p, labels, name="loss")
  grad = tf.gradients(loss, z)[0]
  nan = float("nan")
  odd = tf.contrib.sparsemax.sparsemax([[0.0, -np.inf, 0.5], [np.inf, 1.0, 0.0], [nan, 1.0, 0.0], [-np.inf] * 3])
  with tf.Session() as session:
    values, losses, grads, odd = session.run([p, loss, grad, odd])
  expected = np.array([_projected(row) for row in logits])
  np.testing.assert_allclose(values, expected, atol=1e-9)
  assert (values == 0).any() and p.op.name.startswith("p/")
  # The loss's gradient is the difference of both distributions; it is 0 for labels that are the projection.
  np.testing.assert_allclose(grads, expected - labels, atol=1e-9)
  support = expected > 0
  threshold = [(row[keep].sum() - 1) / keep.sum() for row, keep in zip(logits, support)]
  by_formula = [
    -row[label.argmax()] + 0.5 * (row[keep] ** 2 - t**2).sum() + 0.5
    for row, keep, t, label in zip(logits, support, threshold, labels)
  ]
  np.testing.assert_allclose(losses, by_formula, rtol=1e-6, atol=1e-9)
  np.testing.assert_allclose(odd, [[0.25, 0.0, 0.75], [nan] * 3, [nan] * 3, [nan] * 3], atol=1e-6)


def test_older_names_of_signals():
  names = [name for name in dir(tf.contrib.signal) if not name.startswith("_")]
  assert len(names) == 9 and all(getattr(tf.contrib.signal, name) is getattr(tf.signal, name) for name in names)


# Names that are not offered


def test_what_is_not_offered_says_so_by_name():
  from millrace.api.tables import read_lines, tables

  for name in ("memory_stats", "ffmpeg", "hadoop", "tensor_forest", "cloud"):
    with pytest.raises(AttributeError, match=r"tf\.contrib\.%s is not part of Millrace\. \w+" % name):
      getattr(tf.contrib, name)
  with pytest.raises(ModuleNotFoundError, match=r"tf\.contrib\.ffmpeg is not part|Use "):
    __import__("millrace.contrib.ffmpeg.python")
  file = os.path.join(os.path.dirname(tf.__file__), "api", "contrib_rest_absent.txt")
  names = [name for name, _ in read_lines(file)]
  assert len(names) > 35 and not [name for name in names if name in tables().places]
