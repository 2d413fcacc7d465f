"""Savers: their nodes with all options, the files that they write, and what is read of them."""

import glob
import os
import shutil

import numpy as np


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _folder(name):
  """An empty folder of this name below the current one."""
  shutil.rmtree(name, ignore_errors=True)
  os.makedirs(name)
  return name


def _variables(tf):
  """Variables of both kinds and several types."""
  return [
    tf.get_variable("a", initializer=np.array([1, 2, 3], np.float32)),
    tf.get_variable("b", initializer=np.array([[1, 2], [3, 4]], np.int32), use_resource=True),
    tf.get_variable("c", initializer=np.array("text", object), dtype=tf.string),
    tf.get_variable("d/e", initializer=np.float64(2.5)),
  ]


def _saved_and_restored(tf, saver, folder, step=None, **options):
  """The files of a checkpoint, and what comes back when all variables have changed."""
  folder = _folder(folder)
  found = [saver.as_saver_def()]
  variables = tf.global_variables()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before = session.run(variables)
    found.append(saver.save(session, os.path.join(folder, "model"), global_step=step, **options))
    for v in variables:
      session.run(v.initializer, {v.initial_value: np.zeros_like(session.run(v))}) if v.dtype.is_floating else None
    saver.restore(session, found[-1])
    after = session.run(variables)
  found += [[np.array_equal(x, y) for x, y in zip(before, after)], after]
  found.append(sorted(os.listdir(folder)))
  if os.path.exists(os.path.join(folder, "checkpoint")):
    with open(os.path.join(folder, "checkpoint"), encoding="utf-8") as file:
      found.append(file.read())
  return found


def program_plain(tf):
  _variables(tf)
  return _saved_and_restored(tf, tf.train.Saver(), "plain")


def program_named(tf):
  _variables(tf)
  return _saved_and_restored(tf, tf.train.Saver(name="keeper", max_to_keep=2, filename="file"), "named", step=7)


def program_list(tf):
  variables = _variables(tf)
  return _saved_and_restored(tf, tf.train.Saver([variables[1], variables[0]]), "list", step=tf.constant(3))


def program_map(tf):
  a, b, _c, d = _variables(tf)
  saver = tf.train.Saver({"first": a, "second": b, "third": d}, restore_sequentially=True)
  return _saved_and_restored(tf, saver, "map", latest_filename="latest", meta_graph_suffix="graph")


def program_reshape(tf):
  tf.get_variable("a", initializer=np.array([[1, 2], [3, 4]], np.float32))
  tf.get_variable("b", initializer=np.array([1, 2], np.float32), use_resource=True)
  found = _saved_and_restored(tf, tf.train.Saver(), "reshape")
  with tf.Graph().as_default():
    a = tf.get_variable("a", [4])
    b = tf.get_variable("b", [2, 1], use_resource=True)
    with tf.Session() as session:
      tf.train.Saver(reshape=True).restore(session, "reshape/model")
      found += session.run([a, b])
  return found


def program_version_1(tf):
  _variables(tf)
  return _saved_and_restored(tf, tf.train.Saver(write_version=tf.train.SaverDef.V1), "version_1")


def program_sharded(tf):
  _variables(tf)
  with tf.device("/cpu:0"):
    tf.get_variable("f", initializer=[1.0])
  return _saved_and_restored(tf, tf.train.Saver(sharded=True), "sharded")


def program_sharded_version_1(tf):
  tf.get_variable("a", initializer=[1.0, 2.0])
  with tf.device("/cpu:0"):
    tf.get_variable("f", initializer=[1.0])
  saver = tf.train.Saver(sharded=True, write_version=1)
  return _saved_and_restored(tf, saver, "sharded_version_1", write_meta_graph=False)


def program_sharded_devices(tf):
  """Only the nodes: the devices are those of a cluster."""
  _variables(tf)
  with tf.device("/job:ps/task:1/cpu:0"):
    tf.get_variable("x", [3])
    tf.get_variable("y", [3], use_resource=True)
  return [tf.train.Saver(sharded=True).as_saver_def(), tf.train.Saver(sharded=True, write_version=1).as_saver_def()]


def program_partitioned(tf):
  with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
    p = tf.get_variable("p", initializer=np.arange(10, dtype=np.float32).reshape(5, 2))
  saver = tf.train.Saver()
  found = _saved_and_restored(tf, saver, "partitioned")
  reader = tf.train.NewCheckpointReader("partitioned/model")
  found += [reader.get_variable_to_shape_map(), reader.get_tensor("s/p"), type(p).__name__]
  return found


def program_partitioned_resource(tf):
  with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2), use_resource=True):
    tf.get_variable("p", initializer=np.arange(10, dtype=np.float32).reshape(5, 2))
  return _saved_and_restored(tf, tf.train.Saver(), "partitioned_resource")


def program_relative_paths(tf):
  _variables(tf)
  saver = tf.train.Saver(save_relative_paths=True, pad_step_number=True)
  found = _saved_and_restored(tf, saver, "relative", step=42, strip_default_attrs=True)
  return [*found, tf.train.latest_checkpoint("relative")]


def program_no_state(tf):
  _variables(tf)
  return _saved_and_restored(tf, tf.train.Saver(), "no_state", write_state=False, write_meta_graph=False)


def program_max_to_keep(tf):
  tf.get_variable("a", initializer=[1.0])
  saver = tf.train.Saver(max_to_keep=2)
  folder = _folder("max_to_keep")
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
      saver.save(session, folder + "/m", global_step=step)
      found.append([saver.last_checkpoints, sorted(os.listdir(folder))])
    state = tf.train.get_checkpoint_state(folder)
    found += [state.model_checkpoint_path, list(state.all_model_checkpoint_paths)]
    other = tf.train.Saver(max_to_keep=2)
    other.recover_last_checkpoints([*state.all_model_checkpoint_paths, "nothing"])
    found.append(other.last_checkpoints)
    other.save(session, folder + "/m", global_step=9)
    found.append(sorted(os.listdir(folder)))
    other.set_last_checkpoints([folder + "/m-9"])
    other.set_last_checkpoints_with_time([(folder + "/m-9", 1.0)])
    found.append(other.last_checkpoints)
  return found


def program_keep_every_hours(tf):
  tf.get_variable("a", initializer=[1.0])
  saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
  folder = _folder("keep_every_hours")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(4):
      saver.save(session, folder + "/m", global_step=step, write_meta_graph=False)
  return [saver.last_checkpoints, sorted(os.listdir(folder))]


def program_keep_all(tf):
  tf.get_variable("a", initializer=[1.0])
  saver = tf.train.Saver(max_to_keep=0)
  folder = _folder("keep_all")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(3):
      saver.save(session, folder + "/m", global_step=step, write_meta_graph=False)
  return [saver.last_checkpoints, sorted(os.listdir(folder)), tf.train.latest_checkpoint(folder)]


def program_deferred(tf):
  saver = tf.train.Saver(defer_build=True, allow_empty=True)
  found = [saver.as_saver_def(), _say(lambda: saver.save(tf.Session(), "x"))]
  _variables(tf)
  saver.build()
  saver.build()
  return [*found, saver.as_saver_def()]


def program_empty(tf):
  folder = _folder("empty")
  saver = tf.train.Saver(allow_empty=True)
  with tf.Session() as session:
    path = saver.save(session, folder + "/m")
    saver.restore(session, folder + "/m")
  return [path, sorted(os.listdir(folder)), saver.as_saver_def()]


def program_from_proto(tf):
  with tf.name_scope("scope"):
    a = tf.Variable([1.0, 2.0], name="a")
    saver = tf.train.Saver([a])
  copy = tf.train.Saver.from_proto(saver.to_proto())
  inner = tf.train.Saver.from_proto(saver.to_proto(export_scope="scope"), import_scope="scope")
  return [copy.as_saver_def(), inner.as_saver_def(), saver.to_proto("scope"), saver.to_proto("other")]


def program_in_scope(tf):
  _variables(tf)
  tf.train.Saver()
  with tf.name_scope("inner"):
    return [tf.train.Saver().as_saver_def(), tf.train.Saver(tf.global_variables()[:1], name="second").as_saver_def()]


def program_errors(tf):
  a, _b, _c, _d = _variables(tf)
  saver = tf.train.Saver
  session = tf.Session()
  _folder("errors")
  found = [
    _say(lambda: saver([])),
    _say(lambda: saver([tf.constant(1)])),
    _say(lambda: saver({"a": tf.constant(1)})),
    _say(lambda: saver({1: a})),
    _say(lambda: saver({"a": [a]})),
    _say(lambda: saver([a, a])),
    _say(lambda: saver({"x": a, "y": a})),
    _say(lambda: saver(3)),
    _say(lambda: saver([a], defer_build=True)),
    _say(lambda: saver([a], saver_def=tf.train.SaverDef())),
    _say(lambda: saver([a]).restore(session, None)),
    _say(lambda: saver([a]).restore(session, "errors/nothing")),
    _say(lambda: saver([a]).save("no session", "errors/x")),
    _say(lambda: saver([a]).save(session, "errors/checkpoint")),
    _say(lambda: saver([a]).save(session, "errors/x", latest_filename="a/b")),
    _say(lambda: saver([a]).save(session, "no folder/x/y")),
  ]
  return found


def program_restore_errors(tf):
  a = tf.get_variable("a", initializer=[1.0, 2.0])
  saver = tf.train.Saver([a])
  folder = _folder("restore_errors")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = saver.save(session, folder + "/m")
  found = []
  with tf.Graph().as_default(), tf.Session() as session:
    b = tf.get_variable("b", [2])
    c = tf.get_variable("c", [3])
    d = tf.get_variable("d", [2], tf.int32, initializer=tf.zeros_initializer())
    for variables in ([b], {"a": c}, {"a": d}):
      error = _say(lambda v=variables: tf.train.Saver(v).restore(session, path))
      found.append([type(error).__name__, str(error).startswith("Restoring from checkpoint failed. This is most likely due to")])
  return found


def program_states(tf):
  train = tf.train
  folder = _folder("states")
  found = [
    train.generate_checkpoint_state_proto("/a", "/a/b", ["/a/c"]),
    train.generate_checkpoint_state_proto("a", "a/b", ["a/c", "a/b"]),
    train.generate_checkpoint_state_proto("a", "a/b", None, [1.5], 0.5),
    _say(lambda: train.generate_checkpoint_state_proto("a", "a/b", ["a/c"], all_model_checkpoint_timestamps=[1.0])),
    train.get_checkpoint_state(folder),
    train.latest_checkpoint(folder),
    train.latest_checkpoint("not there"),
  ]
  train.update_checkpoint_state(folder, folder + "/m-2", [folder + "/m-1", folder + "/m-2"])
  found += [train.get_checkpoint_state(folder), train.latest_checkpoint(folder)]
  for name in ("m-2.index", "m-2.data-00000-of-00001", "m-2.meta", "old"):
    open(os.path.join(folder, name), "w", encoding="utf-8").close()
  found += [
    train.latest_checkpoint(folder),
    train.checkpoint_exists(folder + "/m-2"),
    train.checkpoint_exists(folder + "/old"),
    train.checkpoint_exists(folder + "/m-1"),
    len(train.get_checkpoint_mtimes([folder + "/m-2", folder + "/m-1", folder + "/old"])),
  ]
  train.update_checkpoint_state(folder, folder + "/old", latest_filename="other")
  found += [train.latest_checkpoint(folder, latest_filename="other"), train.latest_checkpoint(folder, "other")]
  train.remove_checkpoint(folder + "/m-2")
  train.remove_checkpoint(folder + "/old", checkpoint_format_version=1, meta_graph_suffix="x")
  found.append(sorted(os.listdir(folder)))
  with open(os.path.join(folder, "checkpoint"), "w", encoding="utf-8") as file:
    file.write("no state")
  found.append(train.get_checkpoint_state(folder))
  return found


def program_readers(tf):
  _variables(tf)
  saver = tf.train.Saver()
  folder = _folder("readers")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = saver.save(session, folder + "/m")
  reader = tf.train.NewCheckpointReader(path)
  loaded = tf.train.load_checkpoint(folder)
  return [
    reader.get_variable_to_shape_map(),
    sorted((k, v.name) for k, v in reader.get_variable_to_dtype_map().items()),
    reader.has_tensor("a"),
    reader.has_tensor("z"),
    [reader.get_tensor(name) for name in sorted(reader.get_variable_to_shape_map())],
    _say(lambda: reader.get_tensor("z")),
    loaded.get_variable_to_shape_map(),
    tf.train.list_variables(folder),
    tf.train.list_variables(path),
    tf.train.load_variable(folder, "d/e"),
    tf.train.load_variable(path, "a:0"),
    reader.debug_string(),
    _say(lambda: tf.train.NewCheckpointReader("nothing")),
    _say(lambda: tf.train.load_checkpoint(_folder("nothing_there"))),
    _say(lambda: tf.train.list_variables("nothing")),
  ]


def program_readers_version_1(tf):
  a = tf.get_variable("a", initializer=[1.0, 2.0])
  b = tf.get_variable("b", initializer=[[1], [2]])
  folder = _folder("readers_version_1")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    path = tf.train.Saver([a, b], write_version=1).save(session, folder + "/m")
  reader = tf.train.NewCheckpointReader(path)
  return [reader.get_variable_to_shape_map(), reader.get_tensor("a"), reader.get_tensor("b"), tf.train.list_variables(path)]


def _checkpoint(tf, folder):
  """A checkpoint with a/v, a/w and the parts of p/q."""
  folder = _folder(folder)
  with tf.Graph().as_default():
    tf.get_variable("a/v", initializer=[1.0, 2.0, 3.0])
    tf.get_variable("a/w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2), use_resource=True)
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
      tf.get_variable("q", initializer=np.arange(10, dtype=np.float32).reshape(5, 2))
    with tf.Session() as session:
      session.run(tf.global_variables_initializer())
      return tf.train.Saver().save(session, folder + "/m")


def _initialized(tf, variables):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(variables)


def program_init_from_checkpoint(tf):
  path = _checkpoint(tf, "init")
  with tf.variable_scope("n"):
    v = tf.get_variable("v", [3])
    w = tf.get_variable("w", [3, 2])
  r = tf.get_variable("r", [3], use_resource=True)
  x = tf.get_variable("x", [3])
  tf.train.init_from_checkpoint(path, {"a/": "n/", "a/v": r})
  tf.train.init_from_checkpoint("init", {"a/v": "x"})
  return _initialized(tf, [v, w, r, x])


def program_init_from_checkpoint_root(tf):
  path = _checkpoint(tf, "init_root")
  v = tf.get_variable("v", [3])
  w = tf.get_variable("w", [3, 2])
  tf.train.init_from_checkpoint(path, {"a/": "/"})
  return _initialized(tf, [v, w])


def program_init_from_checkpoint_parts(tf):
  path = _checkpoint(tf, "init_parts")
  with tf.variable_scope("z", partitioner=tf.fixed_size_partitioner(3)):
    q = tf.get_variable("q", [5, 2])
  tf.train.init_from_checkpoint(path, {"p/": "z/"})
  return _initialized(tf, list(q))


def program_init_from_checkpoint_errors(tf):
  path = _checkpoint(tf, "init_errors")
  tf.get_variable("n/v", [3])
  tf.get_variable("n/w", [3, 2])
  init = tf.train.init_from_checkpoint
  return [
    _say(lambda: init(path, {"a/x": "n/v"})),
    _say(lambda: init(path, {"a/v": "n/x"})),
    _say(lambda: init(path, {"a/v": "n/w"})),
    _say(lambda: init(path, {"b/": "n/"})),
    _say(lambda: init(path, {"a": "n/"})),
  ]


def program_warm_start(tf):
  path = _checkpoint(tf, "warm")
  v = tf.get_variable("a/v", [3])
  w = tf.get_variable("n/w", [3, 2])
  other = tf.get_variable("other", initializer=[7.0])
  tf.train.warm_start(path, vars_to_warm_start="(a|n)", var_name_to_prev_var_name={"n/w": "a/w"})
  return _initialized(tf, [v, w, other])


def program_warm_start_vocabulary(tf):
  path = _checkpoint(tf, "warm_vocabulary")
  for name, words in (("new", "a b d"), ("old", "b a c")):
    with open(name + ".txt", "w", encoding="utf-8") as file:
      file.write("\n".join(words.split()) + "\n")
  w = tf.get_variable("a/w", [3, 2])
  info = tf.train.VocabInfo("new.txt", 3, 0, "old.txt")
  tf.train.warm_start(path, vars_to_warm_start=["a/w"], var_name_to_vocab_info={"a/w": info})
  return [list(info), _initialized(tf, [w])]


def program_warm_start_errors(tf):
  path = _checkpoint(tf, "warm_errors")
  tf.get_variable("a/v", [3])
  warm = tf.train.warm_start
  return [
    _say(lambda: warm(path, vars_to_warm_start=3)),
    _say(lambda: warm(path, vars_to_warm_start=[3])),
    _say(lambda: warm(path, var_name_to_prev_var_name={"x": "y"})),
    _say(lambda: warm(path, var_name_to_vocab_info={"x": tf.train.VocabInfo("a", 1, 0, "b")})),
    _say(lambda: tf.train.VocabInfo("a", 1, 0, "b", axis=2)),
  ]


def program_checkpoints_iterator(tf):
  tf.get_variable("a", initializer=[1.0])
  saver = tf.train.Saver()
  folder = _folder("iterator")
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    saver.save(session, folder + "/m", global_step=1)
    calls = []

    def end():
      calls.append(1)
      if len(calls) == 1:
        saver.save(session, folder + "/m", global_step=2)
        return False
      return True

    found.extend(tf.train.checkpoints_iterator(folder, min_interval_secs=0.01, timeout=0, timeout_fn=end))
  return [found, len(calls), sorted(os.path.basename(p) for p in glob.glob(folder + "/*.index"))]
