"""Warm starts: variables begin with the values of another model, whose vocabulary may be another one."""

import collections

import millrace as tf
from millrace import gen
from millrace.train.saver import init_from_checkpoint as init_lib
from millrace.train.saver import reader as reader_lib


class VocabInfo(
  collections.namedtuple(
    "VocabInfo",
    [
      "new_vocab",
      "new_vocab_size",
      "num_oov_buckets",
      "old_vocab",
      "old_vocab_size",
      "backup_initializer",
      "axis",
    ],
  )
):
  """The vocabularies by which the rows (axis 0) or columns (axis 1) of a variable are told in the new and the old model.

  Both are files with a word a line. Rows of words that the old model doesn't have are made by `backup_initializer`.
  """

  def __new__(
    cls,
    new_vocab,
    new_vocab_size,
    num_oov_buckets,
    old_vocab,
    old_vocab_size=-1,
    backup_initializer=None,
    axis=0,
  ):
    if axis not in (0, 1):
      raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
    return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis)


def _infer_var_name(parts):
  """The name in checkpoints of a variable, which is given as the list of its parts."""
  info = parts[0]._get_save_slice_info()
  return info.full_name if info is not None else parts[0].op.name


def _grouped_variables(vars_to_warm_start):
  """Lists of the parts of variables, by the names of the whole ones."""
  if isinstance(vars_to_warm_start, str) or vars_to_warm_start is None:
    tf.logging.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
    found = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=vars_to_warm_start)
  elif isinstance(vars_to_warm_start, list):
    if all(isinstance(v, str) for v in vars_to_warm_start):
      found = []
      for v in vars_to_warm_start:
        found += tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=v)
    elif all(isinstance(v, tf.Variable) for v in vars_to_warm_start):
      found = vars_to_warm_start
    else:
      raise ValueError(
        "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
        f"{[type(v) for v in vars_to_warm_start]}"
      )
  else:
    raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(vars_to_warm_start)}")
  grouped = {}
  for v in found:
    parts = v if isinstance(v, list) else [v]
    grouped.setdefault(_infer_var_name(parts), []).extend(parts)
  return grouped


def warm_start(ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
  """Lets variables begin with the values of a checkpoint.

  `vars_to_warm_start` is a pattern of names of trainable variables, a list of patterns or variables, or None, which takes only
  those of `var_name_to_vocab_info`. Names in the checkpoint are those of `var_name_to_prev_var_name`, else the same. Raises
  ValueError for entries of the maps that are no variable's.
  """
  var_name_to_vocab_info = var_name_to_vocab_info or {}
  var_name_to_prev_var_name = var_name_to_prev_var_name or {}
  tf.logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
  grouped = _grouped_variables(vars_to_warm_start)
  prev_names_used = set()
  vocab_infos_used = set()
  for var_name, parts in sorted(grouped.items()):
    prev_name = var_name_to_prev_var_name.get(var_name)
    if prev_name:
      prev_names_used.add(var_name)
    info = var_name_to_vocab_info.get(var_name)
    if info:
      vocab_infos_used.add(var_name)
      tf.logging.debug("Warm-starting variable: %s; with vocabularies %s", var_name, info)
      _warm_start_with_vocab(parts, info, ckpt_to_initialize_from, prev_name or var_name)
    elif vars_to_warm_start:
      # None takes only the variables that have vocabularies.
      if len(parts) == 1:
        parts = parts[0]
      init_lib.init_from_checkpoint(ckpt_to_initialize_from, {prev_name or var_name: parts})
  unused = set(var_name_to_prev_var_name) - prev_names_used
  if unused:
    raise ValueError(
      "You provided the following variables in var_name_to_prev_var_name that were not used: "
      f"{unused}.  Perhaps you misspelled them?  Here is the list of viable variable names: {list(grouped)}"
    )
  unused = set(var_name_to_vocab_info) - vocab_infos_used
  if unused:
    raise ValueError(
      f"You provided the following variables in var_name_to_vocab_info that were not used: {unused}.  "
      f"Perhaps you misspelled them?  Here is the list of viable variable names: {list(grouped)}"
    )


def _warm_start_with_vocab(parts, info, prev_ckpt, prev_name):
  if not (info.new_vocab and info.new_vocab_size and prev_ckpt and info.old_vocab):
    raise ValueError("Invalid args: Must provide all of [current_vocab_path, current_vocab_size, prev_ckpt, prev_vocab_path}.")
  ckpt_file = reader_lib._checkpoint_filename(prev_ckpt)
  for v in parts:
    shape = v.get_shape().as_list()
    slice_info = v._get_save_slice_info()
    offset = slice_info.var_offset[0] if slice_info else 0
    value = _remapped(ckpt_file, prev_name, shape, offset, info)
    v._initializer_op = tf.assign(v, tf.convert_to_tensor(value))


def _remapped(ckpt_file, prev_name, shape, row_offset, info):
  """The rows from `row_offset` on of the old matrix, with its rows or columns at their new places."""
  initializer = info.backup_initializer or tf.zeros_initializer()
  rows, columns = shape
  words = info.new_vocab_size
  remap_rows = info.axis == 0
  # Rows or columns behind the vocabulary are buckets for unknown words, which are always new.
  new_rows = max(0, min(rows, words - row_offset)) if remap_rows else rows
  new_columns = words if not remap_rows else columns
  remapping, present = gen.generate_vocab_remapping(
    info.new_vocab,
    info.old_vocab,
    new_vocab_offset=row_offset if remap_rows else 0,
    num_new_vocab=new_rows if remap_rows else words,
    old_vocab_size=info.old_vocab_size,
  )
  if remap_rows:
    row_remapping, column_remapping = remapping, []
    missing = new_rows * new_columns - present * new_columns
  else:
    row_remapping = tf.range(row_offset, row_offset + rows, dtype=tf.int64)
    column_remapping = remapping
    missing = new_rows * new_columns - rows * present
  values = gen.load_and_remap_matrix(
    ckpt_file,
    prev_name,
    row_remapping,
    column_remapping,
    initializing_values=initializer([missing, 1]),
    num_rows=new_rows,
    num_cols=new_columns,
    max_rows_in_memory=-1,
  )
  if remap_rows and rows > new_rows:
    values = tf.concat([values, initializer([rows - new_rows, columns])], 0)
  elif not remap_rows and columns > new_columns:
    values = tf.concat([values, initializer([rows, columns - new_columns])], 1)
  return values
