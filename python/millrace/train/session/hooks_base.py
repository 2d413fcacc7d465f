"""What a hook is: calls around each run of a monitored session."""

import collections


class SessionRunHook:
  """Base class of hooks; every method may be left as it is."""

  def begin(self):
    """Called once before the session is made; the graph may still be changed."""

  def after_create_session(self, session, coord):
    """Called each time that a session was made, also after a recovery; the graph is finalized."""

  def before_run(self, run_context):
    """Called before each run; what it returns (SessionRunArgs or None) is run with it."""
    return

  def after_run(self, run_context, run_values):
    """Called after each run that didn't fail, with the results of what `before_run` asked for."""

  def end(self, session):
    """Called once at the end, but not after an error."""


class SessionRunArgs(collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])):
  """What a hook adds to a run: fetches, feeds and RunOptions."""

  def __new__(cls, fetches, feed_dict=None, options=None):
    return super().__new__(cls, fetches, feed_dict, options)


class SessionRunContext:
  """The run that a hook is called for: its arguments and its session; `request_stop()` ends the training after it."""

  def __init__(self, original_args, session):
    self._original_args = original_args
    self._session = session
    self._stop_requested = False

  @property
  def original_args(self):
    return self._original_args

  @property
  def session(self):
    return self._session

  @property
  def stop_requested(self):
    return self._stop_requested

  def request_stop(self):
    self._stop_requested = True


SessionRunValues = collections.namedtuple("SessionRunValues", ["results", "options", "run_metadata"])
SessionRunValues.__doc__ = "What a run gave: results of the hook's fetches, RunOptions and RunMetadata."
