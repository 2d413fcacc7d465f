"""Folders of exports: each is called by the second in which it was made."""

import os

import millrace as tf
from millrace.estimator import clock

MAX_DIRECTORY_CREATION_ATTEMPTS = 10


def timestamped_export_dir(export_dir_base):
  """The path, as bytes, of a folder that isn't there yet, called by the present second or a following one.

  Raises RuntimeError if ten of them are there.
  """
  for attempt in range(MAX_DIRECTORY_CREATION_ATTEMPTS):
    path = os.path.join(tf.compat.as_bytes(export_dir_base), tf.compat.as_bytes(str(int(clock.time()))))
    if not tf.gfile.Exists(path):
      return path
    clock.sleep(1)
    tf.logging.warning(
      "Directory %s already exists; retrying (attempt %d/%d)", path, attempt + 1, MAX_DIRECTORY_CREATION_ATTEMPTS
    )
  raise RuntimeError(f"Failed to obtain a unique export directory name after {MAX_DIRECTORY_CREATION_ATTEMPTS} attempts.")


def temp_export_dir(export_dir):
  """The path in which an export is written, before it gets its name."""
  folder, name = os.path.split(tf.compat.as_bytes(export_dir))
  return os.path.join(folder, b"temp-" + name)


def exports_of(export_dir_base):
  """The paths of the exports in a folder, oldest first."""
  found = []
  for name in tf.gfile.ListDirectory(export_dir_base):
    name = tf.compat.as_str_any(name).rstrip("/")
    if name.isdigit():
      found.append((int(name), os.path.join(tf.compat.as_str_any(export_dir_base), name)))
  return [path for _, path in sorted(found)]


def delete_old_exports(export_dir_base, exports_to_keep):
  """Deletes all but the newest exports of a folder; None keeps all."""
  if exports_to_keep is None:
    return
  for path in exports_of(export_dir_base)[:-exports_to_keep]:
    try:
      tf.gfile.DeleteRecursively(path)
    except tf.errors.NotFoundError as e:
      tf.logging.warning("Can not delete %s recursively: %s", path, e)
