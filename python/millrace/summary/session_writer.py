"""Events written by ops of a session: by the server that the session runs on."""

import millrace as tf
from millrace import gen
from millrace.framework import errors


class SessionEventWriter:
  """What EventFileWriter is, by ops: the file is where the session runs. Raises RuntimeError for a finalized graph."""

  def __init__(self, session, logdir, max_queue=10, flush_secs=120, filename_suffix=""):
    self._session = session
    self._logdir = logdir
    self._closed = False
    graph = session.graph
    if graph.finalized:
      raise RuntimeError("Graph is finalized and cannot be modified.")
    with graph.as_default(), tf.name_scope("filewriter"):
      shared_name = f"logdir:{logdir}"
      if filename_suffix:
        shared_name += f",suffix:{filename_suffix}"
      writer = gen.summary_writer(shared_name=shared_name)
      create = gen.create_summary_file_writer(
        writer, logdir, max_queue, flush_secs * 1000, "." + filename_suffix if filename_suffix else ".v2"
      )
      with tf.control_dependencies([create]):
        self._create_op = tf.no_op()
      self._event = tf.placeholder_with_default(tf.constant("unused", tf.string), shape=[])
      self._add_event_op = gen.import_event(writer, self._event)
      self._flush_op = gen.flush_summary_writer(writer)
      self._close_op = gen.close_summary_writer(writer)
    self._session.run(self._create_op)

  def get_logdir(self):
    return self._logdir

  def add_event(self, event):
    if not self._closed:
      self._session.run(self._add_event_op, feed_dict={self._event: event.SerializeToString()})

  def flush(self):
    self._session.run(self._flush_op)

  def close(self):
    if not self._closed:
      try:
        self.flush()
        self._session.run(self._close_op)
      except errors.FailedPreconditionError:
        tf.logging.vlog(1, "The writer of %s is closed already.", self._logdir)
      self._closed = True

  def reopen(self):
    if self._closed:
      self._session.run(self._create_op)
      self._closed = False
