"""The metrics that an evaluation is asked for."""

from millrace.contrib.learn.metric_spec import MetricSpec


def make(metrics, features, labels, predictions):
  """A map of names to what metrics' functions return for features, labels and predictions.

  Keys of `metrics` are names, or pairs of a name and a key of predictions where the value is a function. Raises ValueError for
  other keys.
  """
  made = {}
  if isinstance(labels, dict) and len(labels) == 1:
    # One label has no need of a name.
    (labels,) = labels.values()
  for name, metric in sorted((metrics or {}).items(), key=lambda item: str(item[0])):
    if isinstance(metric, MetricSpec):
      made[_text(name)] = metric.create_metric_ops(features, labels, predictions)
    elif isinstance(name, tuple):
      if len(name) != 2:
        raise ValueError(f"Invalid metric for {name}. It returned a tuple with len {len(name)}, expected 2.")
      if not isinstance(predictions, dict):
        raise ValueError(  # noqa: TRY004 (TensorFlow's class, as below)
          f"Metrics passed provide (name, prediction), but predictions are not dict. Metrics: {metrics}."
        )
      made[name[0]] = metric(predictions[name[1]], labels)
    else:
      if isinstance(predictions, dict):
        raise ValueError(  # noqa: TRY004
          f"Metrics passed provide only name, no prediction, but predictions are dict. Metrics: {metrics}."
        )
      made[name] = metric(predictions, labels)
  return made


def _text(name):
  return name[0] if isinstance(name, tuple) else name
