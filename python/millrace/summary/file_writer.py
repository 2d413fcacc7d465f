"""FileWriter: summaries, graphs and logs as events in a file, or by ops of a session."""

import contextlib
import threading
import time
import warnings

import millrace as tf
from millrace.framework import meta_graph, protos
from millrace.summary import event_writer, records


class FileWriter:
  """Writes summaries and graphs for TensorBoard to a file of events in `logdir`.

  With `session`, a new file is begun by ops of that session instead. Without a graph nothing is written at first.
  """

  def __init__(
    self,
    logdir,
    graph=None,
    max_queue=10,
    flush_secs=120,
    graph_def=None,
    filename_suffix=None,
    session=None,
  ):
    if session is not None:
      from millrace.summary import session_writer

      self.event_writer = session_writer.SessionEventWriter(session, logdir, max_queue, flush_secs, filename_suffix)
    else:
      self.event_writer = event_writer.EventFileWriter(logdir, max_queue, flush_secs, filename_suffix)
    self._session = session
    self._closed = False
    # Metadata of a tag is written once.
    self._seen_summary_tags = set()
    if graph is not None or graph_def is not None:
      self.add_graph(graph=graph, graph_def=graph_def)
      source = graph.as_graph_def(add_shapes=True) if isinstance(graph, tf.Graph) else graph
      self.add_meta_graph(meta_graph.create_meta_graph_def(graph_def=graph_def or source))

  def __enter__(self):
    return self

  def __exit__(self, unused_type, unused_value, unused_traceback):
    self.close()

  def get_logdir(self):
    return self.event_writer.get_logdir()

  def _warn_if_event_writer_is_closed(self):
    if self._closed:
      warnings.warn(
        "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is explicitly reopened.",
        stacklevel=3,
      )

  def _add_event(self, event, step):
    event.wall_time = time.time()
    if step is not None:
      event.step = int(step)
    self._warn_if_event_writer_is_closed()
    self.event_writer.add_event(event)

  def add_event(self, event):
    """Writes an Event as it is."""
    self._warn_if_event_writer_is_closed()
    self.event_writer.add_event(protos.coerce(protos.Event, event))

  def add_summary(self, summary, global_step=None):
    """Writes a Summary, or the bytes of one as summary ops give them."""
    if isinstance(summary, bytes):
      message = protos.Summary()
      message.ParseFromString(summary)
      summary = message
    else:
      source = protos.coerce(protos.Summary, summary)
      summary = protos.Summary()
      summary.CopyFrom(source)
    for value in summary.value:
      if not value.metadata.plugin_data.plugin_name and not value.HasField("metadata"):
        continue
      # Metadata that was written already is left out.
      if value.tag in self._seen_summary_tags:
        value.ClearField("metadata")
        continue
      self._seen_summary_tags.add(value.tag)
    self._add_event(protos.Event(summary=summary), global_step)

  def add_session_log(self, session_log, global_step=None):
    """Writes a SessionLog: that a training began, ended, or saved a checkpoint."""
    self._add_event(protos.Event(session_log=protos.coerce(protos.SessionLog, session_log)), global_step)

  def add_graph(self, graph, global_step=None, graph_def=None):
    """Writes a graph. Raises TypeError for something else, ValueError for two or none."""
    if graph is not None and graph_def is not None:
      raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
    if isinstance(graph, tf.Graph) or isinstance(graph_def, tf.Graph):
      # A graph may stand in the place of the GraphDef, as it did once.
      if not isinstance(graph, tf.Graph):
        tf.logging.warning("When passing a `Graph` object, please use the `graph` named argument instead of `graph_def`.")
        graph = graph_def
      true_graph_def = graph.as_graph_def(add_shapes=True)
      self._write_plugin_assets(graph)
    elif protos.is_message(graph, "GraphDef") or protos.is_message(graph_def, "GraphDef"):
      tf.logging.warning(
        "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object instead, such as `sess.graph`."
      )
      true_graph_def = graph if protos.is_message(graph, "GraphDef") else graph_def
    else:
      raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
    self._add_event(protos.Event(graph_def=true_graph_def.SerializeToString()), global_step)

  def _write_plugin_assets(self, graph):
    """Files of plugins of TensorBoard: the graph has none."""

  def add_meta_graph(self, meta_graph_def, global_step=None):
    """Writes a MetaGraphDef. Raises TypeError for something else."""
    if not protos.is_message(meta_graph_def, "MetaGraphDef"):
      raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
    self._add_event(protos.Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

  def add_run_metadata(self, run_metadata, tag, global_step=None):
    """Writes the metadata of a run under a tag. Raises ValueError for a tag that was there."""
    if tag in self._seen_run_tags:
      raise ValueError("The provided tag was already used for this event type")
    self._seen_run_tags.add(tag)
    tagged = protos.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
    self._add_event(protos.Event(tagged_run_metadata=tagged), global_step)

  @property
  def _seen_run_tags(self):
    return self.__dict__.setdefault("_session_run_tags", set())

  def flush(self):
    """Returns when everything is in the file."""
    self._warn_if_event_writer_is_closed()
    self.event_writer.flush()

  def close(self):
    """Flushes and closes the file."""
    try:
      self.event_writer.close()
    finally:
      self._closed = True

  def reopen(self):
    """After `close()`, begins a new file; does nothing before it."""
    self.event_writer.reopen()
    self._closed = False


class FileWriterCache:
  """One writer a folder, made when it is first asked for."""

  _cache = {}  # noqa: RUF012 (one for all)
  _lock = threading.RLock()

  @staticmethod
  def clear():
    """Closes and forgets all writers, also where one raises an error."""
    with FileWriterCache._lock, contextlib.ExitStack() as closing:
      for item in FileWriterCache._cache.values():
        closing.callback(item.close)
      FileWriterCache._cache = {}

  @staticmethod
  def get(logdir):
    """The writer of the folder; a new one has the default graph."""
    with FileWriterCache._lock:
      if logdir not in FileWriterCache._cache:
        FileWriterCache._cache[logdir] = FileWriter(logdir, graph=tf.get_default_graph())
      return FileWriterCache._cache[logdir]


def summary_iterator(path):
  """Yields the events of a file."""
  for data in records.read_records(path):
    yield protos.Event.FromString(data)
