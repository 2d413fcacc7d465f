"""tensorflow.tools.graph_transforms: a transformed graph gives the values of the one that it was made of."""

import importlib

import numpy as np
import pytest

import millrace as tf

TransformGraph = importlib.import_module("millrace.tools.graph_transforms").TransformGraph
RANDOM = np.random.RandomState(0)
IMAGES = RANDOM.rand(2, 8, 8, 3).astype(np.float32)


def drawn(*shape):
  return RANDOM.rand(*shape).astype(np.float32)


def made(build):
  """The GraphDef of what a function builds."""
  with tf.Graph().as_default() as graph:
    build()
  return graph.as_graph_def()


def run(graph_def, outputs="out:0", feeds=None):
  with tf.Graph().as_default() as graph:
    tf.import_graph_def(graph_def, name="")
  with tf.Session(graph=graph) as session:
    return session.run(outputs, feeds)


def ops(graph_def):
  return sorted(node.op for node in graph_def.node)


def same(graph_def, transforms, feeds=None, inputs=("x",), outputs=("out",), atol=1e-5):
  """The transformed graph, which has to give the same values."""
  before = graph_def.SerializeToString(deterministic=True)
  changed = TransformGraph(graph_def, list(inputs), list(outputs), transforms if isinstance(transforms, list) else [transforms])
  assert graph_def.SerializeToString(deterministic=True) == before
  assert changed.versions == graph_def.versions
  names = [name + ":0" for name in outputs]
  for got, wanted in zip(run(changed, names, feeds), run(graph_def, names, feeds)):
    np.testing.assert_allclose(got, wanted, atol=atol)
  return changed


def node(graph_def, name):
  return next(one for one in graph_def.node if one.name == name)


def layers():
  """A convolution, its normalization by a factor and a product, beside what nothing needs."""
  x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
  h = tf.nn.conv2d(x, tf.constant(drawn(3, 3, 3, 4), name="filters"), [1, 2, 2, 1], "SAME", name="conv")
  h = tf.identity(h * tf.constant(drawn(4)), name="same")
  h = tf.nn.relu(h + tf.constant(drawn(4)))
  h = tf.matmul(tf.reshape(h, [-1, 64]), tf.constant(drawn(64, 20), name="weights")) * tf.constant(drawn(20))
  tf.nn.softmax(h, name="out")
  tf.square(x, name="unused")


FEEDS = {"x:0": IMAGES}


def test_unused_nodes():
  graph_def = made(layers)
  changed = same(graph_def, "strip_unused_nodes", FEEDS)
  assert "unused" not in {one.name for one in changed.node}
  text = (
    'strip_unused_nodes(name=same, type_for_name=float, shape_for_name="2,4,4,4", name=x, type_for_name=int32, shape_for_name="")'
  )
  cut = TransformGraph(graph_def, ["same"], ["out"], [text])
  assert node(cut, "same").op == "Placeholder" and "x" not in {one.name for one in cut.node}
  assert [one.size for one in node(cut, "same").attr["shape"].shape.dim] == [2, 4, 4, 4]
  inner = run(graph_def, "same:0", FEEDS)
  np.testing.assert_allclose(run(cut, feeds={"same:0": inner}), run(graph_def, feeds=FEEDS), atol=1e-6)
  typed = TransformGraph(graph_def, ["x"], ["out"], ['strip_unused_nodes(type=half, shape="1,8,8,3")'])
  assert node(typed, "x").attr["dtype"].type == tf.float16.as_datatype_enum
  with pytest.raises(tf.errors.InvalidArgumentError, match="for each name"):
    TransformGraph(graph_def, ["x"], ["out"], ["strip_unused_nodes(name=x, name=y, type_for_name=float)"])


def test_nodes_that_go():
  changed = same(made(layers), "remove_nodes(op=Identity, op=CheckNumerics)", FEEDS)
  assert "Identity" not in ops(changed)

  def chain():
    x = tf.placeholder(tf.float32, [2], name="x")
    first = tf.identity(x)
    second = tf.identity(tf.check_numerics(first, "bad"), name="second")
    with tf.control_dependencies([second]):
      waits = tf.identity(x * 2.0)
    tf.identity(waits + second, name="out")

  feeds = {"x:0": [1.0, 2.0]}
  changed = same(made(chain), "remove_nodes(op=Identity, op=CheckNumerics)", feeds)
  # Outputs stay; the node that others wait for leaves them to wait for its input.
  assert [one.name for one in changed.node if one.op == "Identity"] == ["out"]
  assert [name for one in changed.node for name in one.input if name.startswith("^")] == ["^x"]
  assert "Mul" not in ops(TransformGraph(made(chain), ["x"], ["out"], ["remove_nodes(op=Mul, max_inputs=2)"]))
  with pytest.raises(tf.errors.InvalidArgumentError, match="at least one op"):
    TransformGraph(made(chain), ["x"], ["out"], ["remove_nodes"])


def test_attributes_ops_and_devices():
  def build():
    with tf.device("/cpu:0"):
      x = tf.placeholder(tf.float32, [2], name="x")
    tf.identity(tf.nn.relu(x) + 1.0, name="out")

  graph_def, feeds = made(build), {"x:0": [1.0, -2.0]}
  assert [one.device for one in same(graph_def, "remove_device", feeds).node] == [""] * 5
  devices = [one.device for one in same(graph_def, 'set_device(device="/device:CPU:0", if_default=true)', feeds).node]
  assert len(devices) == 5 and set(devices) <= {"/device:CPU:0"}
  assert {one.device for one in same(graph_def, "set_device", feeds).node} == {""}
  marked = TransformGraph(graph_def, ["x"], ["out"], ["rename_attribute(old_attribute_name=shape, new_attribute_name=_shape)"])
  assert "_shape" in node(marked, "x").attr and "shape" not in node(marked, "x").attr
  kept = TransformGraph(graph_def, [], [], ["rename_attribute(old_attribute_name=shape, new_attribute_name=_s, op_name=Relu)"])
  assert "shape" in node(kept, "x").attr
  same(marked, ["remove_attribute(attribute_name=_shape, op_name=Placeholder)"], feeds)
  absent = TransformGraph(graph_def, [], [], ["remove_attribute(attribute_name=shape)"])
  assert "shape" not in node(absent, "x").attr
  again = same(absent, "add_default_attributes", feeds)
  assert node(again, "x").attr["shape"].shape.unknown_rank
  negative = TransformGraph(graph_def, [], ["out"], ["rename_op(old_op_name=Relu, new_op_name=Neg)"])
  np.testing.assert_array_equal(run(negative, feeds=feeds), [0.0, 3.0])
  for text in ("rename_op(old_op_name=Relu)", "remove_attribute", "set_device(if_default=perhaps)"):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text.split("(")[0]):
      TransformGraph(graph_def, [], ["out"], [text])


def test_orders_and_names():
  graph_def = made(layers)
  backwards = tf.GraphDef(versions=graph_def.versions)
  backwards.node.extend(reversed(graph_def.node))
  changed = same(backwards, "sort_by_execution_order", FEEDS)
  place = {one.name: i for i, one in enumerate(changed.node)}
  assert all(place[name] < place[one.name] for one in changed.node for name in one.input)
  short = same(graph_def, "obfuscate_names", FEEDS)
  names = {one.name for one in short.node}
  assert {"x", "out"} <= names and all(len(name) <= 2 for name in names - {"out"})

  def loop():
    x = tf.placeholder(tf.float32, [], name="x")
    tf.identity(tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * 2.0), [0, x])[1], name="out")

  feeds = {"x:0": 3.0}
  changed = same(made(loop), ["sort_by_execution_order", "obfuscate_names", "merge_duplicate_nodes", "fold_constants"], feeds)
  assert run(changed, feeds=feeds) == 48.0


def test_duplicates():
  def build():
    x = tf.placeholder(tf.float32, [2], name="x")
    two = [tf.exp(x * tf.constant(2.0)), tf.exp(x * tf.constant(2.0))]
    tf.random_uniform([1], name="r1"), tf.random_uniform([1], name="r2")
    tf.add(*two, name="out")
    tf.add(*two, name="other")

  graph_def, feeds = made(build), {"x:0": [1.0, 2.0]}
  changed = same(graph_def, "merge_duplicate_nodes", feeds, outputs=["out", "other"])
  assert ops(changed).count("Exp") == ops(changed).count("Mul") - ops(graph_def).count("Mul") + 2 == 1
  assert ops(changed).count("RandomUniform") == 2 and ops(changed).count("Add") == ops(graph_def).count("Add")


def test_constants():
  def build():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    parts = tf.split(tf.constant(drawn(2, 4)) * 2.0, 2)
    scale = tf.identity(tf.sqrt(parts[0]) + parts[1] + tf.zeros([4]), name="scale")
    noise = tf.random_uniform([4], 0.0, 0.0)
    tf.add(x * scale, parts[1] + noise, name="out")
    tf.square(x, name="unused")

  graph_def, feeds = made(build), {"x:0": drawn(3, 4)}
  changed = same(graph_def, "fold_constants(ignore_errors=true)", feeds)
  assert not {"Split", "Sqrt", "Square", "Identity"} & set(ops(changed)) and "RandomUniform" in ops(changed)
  assert node(changed, "scale").op == "Const"
  # What is fed stays, and so does what it is computed of.
  cut = same(graph_def, "fold_constants", feeds, inputs=["x", "scale"])
  assert node(cut, "scale").op == "Identity"
  # Of constants alone the output is one.
  alone = same(graph_def, "fold_constants", inputs=[], outputs=["scale"])
  assert ops(alone) == ["Const"]

  def shaped():
    tf.identity(tf.placeholder(tf.float32, [2], name="x"), name="out")

  with tf.Graph().as_default() as graph:
    shaped()
  with_shapes = graph.as_graph_def(add_shapes=True)
  for text, there in (("fold_constants", False), ("fold_constants(clear_output_shapes=false)", True)):
    assert ("_output_shapes" in node(same(with_shapes, text, {"x:0": [1.0, 2.0]}), "out").attr) == there


def test_factors_go_into_weights():
  changed = same(made(layers), "fold_batch_norms", FEEDS)
  # One factor is behind an identity-free convolution, one behind the product.
  assert "Mul" not in ops(changed)

  def depthwise():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    h = tf.nn.depthwise_conv2d(x, tf.constant(drawn(3, 3, 3, 2)), [1, 1, 1, 1], "SAME")
    h = h * tf.constant(drawn(6))
    filters = tf.constant(drawn(1, 1, 6, 2), name="shared")
    a = tf.nn.conv2d(h, filters, [1, 1, 1, 1], "SAME") * tf.constant([2.0, 3.0])
    b = tf.nn.conv2d(h, filters, [1, 1, 1, 1], "SAME", name="kept")
    tf.add(a, b * tf.constant(drawn(8, 8, 2)), name="out")

  changed = same(made(depthwise), "fold_batch_norms", FEEDS)
  assert ops(changed).count("Mul") == 1


@pytest.mark.parametrize("depthwise", [False, True])
def test_old_batch_norms(depthwise):
  def build():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    if depthwise:
      h = tf.nn.depthwise_conv2d(x, tf.constant(drawn(3, 3, 3, 1)), [1, 1, 1, 1], "SAME")
    else:
      h = tf.nn.conv2d(x, tf.constant(drawn(3, 3, 3, 3)), [1, 1, 1, 1], "SAME")
    h = tf.nn.batch_norm_with_global_normalization(h, *(tf.constant(drawn(3)) for _ in range(4)), 1e-3, True)
    h = tf.nn.conv2d(h, tf.constant(drawn(3, 3, 3, 3)), [1, 1, 1, 1], "SAME", name="second")
    h = tf.nn.fused_batch_norm(h, *(tf.constant(drawn(3)) for _ in range(4)), is_training=False)[0]
    tf.nn.relu(h, name="out")

  changed = same(made(build), ["fold_constants", "fold_old_batch_norms"], FEEDS, atol=1e-4)
  assert not [op for op in ops(changed) if "Norm" in op] and "BiasAdd" in ops(changed)
  kept = same(made(build), "fold_old_batch_norms", FEEDS, outputs=["out", "second"], atol=1e-4)
  assert [op for op in ops(kept) if "FusedBatchNorm" in op]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("depthwise", [False, True])
def test_atrous_convolutions(padding, depthwise):
  def build():
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")
    pads = [[2, 2], [2, 2]] if padding == "SAME" else [[0, 0], [0, 0]]
    h = tf.space_to_batch_nd(x, [2, 2], pads)
    if depthwise:
      h = tf.nn.depthwise_conv2d_native(h, tf.constant(drawn(3, 3, 3, 2)), [1, 1, 1, 1], "VALID")
    else:
      h = tf.nn.conv2d(h, tf.constant(drawn(3, 3, 3, 4)), [1, 1, 1, 1], "VALID")
    tf.identity(tf.batch_to_space_nd(h, [2, 2], [[0, 0], [0, 0]]), name="out")

  changed = same(made(build), "flatten_atrous_conv", FEEDS)
  assert "SpaceToBatchND" not in ops(changed) and "BatchToSpaceND" not in ops(changed)
  (moved,) = [one for one in changed.node if "onv2" in one.op]
  assert moved.attr["padding"].s.decode() == padding


def test_weights():
  graph_def = made(layers)
  rounded = same(graph_def, "round_weights(num_steps=100)", FEEDS, atol=0.05)
  values = tf.make_ndarray(node(rounded, "weights").attr["value"].tensor)
  assert 16 < len(np.unique(values)) <= 101
  before = tf.make_ndarray(node(graph_def, "weights").attr["value"].tensor)
  np.testing.assert_allclose(values, before, atol=(before.max() - before.min()) / 199)
  bytes_of = same(graph_def, "quantize_weights(minimum_size=200)", FEEDS, atol=0.05)
  assert ops(bytes_of).count("Dequantize") == 1 and node(bytes_of, "weights").op == "Dequantize"
  np.testing.assert_allclose(run(bytes_of, "weights:0"), before, atol=1.0 / 255)
  assert bytes_of.ByteSize() < graph_def.ByteSize() - 2.5 * before.size
  assert "Dequantize" not in ops(same(graph_def, "quantize_weights(minimum_size=100000)", FEEDS))
  with pytest.raises(tf.errors.InvalidArgumentError, match="num_steps"):
    TransformGraph(graph_def, ["x"], ["out"], ["round_weights(num_steps=0)"])


def test_logging(capfd):
  graph_def = made(layers)
  changed = same(
    graph_def, 'insert_logging(op=Softmax, prefix=conv, message="seen", show_name=true, show_op=1, first_n=2)', FEEDS
  )
  assert ops(changed).count("Print") == 2 and node(changed, "out").op == "Print"
  capfd.readouterr()
  run(changed, feeds=FEEDS)
  said = capfd.readouterr().err
  assert "seen;Softmax;out" in said and "seen;Conv2D;conv" in said

  def parts():
    first, second = tf.split(tf.placeholder(tf.float32, [4], name="x"), 2)
    tf.add(first, second * 2.0, name="out")

  same(made(parts), "insert_logging(op=Split)", {"x:0": [1.0, 2.0, 3.0, 4.0]})
  with pytest.raises(tf.errors.InvalidArgumentError, match="op or prefix"):
    TransformGraph(graph_def, ["x"], ["out"], ["insert_logging"])


@pytest.mark.parametrize("mode", [None, "REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize("resized", [False, True])
def test_fused_convolutions(mode, resized):
  def build():
    h = tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")
    if resized:
      h = tf.image.resize_bilinear(h, [6, 5], align_corners=True)
    if mode is not None:
      h = tf.pad(h, [[0, 0], [1, 2], [2, 1], [0, 0]], mode)
    tf.nn.conv2d(h, tf.constant(drawn(3, 3, 3, 4)), [1, 2, 2, 1], "VALID", name="out")

  changed = same(made(build), "fuse_convolutions", FEEDS)
  fused = "FusedResizeAndPadConv2D" if resized else "Conv2D" if mode is None else "FusedPadConv2D"
  assert node(changed, "out").op == fused and "MirrorPad" not in ops(changed) and "ResizeBilinear" not in ops(changed)


def test_older_concats():
  def build():
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    tf.concat([x, x * 2.0], 1, name="out")

  changed = same(made(build), "backport_concatv2", {"x:0": [[1.0, 2.0], [3.0, 4.0]]})
  assert "ConcatV2" not in ops(changed) and "Concat" in ops(changed)


def test_many_transforms_as_bytes_and_tensors():
  graph_def = made(layers)
  transforms = [b"strip_unused_nodes(type=float)", "fold_constants(ignore_errors=true) fold_batch_norms\n quantize_weights"]
  changed = TransformGraph(graph_def, ["x:0"], [b"out:0"], transforms)
  np.testing.assert_allclose(run(changed, feeds=FEEDS), run(graph_def, feeds=FEEDS), atol=0.05)


def test_errors():
  graph_def = made(layers)
  for name in ("quantize_nodes", "freeze_requantization_ranges(min_max_log_file=log.txt)"):
    with pytest.raises(tf.errors.InvalidArgumentError, match="use millrace.parallel.quantized_graph"):
      TransformGraph(graph_def, ["x"], ["out"], [name])
    ignoring = name.split("(")[0] + "(ignore_errors=true)"
    assert TransformGraph(graph_def, ["x"], ["out"], [ignoring]).node == graph_def.node
  for texts, words in (
    (["sparsify"], "'sparsify' not recognized. There are: add_default"),
    (["strip_unused_nodes(type"], "an argument"),
    (["(a=b)"], "the name of a transform"),
    (["set_device(device=a, device=b)"], "exactly one device"),
    (["strip_unused_nodes(type=floaty)"], "no type floaty"),
    (["strip_unused_nodes(shape=a)"], "a shape is numbers"),
    (["quantize_weights(minimum_size=few)"], "whole number"),
  ):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
      TransformGraph(graph_def, ["x"], ["out"], texts)
  with pytest.raises(tf.errors.InvalidArgumentError, match="no node absent"):
    TransformGraph(graph_def, ["x"], ["absent"], ["strip_unused_nodes"])
