"""MetricSpec: a function of a metric, and which labels, predictions and weights it gets."""

from millrace.estimator import arguments

_LABELS = ("labels", "targets", "label", "target")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


def _argument(names, candidates, what, metric_fn, needed=True):
  """The one of a function's arguments that stands for labels, predictions or weights.

  Raises ValueError if there are several, or none where one is needed.
  """
  found = [name for name in names if name in candidates or name.endswith(tuple("_" + c for c in candidates))]
  exact = [name for name in found if name in candidates]
  found = exact or found
  if len(found) > 1:
    raise ValueError(f"Metric function {metric_fn} has several arguments for {what}: {found}.")
  if not found and needed:
    raise ValueError(f"Metric function {metric_fn} has no argument for {what}; one called {candidates[0]} is needed.")
  return found[0] if found else None


class MetricSpec:
  """A metric of an evaluation.

  `metric_fn(labels, predictions, weights)` has arguments of such names. The keys say which of several predictions, labels and
  features it gets; the weights are a feature.
  """

  def __init__(self, metric_fn, prediction_key=None, label_key=None, weight_key=None):
    self._metric_fn_name = getattr(metric_fn, "__name__", None) or getattr(
      getattr(metric_fn, "func", None), "__name__", str(metric_fn)
    )
    self._metric_fn = metric_fn
    self._prediction_key = prediction_key
    self._label_key = label_key
    self._weight_key = weight_key

  @property
  def prediction_key(self):
    return self._prediction_key

  @property
  def label_key(self):
    return self._label_key

  @property
  def weight_key(self):
    return self._weight_key

  @property
  def metric_fn(self):
    """The function, with the arguments predictions, labels and weights."""

    def call(predictions, labels=None, weights=None):
      return self._call(predictions, labels, weights)

    return call

  def __str__(self):
    return (
      f"MetricSpec(metric_fn={self._metric_fn_name}, prediction_key={self.prediction_key}, label_key={self.label_key}, "
      f"weight_key={self.weight_key})"
    )

  def _call(self, predictions, labels, weights):
    try:
      names = arguments.names_of(self._metric_fn)
    except (TypeError, ValueError):
      names = ()
    if not names:
      return self._metric_fn(predictions) if labels is None else self._metric_fn(predictions, labels)
    kwargs = {}
    label_name = _argument(names, _LABELS, "labels", self._metric_fn, needed=False)
    prediction_name = _argument(names, _PREDICTIONS, "predictions", self._metric_fn, needed=False)
    weight_name = _argument(names, _WEIGHTS, "weights", self._metric_fn, needed=False)
    if weights is not None:
      if weight_name is None:
        raise ValueError(f"Metric function {self._metric_fn_name} has no argument for the weights of {self.weight_key!r}.")
      kwargs[weight_name] = weights
    if prediction_name is None and label_name is None:
      # Functions with arguments of other names get them in this order.
      return self._metric_fn(predictions, **kwargs) if labels is None else self._metric_fn(predictions, labels, **kwargs)
    if prediction_name is not None:
      kwargs[prediction_name] = predictions
    if label_name is not None and labels is not None:
      kwargs[label_name] = labels
    return self._metric_fn(**kwargs)

  def create_metric_ops(self, inputs, labels, predictions):
    """What the function returns for features, labels and predictions, usually a value and an update.

    Raises ValueError if a key is needed and wasn't given, or isn't there.
    """
    weights = self._picked(inputs, self.weight_key, "weight_key", "inputs") if self.weight_key is not None else None
    chosen = self._picked(predictions, self.prediction_key, "prediction_key", "predictions")
    truth = self._picked(labels, self.label_key, "label_key", "labels")
    try:
      return self._call(chosen, truth, weights)
    except Exception as e:
      names = list(arguments.names_of(self._metric_fn)) if callable(self._metric_fn) else None
      raise type(e)(
        f"Could not create metric ops for {self}. {e} (labels: {labels}, predictions: {predictions}, arguments: {names})"
      ) from e

  def _picked(self, values, key, key_name, what):
    """The value of a key, or the only one."""
    if isinstance(values, dict):
      if key is None:
        if len(values) == 1:
          return next(iter(values.values()))
        raise ValueError(f"MetricSpec without specified {key_name} requires {what} tensor or single element dict, got {values}")
      if key not in values:
        raise KeyError(f"MetricSpec {key_name} {key!r} is not in {what} {sorted(values, key=str)}")
      return values[key]
    if key is not None and values is not None:
      raise ValueError(f"MetricSpec with {key_name} specified requires {what} dict, got {values}")
    return values
