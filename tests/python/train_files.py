"""Writes or checks files of one side: `train_files.py stock|millrace write|read FOLDER`.

What `write` leaves in the folder, `read` of the other side has to understand.
"""

import glob
import os
import sys

import numpy as np
from pair_side import import_side

MOMENTUM = 0.5


def values():
  """What the variables are, by their names."""
  return {
    "a": np.array([1.5, -2.0, 3.25], np.float32),
    "b/c": np.arange(6, dtype=np.int64).reshape(2, 3),
    "text": np.array([b"x", b"", b"long" * 100], dtype=object),
    "half": np.array([0.5, 2.0], np.float16),
    "flag": np.array([True, False]),
    "part": np.arange(10, dtype=np.float32).reshape(5, 2),
  }


def variables(tf, zero):
  """The variables in the default graph, with their values or with zeros."""
  made = {}
  for name, value in values().items():
    kind = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
    initial = np.full(value.shape, b"", object) if zero and value.dtype == object else np.zeros_like(value) if zero else value
    with tf.variable_scope("", use_resource=(name == "a")):
      if name == "part":
        parts = tf.fixed_size_partitioner(2)
        made[name] = tf.get_variable(name, value.shape, initializer=_filled(tf, initial), partitioner=parts)
      else:
        made[name] = tf.get_variable(name, dtype=kind, initializer=initial)
  return made


def _filled(tf, value):
  """An initializer that gives each part of a variable its rows of `value`."""

  def initialize(shape, dtype=None, partition_info=None):
    begin = partition_info.var_offset[0] if partition_info is not None else 0
    return tf.constant(value[begin : begin + int(shape[0])])

  return initialize


def write_checkpoints(tf, folder):
  for name, options in (("v2", {}), ("sharded", dict(sharded=True)), ("v1", dict(write_version=1))):
    with tf.Graph().as_default(), tf.Session() as session:
      made = variables(tf, zero=False)
      if name == "v1":
        made = {key: made[key] for key in ("a", "b/c", "text")}
      saver = tf.train.Saver(list(made.values()), **options)
      session.run(tf.global_variables_initializer())
      os.makedirs(os.path.join(folder, name))
      saver.save(session, os.path.join(folder, name, "model"), global_step=3)


def read_checkpoints(tf, folder):
  for name in ("v2", "sharded", "v1"):
    path = tf.train.latest_checkpoint(os.path.join(folder, name))
    assert path and path.endswith("model-3"), path
    wanted = values() if name != "v1" else {key: values()[key] for key in ("a", "b/c", "text")}
    with tf.Graph().as_default(), tf.Session() as session:
      made = variables(tf, zero=True)
      session.run(tf.global_variables_initializer())
      tf.train.Saver([made[key] for key in wanted]).restore(session, path)
      for key, value in wanted.items():
        got = session.run(made[key] if key != "part" else made[key].as_tensor())
        assert np.array_equal(got, value), (name, key, got)
    reader = tf.train.NewCheckpointReader(path)
    for key, value in wanted.items():
      assert reader.get_variable_to_shape_map()[key] == list(value.shape)
      assert np.array_equal(reader.get_tensor(key), value), key
    assert [key for key, _ in tf.train.list_variables(path)] == sorted(wanted)


def write_meta_graph(tf, folder):
  """A training that another side goes on with, through a loop and a conditional."""
  with tf.Graph().as_default(), tf.Session() as session:
    x = tf.get_variable("x", initializer=[4.0, -1.0])
    step = tf.train.get_or_create_global_step()
    total = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x), [tf.constant(0), tf.zeros([2])])[1]
    out = tf.cond(step < 2, lambda: total, lambda: total * 2.0)
    tf.add_to_collection("out", out)
    tf.train.MomentumOptimizer(0.1, MOMENTUM).apply_gradients([(tf.identity(x), x)], global_step=step)
    session.run(tf.global_variables_initializer())
    os.makedirs(os.path.join(folder, "meta"))
    for _ in range(2):
      session.run(tf.get_collection("train_op"))
    tf.train.Saver().save(session, os.path.join(folder, "meta", "m"), global_step=step)
    np.save(os.path.join(folder, "meta", "expected.npy"), _go_on(tf, session, out))


def _go_on(tf, session, out):
  session.run(tf.get_collection("train_op"))
  return np.concatenate([session.run(out)] + [np.ravel(v) for v in session.run(tf.trainable_variables())])


def read_meta_graph(tf, folder):
  with tf.Graph().as_default(), tf.Session() as session:
    path = tf.train.latest_checkpoint(os.path.join(folder, "meta"))
    tf.train.import_meta_graph(path + ".meta").restore(session, path)
    got = _go_on(tf, session, tf.get_collection("out")[0])
    assert tf.train.get_global_step() is not None
  np.testing.assert_allclose(got, np.load(os.path.join(folder, "meta", "expected.npy")), rtol=1e-6)


def write_saved_model(tf, folder):
  with tf.Graph().as_default(), tf.Session() as session:
    words = os.path.join(folder, "words.txt")
    with open(words, "w", encoding="utf-8") as file:
      file.write("some words")
    tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, tf.constant(words, name="words"))
    x = tf.placeholder(tf.float32, [None], name="x")
    y = x * tf.get_variable("w", initializer=3.0) + tf.get_variable("b", initializer=1.0, use_resource=True)
    content = tf.read_file(tf.get_default_graph().get_tensor_by_name("words:0"), name="content")
    session.run(tf.global_variables_initializer())
    tf.saved_model.simple_save(session, os.path.join(folder, "model"), {"x": x}, {"y": y, "content": content})


def read_saved_model(tf, folder):
  with tf.Session(graph=tf.Graph()) as session:
    meta = tf.saved_model.load(session, [tf.saved_model.SERVING], os.path.join(folder, "model"))
    signature = meta.signature_def["serving_default"]
    got = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: [1.0, 2.0]})
    assert np.array_equal(got, [4.0, 7.0]), got


def write_events(tf, folder):
  with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [])
    summaries = tf.summary.merge([tf.summary.scalar("x", x), tf.summary.histogram("h", tf.fill([1000], x))])
    writer = tf.summary.FileWriter(os.path.join(folder, "events"), session.graph)
    for step in range(5):
      writer.add_summary(session.run(summaries, {x: step * 0.5}), step)
    # One that is long enough for the checksum in lanes.
    writer.add_summary(
      tf.Summary(value=[tf.Summary.Value(tag="long", image=tf.Summary.Image(encoded_image_string=b"0123" * 100000))]), 9
    )
    writer.close()


def read_events(tf, folder):
  (path,) = glob.glob(os.path.join(folder, "events", "*tfevents*"))
  events = list(tf.train.summary_iterator(path))
  assert events[0].file_version == "brain.Event:2"
  kinds = [e.WhichOneof("what") for e in events]
  assert kinds == ["file_version", "graph_def", "meta_graph_def"] + ["summary"] * 6, kinds
  scalars = [v.simple_value for e in events for v in e.summary.value if v.tag == "x"]
  assert scalars == [0.0, 0.5, 1.0, 1.5, 2.0]
  assert len(events[-1].summary.value[0].image.encoded_image_string) == 400000


def write_objects(tf, folder):
  with tf.Graph().as_default(), tf.Session() as session:
    checkpoint, op = _objects(tf)
    session.run(tf.global_variables_initializer())
    session.run(op)
    os.makedirs(os.path.join(folder, "objects"))
    checkpoint.save(os.path.join(folder, "objects", "o"), session=session)


def _objects(tf):
  v = tf.get_variable("v", initializer=[1.0, 2.0])
  w = tf.get_variable("w", initializer=[3.0], use_resource=True)
  optimizer = tf.train.AdamOptimizer(0.5)
  op = optimizer.apply_gradients([(tf.ones([2]), v), (tf.ones([1]), w)])
  return tf.train.Checkpoint(v=v, optimizer=optimizer, inner=tf.train.Checkpoint(w=w), both=[v, w]), op


def read_objects(tf, folder):
  with tf.Graph().as_default(), tf.Session() as session:
    checkpoint, _ = _objects(tf)
    path = tf.train.latest_checkpoint(os.path.join(folder, "objects"))
    checkpoint.restore(path).assert_consumed().initialize_or_restore(session)
    np.testing.assert_allclose(session.run(checkpoint.v), [0.5, 1.5], rtol=1e-6)
    np.testing.assert_allclose(session.run(checkpoint.optimizer.get_slot(checkpoint.inner.w, "m")), [0.1], rtol=1e-6)
  with tf.Graph().as_default(), tf.Session() as session:
    # By a saver, which looks for names.
    v = tf.get_variable("v", [2])
    tf.train.Saver([v]).restore(session, path)
    np.testing.assert_allclose(session.run(v), [0.5, 1.5], rtol=1e-6)


PARTS = ("checkpoints", "meta_graph", "saved_model", "events", "objects")


def main(side, what, folder, parts):
  tf = import_side(side)
  for part in parts or PARTS:
    globals()[f"{what}_{part}"](tf, folder)
    print(what, part)


if __name__ == "__main__":
  main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
