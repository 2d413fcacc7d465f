"""Premade estimators of tf.contrib.learn: networks, linear models, and both together."""

import millrace as tf
from millrace.contrib.learn import canned_models, heads
from millrace.contrib.learn.estimator import Estimator
from millrace.contrib.learn.keys import PredictionKey
from millrace.contrib.learn.mode_keys import ModeKeys


class _Premade(Estimator):
  """What premade estimators share: predictions of one kind as they are, without a map."""

  def _one(self, key, **kwargs):
    """The predictions of one key: a generator, or an array."""
    kwargs.setdefault("as_iterable", True)
    results = Estimator.predict(self, outputs=[key], **kwargs)
    if kwargs["as_iterable"]:
      return (result[key] for result in results)
    return results[key]


class _Classifier(_Premade):
  """What classifiers have."""

  def predict(self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True, iterate_batches=False):
    """Predictions; without `outputs`, the numbers of classes alone."""
    if not outputs:
      return self.predict_classes(x=x, input_fn=input_fn, batch_size=batch_size, as_iterable=as_iterable)
    return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

  def predict_classes(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
    """The numbers of classes."""
    return self._one(PredictionKey.CLASSES, x=x, input_fn=input_fn, batch_size=batch_size, as_iterable=as_iterable)

  def predict_proba(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
    """The probabilities of all classes."""
    return self._one(PredictionKey.PROBABILITIES, x=x, input_fn=input_fn, batch_size=batch_size, as_iterable=as_iterable)


class _Regressor(_Premade):
  """What regressors have."""

  def predict(self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True, iterate_batches=False):
    """Predictions; without `outputs`, the scores alone."""
    if not outputs:
      return self.predict_scores(x=x, input_fn=input_fn, batch_size=batch_size, as_iterable=as_iterable)
    return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

  def predict_scores(self, x=None, input_fn=None, batch_size=None, as_iterable=True):
    """The scores."""
    return self._one(PredictionKey.SCORES, x=x, input_fn=input_fn, batch_size=batch_size, as_iterable=as_iterable)


def _dnn_params(
  head, hidden_units, feature_columns, optimizer, activation_fn, dropout, clip_norm, lr_multipliers, min_slice_size
):
  return {
    "head": head,
    "hidden_units": hidden_units,
    "feature_columns": tuple(feature_columns or []),
    "optimizer": optimizer,
    "activation_fn": activation_fn,
    "dropout": dropout,
    "gradient_clip_norm": clip_norm,
    "embedding_lr_multipliers": lr_multipliers,
    "input_layer_min_slice_size": min_slice_size,
  }


class DNNEstimator(_Premade):
  """A network with any head."""

  def __init__(
    self,
    head,
    hidden_units,
    feature_columns,
    model_dir=None,
    optimizer=None,
    activation_fn=tf.nn.relu,
    dropout=None,
    gradient_clip_norm=None,
    config=None,
    feature_engineering_fn=None,
    embedding_lr_multipliers=None,
    input_layer_min_slice_size=None,
  ):
    super().__init__(
      model_fn=canned_models.dnn_model_fn,
      model_dir=model_dir,
      config=config,
      params=_dnn_params(
        head,
        hidden_units,
        feature_columns,
        optimizer,
        activation_fn,
        dropout,
        gradient_clip_norm,
        embedding_lr_multipliers,
        input_layer_min_slice_size,
      ),
      feature_engineering_fn=feature_engineering_fn,
    )


class DNNClassifier(_Classifier):
  """A network that tells classes. `hidden_units` are the sizes of its layers, `dropout` the part of numbers that is left out."""

  def __init__(
    self,
    hidden_units,
    feature_columns,
    model_dir=None,
    n_classes=2,
    weight_column_name=None,
    optimizer=None,
    activation_fn=tf.nn.relu,
    dropout=None,
    gradient_clip_norm=None,
    enable_centered_bias=False,
    config=None,
    feature_engineering_fn=None,
    embedding_lr_multipliers=None,
    input_layer_min_slice_size=None,
    label_keys=None,
  ):
    head = heads.multi_class_head(
      n_classes, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias, label_keys=label_keys
    )
    super().__init__(
      model_fn=canned_models.dnn_model_fn,
      model_dir=model_dir,
      config=config,
      params=_dnn_params(
        head,
        hidden_units,
        feature_columns,
        optimizer,
        activation_fn,
        dropout,
        gradient_clip_norm,
        embedding_lr_multipliers,
        input_layer_min_slice_size,
      ),
      feature_engineering_fn=feature_engineering_fn,
    )


class DNNRegressor(_Regressor):
  """A network that predicts numbers."""

  def __init__(
    self,
    hidden_units,
    feature_columns,
    model_dir=None,
    weight_column_name=None,
    optimizer=None,
    activation_fn=tf.nn.relu,
    dropout=None,
    gradient_clip_norm=None,
    enable_centered_bias=False,
    config=None,
    feature_engineering_fn=None,
    label_dimension=1,
    embedding_lr_multipliers=None,
    input_layer_min_slice_size=None,
  ):
    head = heads.regression_head(
      label_dimension=label_dimension, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias
    )
    super().__init__(
      model_fn=canned_models.dnn_model_fn,
      model_dir=model_dir,
      config=config,
      params=_dnn_params(
        head,
        hidden_units,
        feature_columns,
        optimizer,
        activation_fn,
        dropout,
        gradient_clip_norm,
        embedding_lr_multipliers,
        input_layer_min_slice_size,
      ),
      feature_engineering_fn=feature_engineering_fn,
    )


class LinearEstimator(_Premade):
  """A linear model with any head."""

  def __init__(
    self,
    feature_columns,
    head,
    model_dir=None,
    weight_column_name=None,
    optimizer=None,
    gradient_clip_norm=None,
    _joint_weights=False,
    config=None,
    feature_engineering_fn=None,
  ):
    del weight_column_name  # which is the head's
    super().__init__(
      model_fn=canned_models.linear_model_fn,
      model_dir=model_dir,
      config=config,
      params=_linear_params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weights),
      feature_engineering_fn=feature_engineering_fn,
    )


def _linear_params(head, feature_columns, optimizer, gradient_clip_norm, joint_weights):
  return {
    "head": head,
    "feature_columns": tuple(feature_columns or []),
    "optimizer": optimizer,
    "gradient_clip_norm": gradient_clip_norm,
    "joint_weights": joint_weights,
  }


class LinearClassifier(_Classifier):
  """A linear model that tells classes. Raises ValueError for joint weights with more than two classes."""

  def __init__(
    self,
    feature_columns,
    model_dir=None,
    n_classes=2,
    weight_column_name=None,
    optimizer=None,
    gradient_clip_norm=None,
    enable_centered_bias=False,
    _joint_weight=False,
    config=None,
    feature_engineering_fn=None,
    label_keys=None,
  ):
    head = heads.multi_class_head(
      n_classes, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias, label_keys=label_keys
    )
    super().__init__(
      model_fn=canned_models.linear_model_fn,
      model_dir=model_dir,
      config=config,
      params=_linear_params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weight),
      feature_engineering_fn=feature_engineering_fn,
    )


class LinearRegressor(_Regressor):
  """A linear model that predicts numbers."""

  def __init__(
    self,
    feature_columns,
    model_dir=None,
    weight_column_name=None,
    optimizer=None,
    gradient_clip_norm=None,
    enable_centered_bias=False,
    label_dimension=1,
    _joint_weights=False,
    config=None,
    feature_engineering_fn=None,
  ):
    head = heads.regression_head(
      label_dimension=label_dimension, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias
    )
    super().__init__(
      model_fn=canned_models.linear_model_fn,
      model_dir=model_dir,
      config=config,
      params=_linear_params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weights),
      feature_engineering_fn=feature_engineering_fn,
    )


def LogisticRegressor(model_fn, thresholds=None, model_dir=None, config=None, feature_engineering_fn=None):
  """An estimator of a function of two classes, `model_fn(features, labels, mode)`, that returns predictions, loss and training.

  Its evaluations have the metrics of two classes: predictions are probabilities, or a map that has them.
  """
  from millrace.contrib.learn.model_calls import call

  def with_metrics(features, labels, mode, params, config):
    made = call(model_fn, features, labels, mode, params, config, None)
    if mode != ModeKeys.EVAL:
      return made
    predictions = made.predictions
    if isinstance(predictions, dict):
      predictions = predictions.get(PredictionKey.LOGISTIC, predictions.get(PredictionKey.PROBABILITIES))
    head = heads.multi_class_head(2, thresholds=thresholds)
    column = tf.reshape(predictions, [-1, 1])
    found = head._metrics(
      {PredictionKey.LOGISTIC: column, PredictionKey.CLASSES: tf.cast(column[:, 0] >= 0.5, tf.int64)},
      tf.reshape(tf.cast(labels, tf.int64), [-1, 1]),
      None,
    )
    return made._replace(eval_metric_ops={**found, **made.eval_metric_ops})

  return Estimator(
    model_fn=with_metrics, model_dir=model_dir, config=config, params={}, feature_engineering_fn=feature_engineering_fn
  )
