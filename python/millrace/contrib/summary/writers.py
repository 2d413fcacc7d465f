"""Writers of tf.contrib.summary, and when summaries are recorded."""

import contextlib
import getpass
import os
import re
import threading
import time

import millrace as tf
from millrace import gen

# Collections with the ops that make writers, and with all ops of summaries.
_WRITERS = "_SUMMARY_WRITER_V2"
_SUMMARIES = "_SUMMARY_V2"

_EXPERIMENT_OR_RUN = re.compile(r"^[^\x00-\x1F<>]{0,256}$")
_USER = re.compile(r"^[a-z]([-a-z0-9]{0,29}[a-z0-9])?$", re.IGNORECASE)


class _State(threading.local):
  """The writer that summaries go to and whether they are recorded: a bool, a tensor, or a function of one."""

  def __init__(self):
    super().__init__()
    self.writer = None
    self.recording = False


state = _State()


def should_record_summaries():
  """Whether summaries are recorded here: a bool or a bool tensor."""
  recording = state.recording
  return recording() if callable(recording) else recording


@contextlib.contextmanager
def _recording(value):
  before = state.recording
  state.recording = value
  try:
    yield
  finally:
    state.recording = before


def always_record_summaries():
  """A block whose summaries are recorded in each step."""
  return _recording(True)


def never_record_summaries():
  """A block whose summaries are not recorded."""
  return _recording(False)


def record_summaries_every_n_global_steps(n, global_step=None):
  """A block whose summaries are recorded when the global step (by default the graph's) is a multiple of `n`."""
  if global_step is None:
    global_step = tf.train.get_or_create_global_step()
  with tf.device("cpu:0"):
    return _recording(tf.equal(global_step % n, 0))


class SummaryWriter:
  """A writer of the graph; `shared_name` None stands for one that writes nothing."""

  def __init__(self, shared_name, init_op_fn, name=None):
    self._resource = None
    if shared_name is None:
      self._init_op = tf.no_op()
      return
    self._resource = gen.summary_writer(shared_name=shared_name, name=name)
    self._init_op = init_op_fn(self._resource)

  def set_as_default(self):
    """Summaries that are made from now on go to this writer."""
    state.writer = self

  @contextlib.contextmanager
  def as_default(self):
    """A block whose summaries go to this writer."""
    if self._resource is None:
      yield self
      return
    before = state.writer
    state.writer = self
    try:
      yield self
    finally:
      state.writer = before

  def init(self):
    """Returns the op that opens the writer; it has to run before others."""
    return self._init_op

  def flush(self):
    """Returns the op that makes what was written visible."""
    return flush(writer=self)

  def close(self):
    """Returns the op that flushes and closes the writer."""
    if self._resource is None:
      return tf.no_op()
    with tf.control_dependencies([self.flush()]), tf.device("cpu:0"):
      return gen.close_summary_writer(self._resource)


def _made(writer):
  tf.add_to_collection(_WRITERS, writer.init())
  return writer


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None):
  """Returns a writer of an event file in `logdir`, where the session runs; None writes nothing.

  It keeps at most `max_queue` (10) summaries and for at most `flush_millis` milliseconds (two minutes). Writers of one `name` are one.
  """
  if logdir is None:
    return SummaryWriter(None, None)
  logdir = str(logdir)
  with tf.device("cpu:0"):
    queue = tf.constant(10) if max_queue is None else max_queue
    flush_time = tf.constant(2 * 60 * 1000) if flush_millis is None else flush_millis
    suffix = tf.constant(".v2") if filename_suffix is None else filename_suffix

    def create(resource):
      return gen.create_summary_file_writer(resource, logdir, queue, flush_time, suffix)

    return _made(SummaryWriter("logdir:" + logdir if name is None else name, create))


def create_db_writer(db_uri, experiment_name=None, run_name=None, user_name=None, name=None):
  """Returns a writer of a database of TensorBoard, where the session runs, under names of an experiment, a run and a user.

  The names are by default made from the time and the user of this process; an empty text is none. Raises ValueError for names that the
  database refuses.
  """
  with tf.device("cpu:0"):
    experiment_name = time.strftime("%Y-%m-%d", time.localtime()) if experiment_name is None else experiment_name
    run_name = time.strftime("%H:%M:%S", time.localtime()) if run_name is None else run_name
    user_name = getpass.getuser() if user_name is None else user_name
    experiment_name = _checked("experiment_name", _EXPERIMENT_OR_RUN, experiment_name)
    run_name = _checked("run_name", _EXPERIMENT_OR_RUN, run_name)
    user_name = _checked("user_name", _USER, user_name)

    def create(resource):
      return gen.create_summary_db_writer(resource, db_uri, experiment_name, run_name, user_name)

    return _made(SummaryWriter("db:" + db_uri if name is None else name, create))


def _checked(what, pattern, value):
  if isinstance(value, str) and value and not pattern.search(value):
    raise ValueError(f"{what} ({value}) must match regex {pattern.pattern!r}")
  return tf.convert_to_tensor(value, tf.string)


def create_summary_file_writer(*args, **kwargs):
  """The older name of create_file_writer."""
  tf.logging.warning("Deprecation Warning: create_summary_file_writer was renamed to create_file_writer")
  return create_file_writer(*args, **kwargs)


def eval_dir(model_dir, name=None):
  """Returns the folder of evaluations of a model: `eval`, or `eval_NAME`, below it."""
  return os.path.join(model_dir, "eval" if not name else "eval_" + name)


def summary_writer_initializer_op():
  """Returns the ops that open the graph's writers, as a list."""
  return tf.get_collection(_WRITERS)


def all_summary_ops():
  """Returns all ops of summaries of the graph, as a list; a session has to run them."""
  return tf.get_collection(_SUMMARIES)


def initialize(graph=None, session=None):
  """Opens the graph's writers in a session (by default the default one), and writes a graph if one is given.

  Raises RuntimeError without a default writer, ValueError without a session.
  """
  from millrace.contrib.summary import recording

  if state.writer is None:
    raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
  if session is None:
    session = tf.get_default_session()
    if session is None:
      raise ValueError("Argument `session must be passed if no default session exists")
  session.run(summary_writer_initializer_op())
  if graph is not None:
    data = recording.serialized_graph(graph)
    text = tf.placeholder(tf.string)
    session.run(recording.write_graph(text, 0), feed_dict={text: data})


def flush(writer=None, name=None):
  """Returns the op that makes what a writer (by default the default one) has written visible."""
  writer = state.writer if writer is None else writer
  resource = writer._resource if isinstance(writer, SummaryWriter) else writer
  if resource is None:
    return tf.no_op()
  with tf.device("cpu:0"):
    return gen.flush_summary_writer(resource, name=name)
