"""forward_features: features among the predictions of an estimator."""

import millrace as tf
from millrace.estimator.estimator import Estimator
from millrace.saved_model import keys as saved_model_keys


def forward_features(estimator, keys=None, sparse_default_values=None):
  """An estimator whose predictions also have features: those of `keys` (a name or several; None for all).

  Sparse features become dense, with the values of a map by name for what is missing. Raises ValueError for names that are no
  features or are predictions already, and for predictions that are no map; TypeError for keys that are no names.
  """

  def verified(names, predictions, features):
    if not isinstance(predictions, dict):
      raise ValueError(f"Predictions should be a dict to be able to forward features. Given: {type(predictions)}")
    names = list(features) if names is None else names
    for name in names:
      if name not in features:
        raise ValueError(
          f'keys should be exist in features. Key "{name}" given but features has following keys: {sorted(features)}.'
        )
      if name in predictions:
        raise ValueError(f"Cannot forward feature key ({name}). Since it does exist in predictions: {sorted(predictions)}.")
    return names

  wanted = _checked_keys(keys)
  defaults = dict(sparse_default_values or {})

  def dense(name, feature):
    if not isinstance(feature, tf.SparseTensor):
      return feature
    default = defaults.get(name)
    return tf.sparse_tensor_to_dense(
      feature, default_value="" if default is None and feature.dtype == tf.string else default or 0
    )

  def model_fn(features, labels, mode, config):
    given = dict(features)
    spec = estimator.model_fn(features, labels, mode, config)
    predictions = spec.predictions
    if not predictions:
      return spec
    more = {}
    for name in verified(wanted, predictions, given):
      value = dense(name, given[name])
      if not isinstance(value, tf.Tensor):
        raise ValueError(f"Forwarded feature ({name}) should be a Tensor, and is a {type(value)}; say the keys of others.")
      more[name] = value
    spec = spec._replace(predictions={**predictions, **more})
    if spec.export_outputs:
      outputs = {}
      for name, output in spec.export_outputs.items():
        # One of a prediction may have others beside it.
        is_default = name in (saved_model_keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY, "predict")
        if isinstance(output, tf.estimator.export.PredictOutput) and is_default:
          output = tf.estimator.export.PredictOutput({**output.outputs, **more})
        outputs[name] = output
      spec = spec._replace(export_outputs=outputs)
    return spec

  return Estimator(model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config)


def _checked_keys(keys):
  if keys is None or (isinstance(keys, list) and all(isinstance(key, str) for key in keys)):
    return keys
  if isinstance(keys, str):
    return [keys]
  if not isinstance(keys, (list, tuple)):
    raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
  for key in keys:
    if not isinstance(key, str):
      raise TypeError(f"All items in the given keys list should be a string. There exist an item with type: {type(key)}")
  return list(keys)
