"""The file "checkpoint", which says which checkpoints there are, and the files of one checkpoint."""

import os
import re
import time

from google.protobuf import text_format

import millrace as tf
from millrace.framework import protos
from millrace.train.saver import files

_V2 = 2


def _state_file(save_dir, latest_filename):
  return os.path.join(save_dir, "checkpoint" if latest_filename is None else latest_filename)


def generate_checkpoint_state_proto(
  save_dir,
  model_checkpoint_path,
  all_model_checkpoint_paths=None,
  all_model_checkpoint_timestamps=None,
  last_preserved_timestamp=None,
):
  """The CheckpointState with these paths, oldest first; they are made relative to `save_dir` if it is relative.

  Raises ValueError if timestamps are given and their number isn't that of the paths.
  """
  paths = [] if all_model_checkpoint_paths is None else list(all_model_checkpoint_paths)
  if not paths or paths[-1] != model_checkpoint_path:
    tf.logging.info("%s is not in all_model_checkpoint_paths. Manually adding it.", model_checkpoint_path)
    paths.append(model_checkpoint_path)
  times = all_model_checkpoint_timestamps
  if times and len(times) != len(paths):
    raise ValueError(
      f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} and timestamps {times})"
    )
  # Paths below a relative folder are said from that folder, so that it can be moved.
  if not os.path.isabs(save_dir):
    paths = [p if os.path.isabs(p) else os.path.relpath(p, save_dir) for p in paths]
    if not os.path.isabs(model_checkpoint_path):
      model_checkpoint_path = os.path.relpath(model_checkpoint_path, save_dir)
  return protos.CheckpointState(
    model_checkpoint_path=model_checkpoint_path,
    all_model_checkpoint_paths=paths,
    all_model_checkpoint_timestamps=times,
    last_preserved_timestamp=last_preserved_timestamp,
  )


def update_checkpoint_state(
  save_dir,
  model_checkpoint_path,
  all_model_checkpoint_paths=None,
  latest_filename=None,
  all_model_checkpoint_timestamps=None,
  last_preserved_timestamp=None,
):
  """Writes the file "checkpoint" in `save_dir`. Raises RuntimeError if one of the paths is the file's own."""
  update_checkpoint_state_internal(
    save_dir,
    model_checkpoint_path,
    all_model_checkpoint_paths=all_model_checkpoint_paths,
    latest_filename=latest_filename,
    save_relative_paths=False,
    all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
    last_preserved_timestamp=last_preserved_timestamp,
  )


def update_checkpoint_state_internal(
  save_dir,
  model_checkpoint_path,
  all_model_checkpoint_paths=None,
  latest_filename=None,
  save_relative_paths=False,
  all_model_checkpoint_timestamps=None,
  last_preserved_timestamp=None,
):
  """`update_checkpoint_state`, which can also write all paths relative to the file."""
  path = _state_file(save_dir, latest_filename)
  if save_relative_paths:

    def relative(p):
      return os.path.relpath(p, save_dir) if os.path.isabs(p) else p

    if os.path.isabs(model_checkpoint_path):
      own_path = relative(model_checkpoint_path)
    else:
      own_path = model_checkpoint_path
    all_paths = [relative(p) for p in all_model_checkpoint_paths or []]
  else:
    own_path = model_checkpoint_path
    all_paths = all_model_checkpoint_paths
  state = generate_checkpoint_state_proto(
    save_dir,
    own_path,
    all_model_checkpoint_paths=all_paths,
    all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
    last_preserved_timestamp=last_preserved_timestamp,
  )
  if path == state.model_checkpoint_path:
    raise RuntimeError(
      f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  Please use a different save path."
    )
  files.write_atomically(path, text_format.MessageToString(state))


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
  """The CheckpointState of the folder with all paths made usable from here, or None if there is no valid one."""
  path = _state_file(checkpoint_dir, latest_filename)
  try:
    if not tf.gfile.Exists(path):
      return None
    state = protos.CheckpointState()
    text_format.Merge(files.read(path).decode("utf-8"), state)
  except tf.errors.OpError as e:
    tf.logging.warning("%s: %s", type(e).__name__, e)
    tf.logging.warning("%s: Checkpoint ignored", path)
    return None
  except text_format.ParseError as e:
    tf.logging.warning("%s: %s", type(e).__name__, e)
    tf.logging.warning("%s: Checkpoint ignored", path)
    return None
  if not state.model_checkpoint_path:
    raise ValueError("Invalid checkpoint state loaded from " + checkpoint_dir)
  if not os.path.isabs(state.model_checkpoint_path):
    state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
  for i, p in enumerate(state.all_model_checkpoint_paths):
    if not os.path.isabs(p):
      state.all_model_checkpoint_paths[i] = os.path.join(checkpoint_dir, p)
  return state


def _prefix_to_checkpoint_path(prefix, format_version):
  """The file by which a checkpoint is known: its index in format V2."""
  return prefix + ".index" if format_version == _V2 else prefix


def latest_checkpoint(checkpoint_dir, latest_filename=None):
  """The prefix of the newest checkpoint that the folder's state names, or None if its files aren't there."""
  state = get_checkpoint_state(checkpoint_dir, latest_filename)
  if state and state.model_checkpoint_path:
    for version in (_V2, 1):
      if files.exists(_prefix_to_checkpoint_path(state.model_checkpoint_path, version)):
        return state.model_checkpoint_path
    tf.logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
  return None


def checkpoint_exists(checkpoint_prefix):
  """Whether there is a checkpoint of either format with that prefix."""
  return any(files.exists(_prefix_to_checkpoint_path(checkpoint_prefix, version)) for version in (_V2, 1))


def get_checkpoint_mtimes(checkpoint_prefixes):
  """The times (seconds since the epoch) when the checkpoints were written; those that aren't there are left out."""
  times = []

  def find(path):
    found = tf.gfile.Glob(path)
    if not found:
      return False
    times.append(tf.gfile.Stat(found[0]).mtime_nsec / 1e9)
    return True

  for prefix in checkpoint_prefixes:
    if not find(_prefix_to_checkpoint_path(prefix, _V2)):
      find(prefix)
  return times


def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=_V2, meta_graph_suffix="meta"):
  """Deletes the files of a checkpoint and its meta graph."""
  _delete_if_there(meta_graph_filename(checkpoint_prefix, meta_graph_suffix))
  if checkpoint_format_version == _V2:
    _delete_if_there(checkpoint_prefix + ".index")
    _delete_if_there(checkpoint_prefix + ".data-?????-of-?????")
  else:
    _delete_if_there(checkpoint_prefix)


def _delete_if_there(pattern):
  for path in tf.gfile.Glob(pattern):
    tf.gfile.Remove(path)


def meta_graph_filename(checkpoint_filename, meta_graph_suffix="meta"):
  """The file of the meta graph that belongs to a checkpoint, also where its name is a pattern of shards."""
  basename = checkpoint_filename
  if re.match(r".*-\?\?\?\?\?-of-\d\d\d\d\d$", checkpoint_filename) or re.search(r"-[\d\?]+-of-\d+$", checkpoint_filename):
    basename = re.sub(r"-[\d\?]+-of-\d+$", "", checkpoint_filename)
  return basename + "." + meta_graph_suffix


def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1, timeout=None):
  """Waits for a checkpoint other than `last_checkpoint`; returns its prefix, or None after `timeout` seconds."""
  tf.logging.info("Waiting for new checkpoint at %s", checkpoint_dir)
  stop_time = time.time() + timeout if timeout is not None else None
  while True:
    path = latest_checkpoint(checkpoint_dir)
    if path is None or path == last_checkpoint:
      if stop_time is not None and time.time() + seconds_to_sleep > stop_time:
        return None
      time.sleep(seconds_to_sleep)
    else:
      tf.logging.info("Found new checkpoint at %s", path)
      return path


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
  """Yields the newest checkpoint each time that there is another one.

  After `timeout` seconds without one it ends, or goes on if `timeout_fn()` is false. Between two there are at least
  `min_interval_secs` seconds.
  """
  path = None
  while True:
    path_or_none = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
    if path_or_none is None:
      if not timeout_fn:
        tf.logging.info("Timed-out waiting for a checkpoint.")
        return
      if timeout_fn():
        return
      continue
    path = path_or_none
    start = time.time()
    yield path
    wait = start + min_interval_secs - time.time()
    if wait > 0:
      time.sleep(wait)
