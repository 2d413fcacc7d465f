"""SavedModels: what is written, loaded and run, signatures, graphs with constants for variables."""

import os
import shutil

import numpy as np


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _fresh(name):
  shutil.rmtree(name, ignore_errors=True)
  return name


def _files(folder):
  return sorted(os.path.relpath(os.path.join(r, f), folder) for r, _, names in os.walk(folder) for f in names)


def _model(tf):
  """A small model: x, v and y = x * v."""
  x = tf.placeholder(tf.float32, [None], name="x")
  v = tf.get_variable("v", initializer=2.0)
  r = tf.get_variable("r", initializer=[1.0], use_resource=True)
  return x, tf.add(x * v, r, name="y")


def _loaded(tf, tags, folder, fetches, feeds, **options):
  """The signatures of a model, and what its graph gives."""
  with tf.Session(graph=tf.Graph()) as session:
    meta_graph = tf.saved_model.load(session, tags, folder, **options)
    signatures = {key: value for key, value in sorted(meta_graph.signature_def.items())}
    names = [v.name for v in session.graph.get_collection("variables")]
    return [signatures, names, session.run(fetches, feeds), sorted(meta_graph.meta_info_def.tags)]


def program_builder(tf):
  folder = _fresh("builder")
  x, y = _model(tf)
  signature = tf.saved_model.predict_signature_def({"in": x}, {"out": y})
  builder = tf.saved_model.Builder(folder)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    builder.add_meta_graph_and_variables(session, [tf.saved_model.SERVING], signature_def_map={"serving_default": signature})
    builder.add_meta_graph(["train", "gpu"], clear_devices=True)
    again = _say(lambda: builder.add_meta_graph_and_variables(session, ["x"]))
  paths = [builder.save(), builder.save(as_text=True)]
  found = [paths, again, _files(folder)]
  found.append(_loaded(tf, ["serve"], folder, "y:0", {"x:0": [1.0, 2.0]}))
  found.append(_loaded(tf, ["gpu", "train"], folder, "inner/y:0", {"inner/x:0": [1.0]}, import_scope="inner"))
  os.remove(os.path.join(folder, "saved_model.pb"))
  found.append(_loaded(tf, ["serve"], folder, "y:0", {"x:0": [3.0]}))
  return found


def program_assets(tf):
  folder = _fresh("assets_model")
  os.makedirs("one", exist_ok=True)
  os.makedirs("two", exist_ok=True)
  for name, text in (("one/words.txt", "a\nb\n"), ("two/words.txt", "c\n")):
    with open(name, "w", encoding="utf-8") as file:
      file.write(text)
  _, y = _model(tf)
  for i, name in enumerate(("one/words.txt", "two/words.txt")):
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, tf.constant(name, name=f"asset_{i}"))
  content = tf.Variable("", trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="content")
  read = tf.assign(content, tf.read_file(tf.get_default_graph().get_tensor_by_name("asset_0:0")))
  main = tf.group(read, name="main")
  builder = tf.saved_model.builder.SavedModelBuilder(folder)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer()])
    builder.add_meta_graph_and_variables(
      session,
      ["a"],
      assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
      main_op=main,
      strip_default_attrs=True,
      saver=tf.train.Saver([tf.get_default_graph().get_tensor_by_name("v:0")]),
    )
  builder.save()
  _fresh("one")
  with tf.Session(graph=tf.Graph()) as session:
    tf.saved_model.loader.load(session, ["a"], folder)
    value = session.run("content:0")
  return [_files(folder), value, y.name]


def program_simple_save(tf):
  folder = _fresh("simple")
  x, y = _model(tf)
  keys = tf.constant(["a", "b"])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y}, legacy_init_op=tf.tables_initializer())
  found = [keys.name, _files(folder), _loaded(tf, ["serve"], folder, "y:0", {"x:0": [5.0]})]
  model = tf.saved_model
  return [
    *found,
    model.contains_saved_model(folder),
    model.maybe_saved_model_directory("."),
    model.loader.maybe_saved_model_directory(folder),
  ]


def program_no_variables(tf):
  folder = _fresh("no_variables")
  x = tf.placeholder(tf.float32, [None], name="x")
  tf.multiply(x, 2.0, name="y")
  builder = tf.saved_model.Builder(folder)
  with tf.Session() as session:
    builder.add_meta_graph_and_variables(session, ["a"])
  builder.save()
  return [_files(folder), _loaded(tf, ["a"], folder, "y:0", {"x:0": [3.0]})]


def program_load_errors(tf):
  folder = _fresh("load_errors")
  _model(tf)
  builder = tf.saved_model.Builder(folder)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    builder.add_meta_graph_and_variables(session, ["a"])
  builder.save()
  session = tf.Session()
  return [
    type(_say(lambda: tf.saved_model.load(session, ["b"], folder))).__name__,
    _say(lambda: tf.saved_model.load(session, ["a"], "nothing")),
    _say(lambda: tf.saved_model.Builder(folder)),
    _say(lambda: tf.saved_model.Builder(_fresh("bad")).add_meta_graph(["a"])),
  ]


def program_builder_errors(tf):
  _model(tf)

  def add(**options):
    with tf.Session() as session:
      session.run(tf.global_variables_initializer())
      tf.saved_model.Builder(_fresh("bad")).add_meta_graph_and_variables(session, ["a"], **options)

  return [
    _say(lambda: add(main_op=3)),
    _say(lambda: add(assets_collection=[tf.constant(3)])),
    _say(lambda: add(assets_collection=[tf.placeholder(tf.string)])),
  ]


def program_tensor_info(tf):
  model = tf.saved_model
  x = tf.placeholder(tf.float32, [None, 3], name="x")
  s = tf.sparse_placeholder(tf.int64, [2, 3], name="s")
  infos = [model.build_tensor_info(x), model.utils.build_tensor_info(s)]
  back = model.get_tensor_from_tensor_info(infos[0])
  sparse = model.utils.get_tensor_from_tensor_info(infos[1], graph=tf.get_default_graph())
  with tf.name_scope("inner"):
    tf.placeholder(tf.float32, name="x")
  inner = model.get_tensor_from_tensor_info(infos[0], import_scope="inner")
  missing = _say(lambda: model.get_tensor_from_tensor_info(infos[0], import_scope="nowhere"))
  return [*infos, back is x, type(sparse).__name__, sparse.values is s.values, inner.name, missing]


def program_signatures(tf):
  model = tf.saved_model
  text = tf.placeholder(tf.string, [None], name="text")
  number = tf.placeholder(tf.float32, [None], name="number")
  utils = model.signature_def_utils
  made = [
    model.classification_signature_def(text, text, number),
    utils.classification_signature_def(text, None, number),
    model.classification_signature_def(text, text, None),
    model.regression_signature_def(text, number),
    utils.regression_signature_def(examples=text, predictions=number),
    model.predict_signature_def({"a": text}, {"b": number, "c": text}),
    utils.predict_signature_def(inputs={"a": text}, outputs={"b": number}),
    model.build_signature_def({"x": model.build_tensor_info(text)}, {"y": model.build_tensor_info(number)}, "method"),
    utils.build_signature_def(),
  ]
  found = [*made, [model.is_valid_signature(s) for s in made], utils.is_valid_signature(made[0])]
  for arguments in [(None, text, None), (text, None, None), (text, number, None), (text, None, text), (number, text, None)]:
    found.append(_say(lambda a=arguments: model.classification_signature_def(*a)))
  for arguments in [(None, number), (number, number), (text, text), (text, None), (3, number)]:
    found.append(_say(lambda a=arguments: model.regression_signature_def(*a)))
  found.append(_say(lambda: model.predict_signature_def(None, {"a": text})))
  found.append(_say(lambda: model.predict_signature_def({"a": text}, {})))
  return found


def program_names(tf):
  return [
    [tf.saved_model.ASSETS_DIRECTORY, tf.saved_model.constants.ASSETS_DIRECTORY],
    [tf.saved_model.ASSETS_KEY, tf.saved_model.constants.ASSETS_KEY],
    [tf.saved_model.LEGACY_INIT_OP_KEY, tf.saved_model.constants.LEGACY_INIT_OP_KEY],
    [tf.saved_model.MAIN_OP_KEY, tf.saved_model.constants.MAIN_OP_KEY],
    [tf.saved_model.SAVED_MODEL_FILENAME_PB, tf.saved_model.constants.SAVED_MODEL_FILENAME_PB],
    [tf.saved_model.SAVED_MODEL_FILENAME_PBTXT, tf.saved_model.constants.SAVED_MODEL_FILENAME_PBTXT],
    [tf.saved_model.SAVED_MODEL_SCHEMA_VERSION, tf.saved_model.constants.SAVED_MODEL_SCHEMA_VERSION],
    [tf.saved_model.VARIABLES_DIRECTORY, tf.saved_model.constants.VARIABLES_DIRECTORY],
    [tf.saved_model.VARIABLES_FILENAME, tf.saved_model.constants.VARIABLES_FILENAME],
    [tf.saved_model.CLASSIFY_INPUTS, tf.saved_model.signature_constants.CLASSIFY_INPUTS],
    [tf.saved_model.CLASSIFY_METHOD_NAME, tf.saved_model.signature_constants.CLASSIFY_METHOD_NAME],
    [tf.saved_model.CLASSIFY_OUTPUT_CLASSES, tf.saved_model.signature_constants.CLASSIFY_OUTPUT_CLASSES],
    [tf.saved_model.CLASSIFY_OUTPUT_SCORES, tf.saved_model.signature_constants.CLASSIFY_OUTPUT_SCORES],
    [tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY, tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY],
    [tf.saved_model.PREDICT_INPUTS, tf.saved_model.signature_constants.PREDICT_INPUTS],
    [tf.saved_model.PREDICT_METHOD_NAME, tf.saved_model.signature_constants.PREDICT_METHOD_NAME],
    [tf.saved_model.PREDICT_OUTPUTS, tf.saved_model.signature_constants.PREDICT_OUTPUTS],
    [tf.saved_model.REGRESS_INPUTS, tf.saved_model.signature_constants.REGRESS_INPUTS],
    [tf.saved_model.REGRESS_METHOD_NAME, tf.saved_model.signature_constants.REGRESS_METHOD_NAME],
    [tf.saved_model.REGRESS_OUTPUTS, tf.saved_model.signature_constants.REGRESS_OUTPUTS],
    [tf.saved_model.GPU, tf.saved_model.tag_constants.GPU],
    [tf.saved_model.SERVING, tf.saved_model.tag_constants.SERVING],
    [tf.saved_model.TPU, tf.saved_model.tag_constants.TPU],
    [tf.saved_model.TRAINING, tf.saved_model.tag_constants.TRAINING],
  ]


def program_main_op(tf):
  _model(tf)
  one = tf.saved_model.main_op.main_op()
  restore = tf.no_op(name="restore")
  two = tf.saved_model.main_op.main_op_with_restore(restore)
  three = tf.saved_model.main_op_with_restore(restore_op_name=restore)
  return [one.name, [op.name for op in one.control_inputs], two.name, [op.name for op in three.control_inputs]]


def _nodes(graph_def):
  return [[n.name, n.op, list(n.input), sorted(n.attr)] for n in graph_def.node]


def program_constants_for_variables(tf):
  x, y = _model(tf)
  g = tf.gather(tf.get_variable("g", initializer=np.eye(3, dtype=np.float32), use_resource=True), [1], name="rows")
  tf.identity(y, name="out")
  util = tf.graph_util
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    whole = tf.get_default_graph().as_graph_def()
    frozen = util.convert_variables_to_constants(session, whole, ["out", "rows"])
    found.append(_nodes(frozen))
    found.append(_nodes(util.convert_variables_to_constants(session, whole, ["out"], variable_names_whitelist=["v"])))
    found.append(_nodes(util.convert_variables_to_constants(session, whole, ["out"], variable_names_blacklist=["v"])))
    found.append(_say(lambda: util.convert_variables_to_constants(session, whole, ["nothing"])))
  with tf.Graph().as_default(), tf.Session() as session:
    out, rows = tf.graph_util.import_graph_def(frozen, return_elements=["out:0", "rows:0"])
    found.append(session.run([out, rows], {"import/x:0": [4.0]}))
  return [*found, x.name, g.name]


def program_constants_in_branches(tf):
  v = tf.get_variable("v", initializer=[1.0, 2.0])
  r = tf.get_variable("r", initializer=[1.0, 2.0], use_resource=True)
  p = tf.placeholder(tf.bool, [], name="p")
  tf.identity(tf.cond(p, lambda: v + 1.0, lambda: r * 5.0), name="out")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    frozen = tf.graph_util.convert_variables_to_constants(session, tf.get_default_graph().as_graph_def(), ["out"])
  with tf.Graph().as_default(), tf.Session() as session:
    tf.import_graph_def(frozen, name="")
    return [session.run("out:0", {"p:0": True}), session.run("out:0", {"p:0": False})]


def program_graph_util(tf):
  x = tf.placeholder(tf.float32, [2], name="x")
  y = tf.identity(tf.add(tf.identity(x, name="i"), 2.0, name="sum"), name="y")
  z = tf.add(y, 1.0, name="z")
  w = tf.identity(z, name="w")
  v = tf.Variable(1.0, name="v")
  whole = tf.get_default_graph().as_graph_def()
  util = tf.graph_util
  return [
    w.name,
    _nodes(util.extract_sub_graph(whole, ["z"])),
    _nodes(util.remove_training_nodes(whole)),
    _nodes(util.remove_training_nodes(whole, protected_nodes=["i", "w"])),
    _say(lambda: util.extract_sub_graph(whole, ["nothing"])),
    _say(lambda: util.extract_sub_graph(whole, "z")),
    _say(lambda: util.extract_sub_graph(3, ["z"])),
    util.must_run_on_cpu(tf.constant("a").op),
    util.must_run_on_cpu(tf.constant(1.0).op),
    util.must_run_on_cpu(tf.constant(1).op),
    util.must_run_on_cpu(v.op),
    util.must_run_on_cpu(v.op, pin_variables_on_cpu=True),
    util.must_run_on_cpu(whole.node[0]),
    util.tensor_shape_from_node_def_name(tf.get_default_graph(), "x").as_list(),
  ]


def program_meta_graph(tf):
  """Collections of all kinds, out and in."""
  with tf.name_scope("scope"):
    w = tf.Variable(1.0, name="w")
    x = tf.add(w, 1.0, name="x")
  tf.get_variable("v", initializer=[1.0])
  for key, value in (("tensors", x), ("ops", x.op), ("ints", 3), ("floats", 2.5), ("texts", "abc")):
    tf.add_to_collection(key, value)
  tf.cond(x > 1.0, lambda: x, lambda: x + 1.0)
  tf.train.get_or_create_global_step()
  saver = tf.train.Saver()
  meta = saver.export_meta_graph("meta.meta")
  tf.train.export_meta_graph("meta.txt", as_text=True, saver_def=saver.as_saver_def())
  # The order of maps in the bytes of contexts differs from run to run.
  collections = sorted((k, str(v)) for k, v in meta.collection_def.items() if k != "cond_context")
  found = [collections, len(meta.collection_def["cond_context"].bytes_list.value), meta.saver_def, len(meta.graph_def.node)]
  for name, scope in (("meta.meta", None), ("meta.txt", None), ("meta.meta", "inner")):
    with tf.Graph().as_default() as graph:
      again = tf.train.import_meta_graph(name, import_scope=scope)
      found.append(again.as_saver_def())
      for key in sorted(graph.get_all_collection_keys()):
        found.append([key, [getattr(item, "name", item) for item in graph.get_collection(key)]])
  with tf.Graph().as_default() as graph:
    found.append(tf.train.import_meta_graph(meta, clear_devices=True, input_map=None).as_saver_def().restore_op_name)
  return found


def program_meta_graph_scope(tf):
  with tf.device("/cpu:0"), tf.name_scope("scope"):
    w = tf.Variable(1.0, name="w")
    tf.add(w, 1.0, name="x")
  tf.constant(3, name="outside")
  tf.train.Saver()
  tf.train.Saver(name="other")
  scoped = tf.train.export_meta_graph(export_scope="scope", clear_devices=True)
  savers = tf.train.export_meta_graph(clear_extraneous_savers=True)
  few = tf.train.export_meta_graph(collection_list=["variables"])
  stripped = tf.train.export_meta_graph(strip_default_attrs=True)
  found = [
    [[n.name, n.device, list(n.input)] for n in scoped.graph_def.node],
    sorted(scoped.collection_def),
    [n.name for n in savers.graph_def.node],
    sorted(few.collection_def),
    stripped.meta_info_def.stripped_default_attrs,
    [sorted(n.attr) for n in stripped.graph_def.node[:4]],
    _say(lambda: tf.train.import_meta_graph("nothing.meta")),
  ]
  with tf.Graph().as_default():
    saver = tf.train.import_meta_graph(scoped)
    found += [saver.as_saver_def().restore_op_name, [v.name for v in tf.global_variables()]]
  with tf.Graph().as_default():
    tf.constant(1)
    found.append(tf.train.import_meta_graph(tf.train.export_meta_graph()))
  return found


def program_train_from_meta_graph(tf):
  """A training goes on from a meta graph and its checkpoint."""
  x = tf.get_variable("x", initializer=[4.0])
  step = tf.train.get_or_create_global_step()
  train = tf.train.MomentumOptimizer(0.1, 0.5).apply_gradients([(tf.identity(x), x)], global_step=step, name="train")
  os.makedirs("go_on", exist_ok=True)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
      session.run(train)
    path = tf.train.Saver().save(session, "go_on/m", global_step=step)
  with tf.Graph().as_default(), tf.Session() as session:
    saver = tf.train.import_meta_graph(path + ".meta")
    saver.restore(session, tf.train.latest_checkpoint("go_on"))
    session.run(tf.get_collection("train_op"))
    return [path, session.run(tf.global_variables()), [v.name for v in tf.trainable_variables()]]


program_train_from_meta_graph.rtol = 1e-6


def program_resources_of_a_meta_graph(tf):
  """Variables that are resources stay so in a graph that was written and is read again, below a scope, too."""
  with tf.Graph().as_default():
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    tf.Variable(3.0, name="w", trainable=False)
    tf.identity(v * 2.0, name="twice")
    meta = tf.train.export_meta_graph()
  saver = tf.train.import_meta_graph(meta, import_scope="scope")
  first, second = tf.global_variables()
  found = [[x.name, hasattr(x, "handle"), x.trainable, str(x.shape), x.op.type] for x in (first, second)]
  assigned = first.assign_add([1.0, 1.0])
  os.makedirs("resources", exist_ok=True)
  path = "resources/model.ckpt"
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found += [session.run(assigned), session.run("scope/twice:0"), session.run(tf.gradients(first * 3.0, first)[0])]
    saver.save(session, path)
  return [*found, sorted(name for name, _ in tf.train.list_variables(path))]
