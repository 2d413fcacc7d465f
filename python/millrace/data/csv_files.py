"""make_csv_dataset: batches of columns of CSV files, whose names and types are read from the files if they are not given."""

import collections
import csv

import numpy as np

from millrace.data import interleaving, mapping, scanning, sources, tables_of_text
from millrace.framework import constants, dtypes
from millrace.framework.tensor import Tensor

_TYPES = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]


def matching_files(file_pattern, shuffle):
  """Names of the files that match a pattern or a list of them, sorted unless they are to be shuffled."""
  from millrace.platform import gfile

  if isinstance(file_pattern, list):
    if not file_pattern:
      raise ValueError("Argument `file_pattern` should not be empty.")
    names = [name for pattern in file_pattern for name in gfile.Glob(pattern)]
  else:
    names = list(gfile.Glob(file_pattern))
  if not names:
    raise ValueError(f"No files match `file_pattern` {file_pattern}.")
  return names if shuffle else sorted(names)


def _open(name, compression_type):
  import gzip
  import io
  import zlib

  from millrace.platform import gfile

  if not compression_type:
    return gfile.GFile(name, "r")
  with gfile.GFile(name, "rb") as file:
    data = file.read()
  data = gzip.decompress(data) if compression_type == "GZIP" else zlib.decompress(data)
  return io.StringIO(data.decode())


def _rows(names, columns, field_delim, use_quote_delim, header, compression_type):
  """Yields rows as lists of texts. Raises ValueError where one has another number of columns."""
  options = {"delimiter": field_delim, "quoting": csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE}
  for name in names:
    with _open(name, compression_type) as file:
      rows = csv.reader(file, **options)
      if header:
        next(rows)
      for row in rows:
        if len(row) != columns:
          raise ValueError(f"Problem inferring types: CSV row {row} has {len(row)} number of fields. Expected: {columns}.")
        yield row


def _column_names(names, field_delim, use_quote_delim, compression_type):
  options = {"delimiter": field_delim, "quoting": csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE}
  found = None
  for name in names:
    with _open(name, compression_type) as file:
      first = next(csv.reader(file, **options))
    if found is not None and first != found:
      raise ValueError(
        f"All input CSV files should have the same column names in the header row. File {name} has different column names."
      )
    found = first
  return found


def _fits(text, dtype):
  try:
    if dtype in (dtypes.int32, dtypes.int64):
      limits = np.iinfo(dtype.as_numpy_dtype)
      return limits.min <= int(text) <= limits.max
    if dtype == dtypes.float32:
      return dtypes.float32.min <= float(text) <= dtypes.float32.max
    if dtype == dtypes.float64:
      return dtypes.float64.min <= float(text) <= dtypes.float64.max
  except (ValueError, OverflowError):
    return False
  return True


def _wider(text, na_value, known):
  if text in ("", na_value):
    return known
  start = 0 if known is None else _TYPES.index(known)
  return next(dtype for dtype in _TYPES[start:] if _fits(text, dtype))


def _infer_defaults(rows, columns, na_value, num_rows, select_columns):
  chosen = list(range(columns)) if select_columns is None else select_columns
  types = [None] * len(chosen)
  for i, row in enumerate(rows):
    if num_rows is not None and i >= num_rows:
      break
    types = [_wider(row[column], na_value, known) for column, known in zip(chosen, types)]
  types = [dtypes.string if dtype is None else dtype for dtype in types]
  return [constants.constant([0 if dtype != dtypes.string else ""], dtype=dtype) for dtype in types]


def _column_numbers(select_columns, column_names):
  numbers = []
  for column in select_columns:
    if isinstance(column, int):
      numbers.append(column)
    elif column in column_names:
      numbers.append(column_names.index(column))
    else:
      raise ValueError(f"Value {column} specified in `select_columns` is not a valid column index or name.")
  if len(set(numbers)) != len(numbers):
    raise ValueError("The `select_columns` argument contains duplicate columns.")
  for number in sorted(numbers):
    if number < 0 or number >= len(column_names):
      raise ValueError(f"The `select_columns` argument contains invalid column index: {number}")
  return sorted(numbers)


def shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed):
  if shuffle:
    dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
  if num_epochs != 1:
    dataset = dataset.repeat(num_epochs)
  return dataset


def make_csv_dataset(
  file_pattern,
  batch_size,
  column_names=None,
  column_defaults=None,
  label_name=None,
  select_columns=None,
  field_delim=",",
  use_quote_delim=True,
  na_value="",
  header=True,
  num_epochs=None,
  shuffle=True,
  shuffle_buffer_size=10000,
  shuffle_seed=None,
  prefetch_buffer_size=None,
  num_parallel_reads=None,
  sloppy=False,
  num_rows_for_inference=100,
  compression_type=None,
  ignore_errors=False,
):
  """Returns a data set of ordered dictionaries of columns, `batch_size` rows each; with `label_name` pairs (columns, label).

  Types of columns without defaults are the narrowest of int32, int64, float32, float64 and string that the first
  `num_rows_for_inference` rows have.
  """
  names = matching_files(file_pattern, False)
  dataset = sources.from_tensor_slices(names)
  if shuffle:
    dataset = dataset.shuffle(len(names), shuffle_seed)
  if column_names is None:
    if not header:
      raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
    column_names = _column_names(names, field_delim, use_quote_delim, compression_type)
  if len(column_names) != len(set(column_names)):
    raise ValueError("Cannot have duplicate column names.")
  if select_columns is not None:
    select_columns = _column_numbers(select_columns, column_names)
  if column_defaults is not None:
    column_defaults = [
      constants.constant([], dtype=value) if not isinstance(value, Tensor) and value in _TYPES else value
      for value in column_defaults
    ]
  else:
    rows = _rows(names, len(column_names), field_delim, use_quote_delim, header, compression_type)
    column_defaults = _infer_defaults(rows, len(column_names), na_value, num_rows_for_inference, select_columns)
  if select_columns is not None and len(column_defaults) != len(select_columns):
    raise ValueError(
      f"If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` has length {len(column_defaults)}, "
      f"`select_columns` has length {len(select_columns)}"
    )
  if select_columns is not None and len(column_names) > len(select_columns):
    column_names = [column_names[i] for i in select_columns]
  if label_name is not None and label_name not in column_names:
    raise ValueError("`label_name` provided must be one of the columns.")

  def filename_to_dataset(filename):
    rows = tables_of_text.CsvDatasetV1(
      filename,
      record_defaults=column_defaults,
      select_cols=select_columns,
      field_delim=field_delim,
      use_quote_delim=use_quote_delim,
      na_value=na_value,
      header=header,
      compression_type=compression_type,
    )
    return rows.apply(scanning.ignore_errors()) if ignore_errors else rows

  def map_fn(*columns):
    features = collections.OrderedDict(zip(column_names, columns))
    if label_name is not None:
      label = features.pop(label_name)
      return features, label
    return features

  reads = 1 if num_parallel_reads is None else num_parallel_reads
  dataset = interleaving.parallel_interleave(dataset, filename_to_dataset, reads, 1, sloppy, None, None)
  dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
  dataset = dataset.batch(batch_size=batch_size, drop_remainder=num_epochs is None)
  dataset = mapping.map_(dataset, map_fn, use_inter_op_parallelism=False)
  return dataset.prefetch(-1 if prefetch_buffer_size is None else prefetch_buffer_size)
