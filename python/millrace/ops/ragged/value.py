"""RaggedTensorValue: what a step returns for a ragged tensor, and what it is fed with."""

import numpy as np


class RaggedTensorValue:
  """Row i has the elements `values[row_splits[i]:row_splits[i + 1]]`; `values` is an array or a RaggedTensorValue."""

  def __init__(self, values, row_splits):
    if not (
      isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.dtype in (np.int64, np.int32) and row_splits.ndim == 1
    ):
      raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
    if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
      raise TypeError("values must be a numpy array or a RaggedTensorValue")
    if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
      raise ValueError("row_splits and values.row_splits must have the same dtype")
    self._values = values
    self._row_splits = row_splits

  row_splits = property(lambda self: self._row_splits)
  values = property(lambda self: self._values)
  dtype = property(lambda self: self._values.dtype)

  @property
  def flat_values(self):
    return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

  @property
  def nested_row_splits(self):
    inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
    return (self._row_splits,) + inner

  @property
  def ragged_rank(self):
    return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensorValue) else 0)

  @property
  def shape(self):
    """A tuple: None where rows may differ."""
    return (self._row_splits.shape[0] - 1,) + (None,) + self._values.shape[1:]

  def to_list(self):
    """Returns the rows as nested lists."""
    values = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
    return [values[start:end] for start, end in zip(self._row_splits[:-1], self._row_splits[1:])]

  def __str__(self):
    return "<tf.RaggedTensorValue %s>" % self.to_list()

  def __repr__(self):
    return "tf.RaggedTensorValue(values=%r, row_splits=%r)" % (self._values, self._row_splits)
