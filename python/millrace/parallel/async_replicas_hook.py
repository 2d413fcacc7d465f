"""What a replica of an AsyncReplicasOptimizer does beside its steps, as a hook of its MonitoredSession."""

import time

from millrace.parallel import replica_pace, replica_table
from millrace.parallel.tensorflow_in_use import OverTensorflow, tf


class AsyncReplicasHook(OverTensorflow):
  """A `tf.train.SessionRunHook`, made by `AsyncReplicasOptimizer.make_session_run_hook`, for each replica, the chief or not.

  When a session begins it waits for the end of the warm-up, unless it is replica 0, and joins the replicas that train, with the
  clock of the slowest of them (so does one that restarts). Before each step it waits while it is more than max_ahead steps
  ahead of the slowest. At the end of the training it tells the others that it has ended, so that none waits for it. Whom it
  waits for, how long, and when it gives one up is as told by `options`, which are those of replica_pace.Pace: `when_stuck`,
  `too_long_secs`, `report_secs`, `least_poll_secs`, `most_poll_secs`.

  Every `log_every_secs` (None: not), and at the end, it logs the staleness of all replicas' gradients since the last time, and
  how many were dropped; where a server does not answer in time, the next log has that too. The summaries NAME/staleness (the
  mean so far), NAME/max_staleness and NAME/dropped, where NAME is that of the optimizer, are in the graph, for whoever saves
  summaries.
  """

  tensorflow_base = "train.SessionRunHook"

  def __init__(self, optimizer, log_every_secs=60.0, **options):
    self._optimizer, self._options = optimizer, options
    self._log_every_secs = log_every_secs
    self._next_log = None
    self._logged = replica_table.ReplicaRecords()
    self._pace = None
    self._waited_before = 0.0

  @property
  def records(self):
    """What the replicas had told when this last looked: after each wait, every log_every_secs, and at the end."""
    return self._pace.records if self._pace is not None else replica_table.ReplicaRecords()

  @property
  def waited_secs(self):
    """How long this replica has waited for slower ones."""
    return self._waited_before + (self._pace.waited_secs if self._pace is not None else 0.0)

  def begin(self):
    """Raises ValueError before apply_gradients, and for unknown options."""
    self._pace = self._optimizer.make_pace(**self._options)

  def after_create_session(self, session, coord):
    self._waited_before += self._pace.waited_secs
    self._pace = self._optimizer.make_pace(coordinator=coord, **self._options)
    self._pace.begin(session)
    if self._next_log is None and self._log_every_secs is not None:
      self._next_log = _now() + self._log_every_secs

  def before_run(self, run_context):
    self._pace.before_step(run_context.session)
    if self._next_log is not None and _now() >= self._next_log:
      self._next_log = _now() + self._log_every_secs
      try:
        self._pace.look(run_context.session)
      except tf().errors.DeadlineExceededError:
        return  # a server that is silent for a while; the next log has what this one would have had
      self._log()

  def end(self, session):
    self._pace.end(session)
    self._log()

  def _log(self):
    records = self._pace.records
    tf().logging.info(
      "'%s' at step %d: %s", self._optimizer.block_name, records.global_step, replica_table.summarize(self._logged, records)
    )
    self._logged = records


def _now():
  return time.monotonic()
