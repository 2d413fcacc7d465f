"""A writer of summaries that only remembers."""

import collections

import millrace as tf


class FakeSummaryWriter:
  """Takes what a FileWriter takes and keeps it: `summaries` is {step: [Summary]}.

  As a context that replaces the writers of hooks: `FakeSummaryWriter.install()` and `.uninstall()`.
  """

  _replaced_summary_writer = None

  @classmethod
  def install(cls):
    """Lets tf.summary.FileWriterCache give fake writers. Raises ValueError if it does already."""
    from millrace.summary import file_writer

    if cls._replaced_summary_writer:
      raise ValueError("FakeSummaryWriter already installed.")
    cls._replaced_summary_writer = file_writer.FileWriter
    file_writer.FileWriter = cls
    tf.summary.FileWriterCache.clear()

  @classmethod
  def uninstall(cls):
    """Undoes install(). Raises ValueError without it."""
    from millrace.summary import file_writer

    if not cls._replaced_summary_writer:
      raise ValueError("FakeSummaryWriter not installed.")
    tf.summary.FileWriterCache.clear()
    file_writer.FileWriter = cls._replaced_summary_writer
    cls._replaced_summary_writer = None

  def __init__(self, logdir, graph=None):
    self._logdir = logdir
    self._graph = graph
    self._summaries = collections.defaultdict(list)
    self._added_graphs = []
    self._added_meta_graphs = []
    self._added_session_logs = []
    self._added_run_metadata = {}

  @property
  def summaries(self):
    return dict(self._summaries)

  def assert_summaries(
    self,
    test_case,
    expected_logdir=None,
    expected_graph=None,
    expected_summaries=None,
    expected_added_graphs=None,
    expected_added_meta_graphs=None,
    expected_session_logs=None,
  ):
    """Lets a test case compare what the writer got with what is given; `expected_summaries` is {step: {tag: number}}."""
    if expected_logdir is not None:
      test_case.assertEqual(expected_logdir, self._logdir)
    if expected_graph is not None:
      test_case.assertTrue(expected_graph is self._graph)
    for step in expected_summaries or {}:
      test_case.assertIn(step, self._summaries)
      actual = {}
      for summary in self._summaries[step]:
        for value in summary.value:
          test_case.assertNotIn(value.tag, actual)
          actual[value.tag] = value.simple_value
      test_case.assertEqual(expected_summaries[step], actual)
    for expected, given in (
      (expected_added_graphs, self._added_graphs),
      (expected_added_meta_graphs, self._added_meta_graphs),
      (expected_session_logs, self._added_session_logs),
    ):
      if expected is not None:
        test_case.assertEqual(expected, given)

  def get_logdir(self):
    return self._logdir

  def add_summary(self, summary, global_step=None):
    """Keeps a Summary, or the bytes of one, under its step."""
    self._summaries[global_step].append(tf.Summary.FromString(summary) if isinstance(summary, bytes) else summary)

  def add_graph(self, graph, global_step=None, graph_def=None):
    """Keeps a graph. Raises ValueError for a GraphDef and for a step other than 0."""
    if global_step is not None and global_step < 0:
      raise ValueError(f"Invalid global_step {global_step}.")
    if graph_def is not None:
      raise ValueError(f"Unexpected graph_def {graph_def}.")
    self._added_graphs.append(graph)

  def add_meta_graph(self, meta_graph_def, global_step=None):
    if global_step is not None and global_step < 0:
      raise ValueError(f"Invalid global_step {global_step}.")
    self._added_meta_graphs.append(meta_graph_def)

  def add_session_log(self, session_log, global_step=None):
    del global_step
    self._added_session_logs.append(session_log)

  def add_run_metadata(self, run_metadata, tag, global_step=None):
    if global_step is not None and global_step < 0:
      raise ValueError(f"Invalid global_step {global_step}.")
    self._added_run_metadata[tag] = run_metadata

  def add_event(self, event):
    """Keeps the summary of an event, if it has one."""
    if event.HasField("summary"):
      self.add_summary(event.summary, event.step)

  def flush(self):
    pass

  def reopen(self):
    pass

  def close(self):
    pass


FakeFileWriter = FakeSummaryWriter
