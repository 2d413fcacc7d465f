"""tf.contrib.session_bundle.gc: which exports are kept. Functions take lists of Path and return those that they keep."""

import collections
import math
import os

import millrace as tf
from millrace.contrib.session_bundle import constants
from millrace.framework.deprecation import deprecated

Path = collections.namedtuple("Path", "path export_version")

_INSTEAD = "No longer supported. Switch to SavedModel immediately."


@deprecated("2017-06-30", _INSTEAD)
def largest_export_versions(n):
  """Returns a function that keeps the `n` exports with the largest versions."""

  def keep(paths):
    return sorted(sorted(paths, key=lambda path: path.export_version)[-n:] if n else [])

  return keep


@deprecated("2017-06-30", _INSTEAD)
def one_of_every_n_export_versions(n):
  """Returns a function that keeps the largest version of each `n` versions that follow each other, counted from 1 and with 0 among them."""

  def keep(paths):
    found = {}
    for path in paths:
      group = math.floor((path.export_version - 1) / n) if path.export_version else 0
      if group not in found or found[group].export_version < path.export_version:
        found[group] = path
    return sorted(found.values())

  return keep


@deprecated("2017-06-30", _INSTEAD)
def mod_export_version(n):
  """Returns a function that keeps the versions that are multiples of `n`."""

  def keep(paths):
    return sorted(path for path in paths if path.export_version % n == 0)

  return keep


@deprecated("2017-06-30", _INSTEAD)
def union(lf, rf):
  """Returns a function that keeps what one of two functions keeps."""

  def keep(paths):
    return sorted({*lf(paths), *rf(paths)})

  return keep


@deprecated("2017-06-30", _INSTEAD)
def negation(f):
  """Returns a function that keeps what `f` does not."""

  def keep(paths):
    kept = set(f(paths))
    return sorted(path for path in paths if path not in kept)

  return keep


@deprecated("2017-06-30", _INSTEAD)
def get_paths(base_dir, parser):
  """Returns the sorted Paths of entries of a folder; `parser(Path(path, None))` gives the path with its version, or None to leave it out."""
  found = []
  for name in tf.gfile.ListDirectory(base_dir):
    path = os.path.join(tf.compat.as_text(base_dir), tf.compat.as_text(name).rstrip("/"))
    parsed = parser(Path(path, None))
    if parsed:
      found.append(parsed)
  return sorted(found)


def remove_others(base_dir, keep):
  """Removes the exports of a folder that `keep` does not keep."""

  def parse(path):
    name = os.path.basename(path.path)
    return (
      path._replace(export_version=int(name)) if name.isdigit() and len(name) >= len(constants.EXPORT_SUFFIX_FORMAT % 0) else None
    )

  paths = get_paths(base_dir, parse)
  kept = keep(paths)
  for path in paths:
    if path not in kept:
      tf.gfile.DeleteRecursively(path.path)
