"""The results of evaluations as summaries in files of events."""

import numpy as np

import millrace as tf
from millrace.framework import protos


def text_of(results):
  """The results in the order of their names, as messages show them."""
  return ", ".join(f"{key} = {value!s}" for key, value in sorted(results.items()) if not isinstance(value, bytes))


def write(output_dir, results, step):
  """Writes the results into a file of the folder: numbers, arrays, and bytes that are summaries. Others are left out."""
  tf.logging.info("Saving dict for global step %d: %s", step, text_of(results))
  summary = protos.Summary()
  for key in sorted(results):
    value = results[key]
    if value is None or key == "global_step":
      continue
    _add(summary, key, value)
  _write(output_dir, summary, step)


def _add(summary, key, value):
  if isinstance(value, (np.floating, float, np.integer, int)) and not isinstance(value, bool):
    summary.value.add(tag=key, simple_value=float(value))
  elif isinstance(value, bytes):
    try:
      other = protos.Summary.FromString(value)
    except Exception:  # noqa: BLE001 (whatever the parser raises)
      tf.logging.warning("Skipping summary for %s, cannot parse string to Summary.", key)
      return
    for i, part in enumerate(other.value):
      part.tag = f"{key}/{i}"
    summary.value.extend(other.value)
  elif isinstance(value, np.ndarray):
    tf.logging.info(
      "Summary for np.ndarray is not visible in Tensorboard by default. Consider using a Tensorboard plugin for it."
    )
    summary.value.add(tag=key).tensor.CopyFrom(tf.make_tensor_proto(value))
  else:
    tf.logging.warning(
      "Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int or np.ndarray or a serialized string of "
      "Summary.",
      key,
    )


def write_checkpoint_path(output_dir, checkpoint_path, step):
  """Writes which checkpoint was evaluated."""
  tf.logging.info("Saving 'checkpoint_path' summary for global step %d: %s", step, checkpoint_path)
  summary = protos.Summary()
  summary.value.add(tag="checkpoint_path").tensor.CopyFrom(tf.make_tensor_proto(checkpoint_path, dtype=tf.string))
  _write(output_dir, summary, step)


def _write(output_dir, summary, step):
  writer = tf.summary.FileWriterCache.get(output_dir)
  writer.add_summary(summary, step)
  writer.flush()
