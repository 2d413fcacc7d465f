"""tensorflow.python.tools: graphs that are frozen, cut and folded, and checkpoints that are printed."""

import contextlib
import importlib
import io
import os
import tempfile

import numpy as np


def _tool(tf, name):
  package = "tensorflow.python.tools" if "tensorflow" in tf.__name__ else "millrace.compat.tools"
  return importlib.import_module(f"{package}.{name}")


def _error(call):
  try:
    return call()
  except Exception as error:  # noqa: BLE001
    return error


def _said(call, folder):
  """What a call prints."""
  out = io.StringIO()
  with contextlib.redirect_stdout(out):
    result = call()
  return out.getvalue().replace(folder, "").strip(), result


def _files(tf):
  """A folder with a model as graphs, checkpoint, meta graphs, saver and SavedModel."""
  folder = tempfile.mkdtemp()
  random = np.random.RandomState(0)
  with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [1, 4, 4, 2], name="x")
    w = tf.get_variable("w", initializer=tf.constant(random.randn(3, 3, 2, 3).astype(np.float32)))
    with tf.device("/cpu:0"):
      c = tf.nn.conv2d(x, w, 1, "SAME", name="conv")
    parts = [tf.constant(random.rand(3).astype(np.float32) + 0.5) for _ in range(4)]
    y, _, _ = tf.nn.fused_batch_norm(c, *parts, is_training=False, name="bn")
    tf.nn.relu(tf.identity(y, name="same"), name="z")
    counter = tf.get_variable("n", [], dtype=tf.int32, initializer=tf.ones_initializer())
    tf.identity(counter, name="count")
    saver = tf.train.Saver()
    definition = graph.as_graph_def()
    with tf.Session() as session:
      session.run(tf.global_variables_initializer())
      value = session.run("z:0", {"x:0": _input()})
      saver.save(session, folder + "/m")
      tf.assign(counter, 5, name="to_five")
      builder = tf.saved_model.builder.SavedModelBuilder(folder + "/saved")
      builder.add_meta_graph_and_variables(session, ["serve", "more"])
      builder.save()
  tf.train.write_graph(graph.as_graph_def(), folder, "g.pb", as_text=False)
  tf.train.write_graph(definition, folder, "g.pbtxt")
  with open(folder + "/saver.pb", "wb") as file:
    file.write(saver.as_saver_def().SerializeToString())
  return folder, value


def _input():
  return np.random.RandomState(1).randn(1, 4, 4, 2)


def _run(tf, graph_def, output="z:0"):
  with tf.Graph().as_default():
    (z,) = tf.import_graph_def(graph_def, return_elements=[output], name="")
    with tf.Session() as session:
      return session.run(z, {"x:0": _input()} if output == "z:0" else None)


def _nodes(graph_def):
  return [(node.name, node.op, list(node.input), node.device) for node in graph_def.node]


def program_freeze_graph(tf):
  folder, _ = _files(tf)
  freeze = _tool(tf, "freeze_graph").freeze_graph
  checkpoint, text, binary = folder + "/m", folder + "/g.pbtxt", folder + "/g.pb"
  frozen = freeze(binary, "", True, checkpoint, "z", "save/restore_all", "save/Const:0", folder + "/o.pb", True, "")
  with open(folder + "/o.pb", "rb") as file:
    written = tf.GraphDef.FromString(file.read())
  two = freeze(text, "", False, checkpoint, "z, count", "", "", "", False, "", "w")
  without = freeze(text, "", False, checkpoint, "count", None, None, None, False, "", "", "n")
  after = freeze(binary, "", True, checkpoint, "count", "", "", "", False, "to_five")
  by_saver = freeze(binary, folder + "/saver.pb", True, checkpoint, "z", "", "", "", False, "", checkpoint_version=1)
  by_meta = freeze("", "", True, checkpoint, "z", "", "", "", False, "", input_meta_graph=folder + "/m.meta")
  saved = freeze(
    "", "", True, "", "z", "", "", "", False, "", input_saved_model_dir=folder + "/saved", saved_model_tags="serve,more"
  )
  graphs = (frozen, two, without, after, by_saver, by_meta, saved)
  values = [_run(tf, one) for one in (frozen, written, by_saver, by_meta, saved)]
  return [_nodes(one) for one in graphs], values, _run(tf, after, "count:0")


def program_what_freezing_refuses(tf):
  folder, _ = _files(tf)
  freeze = _tool(tf, "freeze_graph").freeze_graph
  checkpoint, text = folder + "/m", folder + "/g.pbtxt"
  errors = [
    _error(lambda: freeze("nothing", "", False, checkpoint, "z", "", "", "", False, "")),
    _error(lambda: freeze(text, "", False, "nothing", "z", "", "", "", False, "")),
    _error(lambda: freeze(text, "", False, checkpoint, "", "", "", "", False, "")),
    _error(lambda: freeze(text, "nothing", False, checkpoint, "z", "", "", "", False, "")),
    _error(lambda: freeze(text, "", False, checkpoint, "other", "", "", "", False, "")),
  ]
  return [(type(error).__name__, str(error)[:45]) for error in errors]


def program_of_messages(tf):
  folder, value = _files(tf)
  with open(folder + "/g.pb", "rb") as file:
    graph_def = tf.GraphDef.FromString(file.read())
  freeze = _tool(tf, "freeze_graph").freeze_graph_with_def_protos
  frozen = freeze(graph_def, None, folder + "/m", "z", None, None, None, True, None, checkpoint_version=2)
  return _nodes(frozen), np.allclose(_run(tf, frozen), value)


def program_checkpoints_printed(tf):
  folder, _ = _files(tf)
  show = _tool(tf, "inspect_checkpoint").print_tensors_in_checkpoint_file
  checkpoint = folder + "/m"
  return [
    _said(lambda: show(checkpoint, "", True), folder),
    _said(lambda: show(file_name=checkpoint, tensor_name="", all_tensors=False, all_tensor_names=True), folder),
    _said(lambda: show(checkpoint, "n", False, count_exclude_pattern="^w"), folder),
    _said(lambda: show(checkpoint, "", False), folder),
    _said(lambda: show(checkpoint, "nothing", False), folder),
    _said(lambda: show(folder + "/none", "", False), folder),
  ]


def program_strip_unused(tf):
  folder, _ = _files(tf)
  library = _tool(tf, "strip_unused_lib")
  freeze = _tool(tf, "freeze_graph").freeze_graph
  frozen = freeze(folder + "/g.pb", "", True, folder + "/m", "z", "", "", folder + "/f.pb", False, "")
  one = library.strip_unused(frozen, ["conv"], ["z"], tf.float32.as_datatype_enum)
  two = library.strip_unused(frozen, ["x", "w/read"], ["z"], [tf.float32.as_datatype_enum, tf.float32.as_datatype_enum])
  from_files = library.strip_unused_from_files
  said = [
    _said(lambda: from_files(folder + "/f.pb", True, folder + "/s.pbtxt", False, "conv", "z", 1), folder),
    _said(lambda: from_files(folder + "/s.pbtxt", False, folder + "/s.pb", True, "bn", "z", 1), folder),
    _said(lambda: from_files(folder + "/nothing", True, folder + "/s.pb", True, "conv", "z", 1), folder),
    _said(lambda: from_files(folder + "/f.pb", True, folder + "/s.pb", True, "conv", "", 1), folder),
  ]
  with open(folder + "/s.pb", "rb") as file:
    written = tf.GraphDef.FromString(file.read())
  refused = [
    _error(lambda: library.strip_unused(frozen, ["q"], ["z"], 1)),
    _error(lambda: library.strip_unused(frozen, ["x"], ["q"], 1)),
  ]
  graphs = [(_nodes(graph), sorted(graph.node[0].attr)) for graph in (one, two, written)]
  return graphs, said, refused, os.path.getsize(folder + "/s.pbtxt") > 0


def program_optimize_for_inference(tf):
  folder, value = _files(tf)
  library = _tool(tf, "optimize_for_inference_lib")
  freeze = _tool(tf, "freeze_graph").freeze_graph
  frozen = freeze(folder + "/g.pb", "", True, folder + "/m", "z", "", "", "", True, "")
  found = []
  for compatible in (False, True):
    small = library.optimize_for_inference(frozen, ["x"], ["z"], tf.float32.as_datatype_enum, toco_compatible=compatible)
    needed = tf.graph_util.extract_sub_graph(small, ["z"])
    found.append(sorted((node.name, node.op) for node in needed.node))
    assert np.allclose(_run(tf, small), value, atol=1e-5)
  return found, [
    _error(lambda: library.optimize_for_inference(frozen, ["q"], ["z"], 1)),
    _error(lambda: library.optimize_for_inference(frozen, ["x"], ["q"], 1)),
  ]


def _normalized(tf, make):
  """A frozen graph of `make(x, weights)`, with random constants."""
  random = np.random.RandomState(2)

  def constant(*shape):
    return tf.constant(random.rand(*shape).astype(np.float32) + 0.5)

  with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [1, 4, 4, 2], name="x")
    tf.identity(make(x, constant), name="z")
    return graph.as_graph_def()


def program_fold_batch_norms(tf):
  library = _tool(tf, "optimize_for_inference_lib")

  def depthwise(x, constant):
    y = tf.nn.depthwise_conv2d_native(x, constant(3, 3, 2, 2), [1, 1, 1, 1], "SAME")
    return tf.nn.fused_batch_norm(y, *(constant(4) for _ in range(4)), epsilon=0.1, is_training=False)[0]

  def old(x, constant):
    y = tf.nn.conv2d(x, constant(1, 1, 2, 3), 1, "SAME")
    m, v, beta, gamma = (constant(3) for _ in range(4))
    return tf.nn.batch_norm_with_global_normalization(y, m, v, beta, gamma, 0.01, scale_after_normalization=True)

  def training(x, constant):
    y = tf.nn.conv2d(x, constant(1, 1, 2, 3), 1, "SAME")
    return tf.nn.fused_batch_norm(y, constant(3), constant(3), is_training=True)[0]

  def used_twice(x, constant):
    y = tf.nn.conv2d(x, constant(1, 1, 2, 3), 1, "SAME")
    return tf.nn.fused_batch_norm(y, *(constant(3) for _ in range(4)), is_training=False)[0] + y

  found = []
  for make in (old, training, used_twice, depthwise):
    graph_def = _normalized(tf, make)
    if make in (used_twice, depthwise) and "millrace" not in tf.__name__:
      continue  # TensorFlow 2.15 makes graphs of them that are wrong
    folded = library.fold_batch_norms(graph_def)
    assert np.allclose(_run(tf, folded), _run(tf, graph_def), atol=1e-5), make
    ops = sorted(node.op for node in folded.node if node.op != "Const")
    if make is used_twice:
      assert ops == ["AddV2", "Conv2D", "FusedBatchNormV3", "Identity", "Placeholder"], ops
    elif make is depthwise:
      assert ops == ["BiasAdd", "DepthwiseConv2dNative", "Identity", "Placeholder"], ops
    else:
      found.append(ops)
  constant = graph_def.node[1]
  names = [library.node_name_from_input(name) for name in ("a", "^a/b", "a:1", "a/b:0")]
  nodes = {node.name: node for node in graph_def.node}
  by_name = library.node_from_map(nodes, "x:0").name
  refused = [
    _error(lambda: library.node_from_map(nodes, "q")),
    _error(lambda: library.values_from_const(nodes["x"])),
    _error(lambda: library.ensure_graph_is_valid(tf.GraphDef(node=[constant, constant]))),
    _error(lambda: library.ensure_graph_is_valid(tf.GraphDef(node=[nodes["z"]]))),
  ]
  return (
    found,
    names,
    by_name,
    library.values_from_const(constant).shape,
    [(type(error).__name__, str(error).lstrip("('")[:9]) for error in refused],
  )
