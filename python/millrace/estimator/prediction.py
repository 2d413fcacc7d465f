"""Predictions: which of them are wanted, and single examples of batches."""


def wanted(predictions, predict_keys):
  """Those of the predictions that have one of the names. Raises ValueError if none has, or if they have no names."""
  if not predict_keys:
    return predictions
  if not isinstance(predictions, dict):
    raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")  # noqa: TRY004
  existing = list(predictions)
  predictions = {key: value for key, value in predictions.items() if key in predict_keys}
  if not predictions:
    raise ValueError(f"Expected to run at least one output from {existing}, provided {predict_keys}.")
  return predictions


def batch_length(values):
  """The number of examples of a map of batches. Raises ValueError if it isn't the same for all."""
  length = None
  for key, value in values.items():
    length = length or value.shape[0]
    if value.shape[0] != length:
      raise ValueError(f"Batch length of predictions should be same. {key} has different batch length than others.")
  return length


def examples_of(values):
  """Yields the examples of a batch, which is an array or a map of arrays."""
  if not isinstance(values, dict):
    yield from values
    return
  for i in range(batch_length(values)):
    yield {key: value[i] for key, value in values.items()}
