"""tf.estimator.inputs.pandas_input_fn: an input function of frames of pandas, which is only needed to make them."""

import numpy as np

from millrace.estimator.inputs import feeding


def _array_of(series):
  """The values of a column; texts as objects."""
  values = np.asarray(series)
  return values.astype(object) if values.dtype.kind not in "biufc" else values


def pandas_input_fn(
  x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1, target_column="target"
):
  """An input function that gives batches of rows of the frame `x` as maps of its columns, and labels of the series or frame `y`.

  `target_column` is a name that no column of `x` may have. The other arguments are as in `numpy_input_fn`. Raises ValueError if
  `shuffle` isn't said, for another index of `y`, and for that name.
  """
  feeding.check_shuffle(shuffle)
  if not isinstance(target_column, str) or not target_column:
    raise TypeError("target_column must be a string type")
  if y is not None:
    if target_column in x.columns:
      raise ValueError(
        f"Cannot use name {target_column} for target column: DataFrame already has a column with that name: {x.columns}"
      )
    if not np.array_equal(x.index, y.index):
      raise ValueError(f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n")

  def input_fn():
    columns = [_array_of(x[name]) for name in x.columns]
    several = y is not None and hasattr(y, "columns")
    if several:
      columns += [_array_of(y[name]) for name in y.columns]
    elif y is not None:
      columns.append(_array_of(y))
    queue = feeding.enqueue_rows(
      columns,
      queue_capacity,
      shuffle=shuffle,
      min_after_dequeue=int(queue_capacity / 4) if shuffle else 0,
      num_threads=num_threads,
      seed=None,
      enqueue_size=batch_size,
      num_epochs=num_epochs,
    )
    tensors = feeding.batches_of(queue, batch_size, num_epochs)
    features = dict(zip(list(x.columns), tensors))
    if y is None:
      return features
    rest = tensors[len(x.columns) :]
    return features, dict(zip(list(y.columns), rest)) if several else rest[0]

  return input_fn
