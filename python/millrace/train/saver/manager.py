"""CheckpointManager: keeps the newest checkpoints of a tf.train.Checkpoint in a folder."""

import os
import time

import millrace as tf
from millrace.train.saver import checkpoint_state
from millrace.train.saver.checkpoint import _session


class CheckpointManager:
  """Saves checkpoints with numbers, deletes all but the `max_to_keep` newest, and one every `keep_checkpoint_every_n_hours`.

  It goes on where an earlier process has stopped. Raises ValueError unless `max_to_keep` is positive or None.
  """

  def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt"):
    self._checkpoint = checkpoint
    if max_to_keep is not None and max_to_keep <= 0:
      raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
    self._max_to_keep = max_to_keep
    self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
    self._directory = directory
    self._checkpoint_prefix = os.path.join(directory, checkpoint_name)
    now = time.time()
    # By prefixes, oldest first: when they were written.
    self._maybe_delete = {}
    self._latest = None
    self._last_preserved_timestamp = now
    state = checkpoint_state.get_checkpoint_state(directory)
    if state is not None:
      self._latest = state.model_checkpoint_path
      times = list(state.all_model_checkpoint_timestamps)
      if len(times) != len(state.all_model_checkpoint_paths):
        times = [now] * len(state.all_model_checkpoint_paths)
      self._maybe_delete = dict(zip(state.all_model_checkpoint_paths, times))
      if state.last_preserved_timestamp:
        self._last_preserved_timestamp = state.last_preserved_timestamp

  @property
  def latest_checkpoint(self):
    """The prefix of the newest checkpoint, or None."""
    return self._latest

  @property
  def checkpoints(self):
    """The prefixes of the checkpoints that are there, oldest first."""
    return list(self._maybe_delete)

  def save(self, checkpoint_number=None):
    """Writes a checkpoint with the given number or the next one, in the default session; returns its prefix."""
    session = _session(None)
    # Every checkpoint has the counter, and counts.
    number = self._checkpoint._count(session)
    if checkpoint_number is None:
      checkpoint_number = number
    elif not isinstance(checkpoint_number, tf.compat.integral_types):
      checkpoint_number = tf.train.global_step(session, checkpoint_number)
    path = self._checkpoint.write(f"{self._checkpoint_prefix}-{int(checkpoint_number)}", session=session)
    self._maybe_delete.pop(path, None)
    self._maybe_delete[path] = time.time()
    self._latest = path
    self._record()
    self._sweep()
    self._record()
    return path

  def _record(self):
    checkpoint_state.update_checkpoint_state_internal(
      self._directory,
      model_checkpoint_path=self._latest,
      all_model_checkpoint_paths=list(self._maybe_delete),
      all_model_checkpoint_timestamps=list(self._maybe_delete.values()),
      last_preserved_timestamp=self._last_preserved_timestamp,
      save_relative_paths=True,
    )

  def _sweep(self):
    """Deletes the oldest checkpoints, but not those that the hours keep."""
    if not self._max_to_keep:
      return
    while len(self._maybe_delete) > self._max_to_keep:
      path, written = next(iter(self._maybe_delete.items()))
      del self._maybe_delete[path]
      hours = self._keep_checkpoint_every_n_hours
      if hours and written - hours * 3600.0 >= self._last_preserved_timestamp:
        self._last_preserved_timestamp = written
        continue
      checkpoint_state._delete_if_there(path + ".index")
      checkpoint_state._delete_if_there(path + ".data-?????-of-?????")
