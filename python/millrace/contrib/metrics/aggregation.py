"""Several metrics at once."""


def aggregate_metrics(*value_update_tuples):
  """(list of values, list of update ops) of metrics, which are pairs of both.

  Raises:
    ValueError: for no metric.
  """
  if not value_update_tuples:
    raise ValueError("Expected at least one value_tensor/update_op pair")
  values, updates = zip(*value_update_tuples)
  return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
  """(dictionary of values, dictionary of update ops) of a dictionary of metrics, which are pairs of both."""
  values = {name: pair[0] for name, pair in names_to_tuples.items()}
  updates = {name: pair[1] for name, pair in names_to_tuples.items()}
  return values, updates
