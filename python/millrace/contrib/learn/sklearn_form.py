"""What estimators have in common with those of scikit-learn."""

import inspect


class NotFittedError(ValueError, AttributeError):
  """An estimator was used before it was trained."""


class Parameters:
  """The arguments of the constructor as parameters."""

  def get_params(self, deep=True):
    """A map of the constructor's arguments to the attributes of the same names, also of what they hold if `deep`."""
    names = [
      name
      for name, parameter in inspect.signature(type(self).__init__).parameters.items()
      if name != "self" and parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    params = {}
    for name in names:
      value = getattr(self, name, getattr(self, "_" + name, None))
      params[name] = value
      if deep and hasattr(value, "get_params"):
        params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
    return params

  def set_params(self, **params):
    """Changes parameters, those of parameters by `name__parameter`; returns itself. Raises ValueError for an unknown one."""
    for key, value in params.items():
      name, _, inner = key.partition("__")
      if name not in self.get_params(deep=False):
        raise ValueError(f"Invalid parameter {name} for estimator {type(self).__name__}")
      if inner:
        getattr(self, name).set_params(**{inner: value})
      else:
        setattr(self, name if hasattr(self, name) else "_" + name, value)
    return self


class SKCompat(Parameters):
  """An estimator with `fit`, `score` and `predict` on arrays, as scikit-learn has them."""

  def __init__(self, estimator):
    self._estimator = estimator

  def fit(self, x, y, batch_size=128, steps=None, max_steps=None, monitors=None):
    """Trains in batches; returns itself."""
    self._estimator.fit(x=x, y=y, batch_size=batch_size, steps=steps, max_steps=max_steps, monitors=monitors)
    return self

  def score(self, x, y, batch_size=128, steps=None, metrics=None, name=None):
    """Evaluates; returns a map of metrics."""
    return self._estimator.evaluate(
      x=x, y=y, batch_size=batch_size, steps=steps, metrics=metrics, name="score" if name is None else name
    )

  def predict(self, x, batch_size=128, outputs=None):
    """Returns an array of the predictions, or a map of arrays where they have names, as those of premade estimators have."""
    import numpy as np

    batches = list(self._estimator._infer(x=x, batch_size=batch_size, outputs=outputs, iterate_batches=True))
    if isinstance(batches[0], dict):
      return {key: np.concatenate([batch[key] for batch in batches]) for key in batches[0]}
    return np.concatenate(batches)
