"""Summary ops, and the files of events that TensorBoard reads."""

import glob
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


def _run(tf, tensors):
  """What summaries say, as messages."""
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for value in session.run(list(tensors)):
      message = tf.Summary()
      message.ParseFromString(value)
      found.append(message)
  return [[t.name for t in tensors], found, {k: [t.name for t in tf.get_collection(k)] for k in ("summaries", "mine")}]


def program_scalar(tf):
  made = [tf.summary.scalar("a b/c", tf.constant(1.5)), tf.summary.scalar("n", 2), tf.summary.scalar("n", 3.0)]
  with tf.name_scope("scope"):
    made.append(tf.summary.scalar("n", 4.0))
    made.append(tf.summary.scalar("f", 5.0, family="family", collections=["mine"]))
  return _run(tf, made)


def program_histogram(tf):
  values = np.array([-1.0, 0.0, 0.5, 0.5, 2.0, 100.0], np.float32)
  made = [tf.summary.histogram("h", values), tf.summary.histogram("i", np.arange(5), family="f")]
  with tf.name_scope("scope"):
    made.append(tf.summary.histogram("h", tf.constant(values), collections=["mine"]))
  return _run(tf, made)


def program_image_nodes(tf):
  pixels = np.arange(24, dtype=np.uint8).reshape(2, 2, 2, 3)
  made = [
    tf.summary.image("i", pixels),
    tf.summary.image("j", tf.constant(pixels), max_outputs=1, family="f", collections=["mine"]),
  ]
  with tf.Session() as session:
    found = []
    for value in session.run(made):
      message = tf.Summary()
      message.ParseFromString(value)
      for part in message.value:
        found.append([part.tag, part.image.height, part.image.width, part.image.colorspace])
        image = session.run(tf.image.decode_png(part.image.encoded_image_string)) if hasattr(tf.image, "decode_png") else None
        found.append(image)
  return found


def program_audio(tf):
  sound = np.sin(np.arange(20, dtype=np.float32)).reshape(2, 10) * 0.5
  made = [
    tf.summary.audio("a", sound, 8000),
    tf.summary.audio("b", sound, tf.constant(100.0), max_outputs=1, collections=["mine"], family="f"),
  ]
  return _run(tf, made)


def program_text(tf):
  made = [tf.summary.text("t", tf.constant(["a", "b"])), tf.summary.text("u", tf.constant("x"), collections=["mine"])]
  return [*_run(tf, made), _say(lambda: tf.summary.text("v", tf.constant(1)))]


def program_tensor(tf):
  metadata = tf.SummaryMetadata(display_name="shown", summary_description="said")
  made = [
    tf.summary.tensor_summary("t", tf.constant([1.0, 2.0])),
    tf.summary.tensor_summary(
      "u",
      tf.constant([1]),
      summary_description="d",
      collections=["mine"],
      summary_metadata=metadata,
      family="f",
      display_name="other",
    ),
  ]
  return [*_run(tf, made), _say(lambda: tf.summary.get_summary_description(made[0].op.node_def))]


def program_merge(tf):
  a, b = tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0)
  made = [
    tf.summary.merge([a, b]),
    tf.summary.merge([b], collections=["mine"], name="merged"),
    tf.summary.merge_all(),
    tf.summary.merge_all(scope="a", name="only"),
  ]
  return [*_run(tf, made), tf.summary.merge_all(key="nothing"), tf.summary.all_v2_summary_ops()]


def _events(tf, folder):
  """The events of a folder without what differs from run to run."""
  found = []
  for path in sorted(glob.glob(os.path.join(folder, "events.out.tfevents.*"))):
    for event in tf.train.summary_iterator(path):
      what = event.WhichOneof("what")
      entry = [what, event.step, event.wall_time > 1e9]
      if what in ("file_version", "summary", "session_log"):
        entry.append(getattr(event, what))
      if what == "tagged_run_metadata":
        entry.append(event.tagged_run_metadata.tag)
      found.append(entry)
  return found


def program_file_writer(tf):
  folder = _fresh("writer")
  x = tf.placeholder(tf.float32, [])
  summary = tf.summary.scalar("x", x)
  writer = tf.summary.FileWriter(folder, tf.get_default_graph())
  with tf.Session() as session:
    for step in range(3):
      writer.add_summary(session.run(summary, {x: step * 0.5}), step)
  message = tf.Summary(value=[tf.Summary.Value(tag="y", simple_value=2.0)])
  writer.add_summary(message, 7)
  writer.add_summary(message)
  writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 8)
  writer.add_event(tf.Event(wall_time=2e9, step=9, summary=message))
  writer.add_run_metadata(tf.RunMetadata(), "tag", 10)
  again = _say(lambda: writer.add_run_metadata(tf.RunMetadata(), "tag"))
  writer.add_graph(tf.get_default_graph(), 11)
  writer.flush()
  found = [writer.get_logdir(), again, len(_events(tf, folder))]
  writer.close()
  return [*found, _events(tf, folder), len(os.listdir(folder))]


def program_file_writer_options(tf):
  folder = _fresh("writer_options")
  tf.constant(1)
  with tf.summary.FileWriter(folder, max_queue=1, flush_secs=1, filename_suffix=".mine") as writer:
    for step in range(5):
      writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="y", simple_value=step)]), step)
  names = [name.endswith(".mine") for name in os.listdir(folder)]
  found = [names, _events(tf, folder)]
  other = tf.summary.FileWriter(_fresh("writer_graph"), graph_def=tf.get_default_graph().as_graph_def())
  other.add_meta_graph(tf.train.export_meta_graph(), 3)
  errors = [
    _say(lambda: other.add_graph(3)),
    _say(lambda: other.add_meta_graph(3)),
    _say(lambda: other.add_graph(tf.get_default_graph(), graph_def=tf.GraphDef())),
  ]
  other.close()
  return [*found, errors, _events(tf, "writer_graph")]


def program_file_writer_metadata(tf):
  """Metadata of a tag is written once."""
  folder = _fresh("writer_metadata")
  text = tf.summary.text("t", tf.constant("x"))
  with tf.Session() as session, tf.summary.FileWriter(folder) as writer:
    for step in range(2):
      writer.add_summary(session.run(text), step)
  return _events(tf, folder)


def program_file_writer_cache(tf):
  folder = _fresh("cache")
  tf.constant(1)
  cache = tf.summary.FileWriterCache
  one, two, other = cache.get(folder), cache.get(folder), cache.get(_fresh("cache_other"))
  one.add_summary(tf.Summary(value=[tf.Summary.Value(tag="y", simple_value=1.0)]), 1)
  cache.clear()
  three = cache.get(folder)
  cache.clear()
  return [one is two, one is other, one is three, [e[0] for e in _events(tf, "cache_other")]]


def program_training_summaries(tf):
  """A training that writes what TensorBoard shows."""
  folder = _fresh("training")
  x = tf.get_variable("x", initializer=[3.0, -2.0])
  loss = tf.reduce_sum(tf.square(x))
  tf.summary.scalar("loss", loss)
  tf.summary.histogram("x", x)
  step = tf.train.get_or_create_global_step()
  train = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(2.0 * x, x)], global_step=step)
  merged = tf.summary.merge_all()
  with tf.Session() as session:
    writer = tf.summary.FileWriter(folder)
    session.run(tf.global_variables_initializer())
    for _ in range(3):
      text, _at, _ = session.run([merged, step, train])
      writer.add_summary(text, tf.train.global_step(session, step))
    writer.close()
  return [e[:2] for e in _events(tf, folder)]
