"""Hooks that write: checkpoints, summaries, steps per second, profiles."""

import os

import millrace as tf
from millrace.framework import protos
from millrace.train import steps
from millrace.train.session.hooks import SecondOrStepTimer
from millrace.train.session.hooks_base import SessionRunArgs, SessionRunHook


class CheckpointSaverListener:
  """Is called around each saving of a CheckpointSaverHook; `after_save` ends the training by returning True."""

  def begin(self):
    pass

  def before_save(self, session, global_step_value):
    pass

  def after_save(self, session, global_step_value):
    pass

  def end(self, session, global_step_value):
    pass


class CheckpointSaverHook(SessionRunHook):
  """Saves a checkpoint every `save_secs` seconds or `save_steps` steps, after the session is made and at the end.

  The saver is `saver`, or that of `scaffold`, or the one of the collection SAVERS.
  """

  def __init__(
    self,
    checkpoint_dir,
    save_secs=None,
    save_steps=None,
    saver=None,
    checkpoint_basename="model.ckpt",
    scaffold=None,
    listeners=None,
  ):
    tf.logging.info("Create CheckpointSaverHook.")
    if saver is not None and scaffold is not None:
      raise ValueError("You cannot provide both saver and scaffold.")
    self._saver = saver
    self._checkpoint_dir = checkpoint_dir
    self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
    self._scaffold = scaffold
    self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
    self._listeners = listeners or []
    self._steps_per_run = 1

  def _set_steps_per_run(self, steps_per_run):
    self._steps_per_run = steps_per_run

  def begin(self):
    self._summary_writer = tf.summary.FileWriterCache.get(self._checkpoint_dir)
    self._global_step_tensor = steps._get_or_create_global_step_read()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use CheckpointSaverHook.")
    for listener in self._listeners:
      listener.begin()

  def after_create_session(self, session, coord):
    global_step = session.run(self._global_step_tensor)
    graph = tf.get_default_graph()
    # The graph is finalized only now: hooks that began later may have added to it.
    tf.train.write_graph(graph.as_graph_def(add_shapes=True), self._checkpoint_dir, "graph.pbtxt")
    saver = self._get_saver()
    saver_def = saver.saver_def if saver else None
    meta_graph_def = tf.train.export_meta_graph(graph_def=graph.as_graph_def(add_shapes=True), saver_def=saver_def)
    self._summary_writer.add_graph(graph)
    self._summary_writer.add_meta_graph(meta_graph_def)
    # The state before the first step.
    self._save(session, global_step)
    self._timer.update_last_triggered_step(global_step)

  def before_run(self, run_context):
    return SessionRunArgs(self._global_step_tensor)

  def after_run(self, run_context, run_values):
    stale_global_step = run_values.results
    if not self._timer.should_trigger_for_step(stale_global_step + self._steps_per_run):
      return
    # The step of this run was read maybe before its update.
    global_step = run_context.session.run(self._global_step_tensor)
    if self._timer.should_trigger_for_step(global_step):
      self._timer.update_last_triggered_step(global_step)
      if self._save(run_context.session, global_step):
        run_context.request_stop()

  def end(self, session):
    last_step = session.run(self._global_step_tensor)
    if last_step != self._timer.last_triggered_step():
      self._save(session, last_step)
    for listener in self._listeners:
      listener.end(session, last_step)

  def _save(self, session, step):
    """Saves; returns whether a listener asks for the end."""
    tf.logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
    for listener in self._listeners:
      listener.before_save(session, step)
    self._get_saver().save(session, self._save_path, global_step=step)
    self._summary_writer.add_session_log(
      protos.SessionLog(status=protos.SessionLog.CHECKPOINT, checkpoint_path=self._save_path), step
    )
    should_stop = False
    for listener in self._listeners:
      if listener.after_save(session, step):
        tf.logging.info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
        should_stop = True
    return should_stop

  def _get_saver(self):
    if self._saver is not None:
      return self._saver
    if self._scaffold is not None:
      return self._scaffold.saver
    key = tf.GraphKeys.SAVERS
    savers = tf.get_collection(key)
    if not savers:
      raise RuntimeError(f"No items in collection {key}. Please add a saver to the collection or provide a saver or scaffold.")
    if len(savers) > 1:
      raise RuntimeError(
        f"More than one item in collection {key}. Please indicate which one to use by passing it to the constructor."
      )
    self._saver = savers[0]
    return self._saver


class StepCounterHook(SessionRunHook):
  """Writes a summary of the steps a second, "global_step/sec", every so many steps or seconds."""

  def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
    if (every_n_steps is None) == (every_n_secs is None):
      raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
    self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
    self._summary_writer = summary_writer
    self._output_dir = output_dir
    self._last_global_step = None
    self._steps_per_run = 1

  def _set_steps_per_run(self, steps_per_run):
    self._steps_per_run = steps_per_run

  def begin(self):
    if self._summary_writer is None and self._output_dir:
      self._summary_writer = tf.summary.FileWriterCache.get(self._output_dir)
    self._global_step_tensor = steps._get_or_create_global_step_read()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use StepCounterHook.")
    self._summary_tag = steps.get_global_step().op.name + "/sec"

  def before_run(self, run_context):
    return SessionRunArgs(self._global_step_tensor)

  def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
    steps_per_sec = elapsed_steps / elapsed_time
    if self._summary_writer is not None:
      value = protos.Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
      self._summary_writer.add_summary(protos.Summary(value=[value]), global_step)
    tf.logging.info("%s: %g", self._summary_tag, steps_per_sec)

  def after_run(self, run_context, run_values):
    stale_global_step = run_values.results
    if self._timer.should_trigger_for_step(stale_global_step + self._steps_per_run):
      global_step = run_context.session.run(self._global_step_tensor)
      if self._timer.should_trigger_for_step(global_step):
        elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(global_step)
        if elapsed_time is not None:
          self._log_and_record(elapsed_steps, elapsed_time, global_step)
    # A step that doesn't move is a mistake that is hard to see otherwise. Whether a run reads it before or after its own
    # update is left to chance, so it is read once more.
    if stale_global_step == self._last_global_step and run_context.session.run(self._global_step_tensor) == stale_global_step:
      tf.logging.log_first_n(
        tf.logging.WARN,
        "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be stable): %s vs "
        "previous value: %s. You could increase the global step by passing tf.train.get_global_step() to "
        "Optimizer.apply_gradients or Optimizer.minimize.",
        5,
        stale_global_step,
        self._last_global_step,
      )
    self._last_global_step = stale_global_step


class SummarySaverHook(SessionRunHook):
  """Runs summaries and writes them, every so many steps or seconds.

  What is run is `summary_op`, or that of `scaffold`; where it is written `output_dir` or `summary_writer`.
  """

  def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None):
    if (scaffold is None and summary_op is None) or (scaffold is not None and summary_op is not None):
      raise ValueError("Exactly one of scaffold or summary_op must be provided.")
    self._summary_op = summary_op
    self._summary_writer = summary_writer
    self._output_dir = output_dir
    self._scaffold = scaffold
    self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

  def begin(self):
    if self._summary_writer is None and self._output_dir:
      self._summary_writer = tf.summary.FileWriterCache.get(self._output_dir)
    self._next_step = None
    self._global_step_tensor = steps._get_or_create_global_step_read()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use SummarySaverHook.")

  def before_run(self, run_context):
    self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
    requests = {"global_step": self._global_step_tensor}
    if self._request_summary:
      summaries = self._get_summary_op()
      if summaries is not None:
        requests["summary"] = summaries
    return SessionRunArgs(requests)

  def after_run(self, run_context, run_values):
    _ = run_context
    if not self._summary_writer:
      return
    stale_global_step = run_values.results["global_step"]
    global_step = stale_global_step + 1
    if self._next_step is None or self._request_summary:
      global_step = run_context.session.run(self._global_step_tensor)
    if self._next_step is None:
      self._summary_writer.add_session_log(protos.SessionLog(status=protos.SessionLog.START), global_step)
    if self._request_summary:
      self._timer.update_last_triggered_step(global_step)
      if "summary" in run_values.results:
        for summary in run_values.results["summary"]:
          self._summary_writer.add_summary(summary, global_step)
    self._next_step = global_step + 1

  def end(self, session=None):
    if self._summary_writer:
      self._summary_writer.flush()

  def _get_summary_op(self):
    """The list of what is run, or None."""
    summary_op = None
    if self._summary_op is not None:
      summary_op = self._summary_op
    elif self._scaffold.summary_op is not None:
      summary_op = self._scaffold.summary_op
    if summary_op is None:
      return None
    return summary_op if isinstance(summary_op, list) else [summary_op]


class ProfilerHook(SessionRunHook):
  """Writes a trace of a run every so many steps or seconds, as "timeline-<step>.json" for Chrome's tracing."""

  def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False):
    self._output_file = os.path.join(output_dir, "timeline-{}.json")
    self._file_writer = tf.summary.FileWriterCache.get(output_dir)
    self._show_dataflow = show_dataflow
    self._show_memory = show_memory
    self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

  def begin(self):
    self._next_step = None
    self._global_step_tensor = steps._get_or_create_global_step_read()
    if self._global_step_tensor is None:
      raise RuntimeError("Global step should be created to use ProfilerHook.")

  def before_run(self, run_context):
    self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
    options = None
    if self._request_summary:
      options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE)
    return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

  def after_run(self, run_context, run_values):
    stale_global_step = run_values.results["global_step"]
    if self._next_step is None:
      # The first step has what happens only once.
      self._timer.update_last_triggered_step(stale_global_step)
    global_step = stale_global_step + 1
    if self._request_summary:
      global_step = run_context.session.run(self._global_step_tensor)
      self._timer.update_last_triggered_step(global_step)
      self._save(global_step, self._output_file.format(global_step), run_values.run_metadata.step_stats)
      self._file_writer.add_run_metadata(run_values.run_metadata, f"step_{global_step}")
    self._next_step = global_step + 1

  def _save(self, step, save_path, step_stats):
    from millrace.client import timeline

    tf.logging.info("Saving timeline for %d into '%s'.", step, save_path)
    with tf.gfile.GFile(save_path, "w") as f:
      trace = timeline.Timeline(step_stats)
      f.write(trace.generate_chrome_trace_format(show_dataflow=self._show_dataflow, show_memory=self._show_memory))
