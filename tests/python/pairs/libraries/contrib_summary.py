"""tf.contrib.summary: summaries that ops write to files; stock has them in a module of its own."""

import glob
import os

import numpy as np


def _module(tf):
  if hasattr(tf, "contrib"):
    return tf.contrib.summary
  from tensorflow.python.ops import summary_ops_v2

  return summary_ops_v2


def _all_ops(tf):
  module = _module(tf)
  return module.all_summary_ops() if hasattr(module, "all_summary_ops") else module.all_v2_summary_ops()


def _graph(tf, *args, **kwargs):
  module = _module(tf)
  return (module.graph if hasattr(tf, "contrib") else module.graph_v1)(*args, **kwargs)


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _events(tf, folder):
  found = []
  for path in sorted(glob.glob(os.path.join(folder, "*"))):
    for event in tf.train.summary_iterator(path):
      kind = event.WhichOneof("what")
      for value in event.summary.value if kind == "summary" else ():
        held = value.WhichOneof("value")
        data = value.simple_value if held == "simple_value" else None
        if held == "histo":
          data = [value.histo.min, value.histo.max, value.histo.num]
        if held == "image":
          data = [value.image.height, value.image.width]
        if held == "audio":
          data = [value.audio.sample_rate, value.audio.length_frames]
        if held == "tensor":
          data = [value.tensor.dtype, value.metadata.plugin_data.plugin_name]
        found.append((event.step, value.tag, held, data))
      if kind not in ("summary", "file_version"):
        found.append((event.step, kind))
  return sorted(found, key=repr)


def program_scalars_and_steps(tf):
  module = _module(tf)
  step = tf.train.get_or_create_global_step()
  writer = module.create_file_writer("scalars", max_queue=3, flush_millis=1000, filename_suffix=".x", name="mine")
  with tf.name_scope("outer"), writer.as_default(), module.record_summaries_every_n_global_steps(2):
    every = module.scalar("every", tf.constant(2.0), family="family")
  with writer.as_default(), module.always_record_summaries():
    always = module.scalar("always", 3.0, step=tf.constant(7, tf.int64))
    with module.never_record_summaries():
      never = module.scalar("never", 3.0)
  with writer.as_default():
    unasked = module.scalar("unasked", 3.0)
  nowhere = module.scalar("nowhere", 1.0)
  ops = [every, always, never, unasked]
  with tf.Session() as session, writer.as_default():
    session.run(tf.global_variables_initializer())
    module.initialize()
    values = [session.run(ops)]
    session.run(tf.assign_add(step, 1))
    values.append(session.run(ops))
    session.run([writer.flush(), module.flush(writer, name="flushed")])
    session.run(writer.close())
  names = len(_all_ops(tf))
  suffixes = [os.path.basename(path).endswith(".x") for path in glob.glob("scalars/*")]
  return [np.array(values), _events(tf, "scalars"), names, nowhere.op.type, suffixes]


def program_all_kinds(tf):
  module = _module(tf)
  tf.train.create_global_step()
  writer = module.create_file_writer("kinds")
  writer.set_as_default()
  metadata = tf.SummaryMetadata(plugin_data=tf.SummaryMetadata.PluginData(plugin_name="mine"))
  color = tf.constant([0, 0, 0, 0], tf.uint8)
  with module.always_record_summaries():
    module.histogram("h", tf.constant([1.0, 2.0]), family="f", step=1)
    module.image("i", tf.zeros([4, 2, 3, 1]), bad_color=color, max_images=2, family="f", step=2)
    module.image("j", tf.zeros([1, 2, 3, 1]))
    module.audio("a", tf.zeros([1, 8, 1]), 44100.0, 1, family="f", step=3)
    module.generic("g", tf.constant([1, 2]), metadata=metadata, family="f", step=4)
    module.generic("n", tf.constant("text"))
  event = tf.Event(step=9, summary=tf.Summary(value=[tf.Summary.Value(tag="event", simple_value=4.0)]))
  imported = module.import_event(event.SerializeToString(), name="imported")
  graph = _graph(tf, tf.constant(tf.Graph().as_graph_def().SerializeToString()), step=5, name="graph")
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    module.initialize(graph=tf.get_default_graph(), session=session)
    session.run(_all_ops(tf))
    session.run([imported, graph])
    session.run(module.flush())
  return _events(tf, "kinds")


def program_no_writer(tf):
  module = _module(tf)
  writer = module.create_file_writer(None)
  with writer.as_default():
    pass
  return [
    _say(module.initialize),
    module.eval_dir("model"),
    module.eval_dir("model", name="other"),
    module.flush().type,
    bool(isinstance(module.summary_writer_initializer_op(), list)),
  ]


def program_a_session_is_needed(tf):
  module = _module(tf)
  writer = module.create_file_writer("session")
  with writer.as_default():
    return [_say(module.initialize), _say(lambda: _graph(tf, 5)), len(module.summary_writer_initializer_op())]


def program_should_record(tf):
  module = _module(tf)
  writer = module.create_file_writer("should")
  found = []
  with writer.as_default():
    for block in (module.always_record_summaries(), module.never_record_summaries()):
      with block:
        found.append(tf.convert_to_tensor(module.should_record_summaries()))
    step = tf.constant(6, tf.int64)
    with module.record_summaries_every_n_global_steps(3, global_step=step):
      found.append(tf.convert_to_tensor(module.should_record_summaries()))
  with tf.Session() as session:
    return session.run(found)
