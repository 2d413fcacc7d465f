"""Frames of pandas as arrays; pandas itself is only needed to make them."""

import numpy as np

_NUMERIC = "biufc"


def is_pandas(data):
  """Whether something is a frame or a series."""
  return type(data).__module__.split(".")[0] == "pandas"


def _check_types(data):
  """Raises ValueError if a column is neither numbers nor truth values."""
  wrong = [f"'{name}' type='{dtype}'" for name, dtype in zip(data.columns, data.dtypes) if np.dtype(dtype).kind not in _NUMERIC]
  if wrong:
    raise ValueError("Data types for extracting pandas data must be int, float, or bool. Found: " + ", ".join(wrong))


def extract_pandas_data(data):
  """The float array of a frame's columns of numbers; what is no frame is returned as it is."""
  if not hasattr(data, "columns"):
    return data.values if is_pandas(data) else data
  _check_types(data)
  return np.asarray(data.values).astype(np.float64)


def extract_pandas_matrix(data):
  """The array of a frame; what is no frame is returned as it is."""
  return data.values if hasattr(data, "columns") else data


def extract_pandas_labels(labels):
  """The array of labels of a series or of a frame of one column; other things are returned as they are.

  Raises ValueError for several columns, or for one that is no number.
  """
  if hasattr(labels, "columns"):
    if len(labels.columns) > 1:
      raise ValueError("Only one column for labels is allowed.")
    _check_types(labels)
    return labels.values.ravel() if hasattr(labels.values, "ravel") else labels.values
  return labels.values if is_pandas(labels) else labels
