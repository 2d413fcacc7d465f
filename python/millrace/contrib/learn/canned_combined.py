"""Premade estimators of tf.contrib.learn that are a linear model and a network together.

As in TensorFlow, a step counts as two unless `fix_global_step_increment_bug`: one by the optimizer of each part.
"""

import millrace as tf
from millrace.contrib.learn import canned_models, heads
from millrace.contrib.learn.canned import _Classifier, _Premade, _Regressor


def _params(
  head,
  linear_feature_columns,
  linear_optimizer,
  joint_linear_weights,
  dnn_feature_columns,
  dnn_optimizer,
  dnn_hidden_units,
  dnn_activation_fn,
  dnn_dropout,
  gradient_clip_norm,
  embedding_lr_multipliers,
  input_layer_min_slice_size,
  fix_global_step_increment_bug,
):
  """The parameters of the model. Raises ValueError without columns."""
  if not (linear_feature_columns or dnn_feature_columns):
    raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
  return {
    "head": head,
    "linear_feature_columns": tuple(linear_feature_columns or []),
    "linear_optimizer": linear_optimizer,
    "joint_linear_weights": joint_linear_weights,
    "dnn_feature_columns": tuple(dnn_feature_columns or []),
    "dnn_optimizer": dnn_optimizer,
    "dnn_hidden_units": dnn_hidden_units,
    "dnn_activation_fn": dnn_activation_fn,
    "dnn_dropout": dnn_dropout,
    "gradient_clip_norm": gradient_clip_norm,
    "embedding_lr_multipliers": embedding_lr_multipliers,
    "input_layer_min_slice_size": input_layer_min_slice_size,
    "fix_global_step_increment_bug": fix_global_step_increment_bug,
  }


class DNNLinearCombinedEstimator(_Premade):
  """Both with any head."""

  def __init__(
    self,
    head,
    model_dir=None,
    linear_feature_columns=None,
    linear_optimizer=None,
    _joint_linear_weights=False,
    dnn_feature_columns=None,
    dnn_optimizer=None,
    dnn_hidden_units=None,
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    gradient_clip_norm=None,
    config=None,
    feature_engineering_fn=None,
    embedding_lr_multipliers=None,
    fix_global_step_increment_bug=False,
    input_layer_min_slice_size=None,
  ):
    super().__init__(
      model_fn=canned_models.combined_model_fn,
      model_dir=model_dir,
      config=config,
      params=_params(
        head,
        linear_feature_columns,
        linear_optimizer,
        _joint_linear_weights,
        dnn_feature_columns,
        dnn_optimizer,
        dnn_hidden_units,
        dnn_activation_fn,
        dnn_dropout,
        gradient_clip_norm,
        embedding_lr_multipliers,
        input_layer_min_slice_size,
        fix_global_step_increment_bug,
      ),
      feature_engineering_fn=feature_engineering_fn,
    )


class DNNLinearCombinedClassifier(_Classifier):
  """Both, for classes."""

  def __init__(
    self,
    model_dir=None,
    n_classes=2,
    weight_column_name=None,
    linear_feature_columns=None,
    linear_optimizer=None,
    _joint_linear_weights=False,
    dnn_feature_columns=None,
    dnn_optimizer=None,
    dnn_hidden_units=None,
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    gradient_clip_norm=None,
    enable_centered_bias=False,
    config=None,
    feature_engineering_fn=None,
    embedding_lr_multipliers=None,
    input_layer_min_slice_size=None,
    label_keys=None,
    fix_global_step_increment_bug=False,
  ):
    head = heads.multi_class_head(
      n_classes, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias, label_keys=label_keys
    )
    super().__init__(
      model_fn=canned_models.combined_model_fn,
      model_dir=model_dir,
      config=config,
      params=_params(
        head,
        linear_feature_columns,
        linear_optimizer,
        _joint_linear_weights,
        dnn_feature_columns,
        dnn_optimizer,
        dnn_hidden_units,
        dnn_activation_fn,
        dnn_dropout,
        gradient_clip_norm,
        embedding_lr_multipliers,
        input_layer_min_slice_size,
        fix_global_step_increment_bug,
      ),
      feature_engineering_fn=feature_engineering_fn,
    )


class DNNLinearCombinedRegressor(_Regressor):
  """Both, for numbers."""

  def __init__(
    self,
    model_dir=None,
    weight_column_name=None,
    linear_feature_columns=None,
    linear_optimizer=None,
    _joint_linear_weights=False,
    dnn_feature_columns=None,
    dnn_optimizer=None,
    dnn_hidden_units=None,
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    gradient_clip_norm=None,
    enable_centered_bias=False,
    label_dimension=1,
    config=None,
    feature_engineering_fn=None,
    embedding_lr_multipliers=None,
    input_layer_min_slice_size=None,
    fix_global_step_increment_bug=False,
  ):
    head = heads.regression_head(
      label_dimension=label_dimension, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias
    )
    super().__init__(
      model_fn=canned_models.combined_model_fn,
      model_dir=model_dir,
      config=config,
      params=_params(
        head,
        linear_feature_columns,
        linear_optimizer,
        _joint_linear_weights,
        dnn_feature_columns,
        dnn_optimizer,
        dnn_hidden_units,
        dnn_activation_fn,
        dnn_dropout,
        gradient_clip_norm,
        embedding_lr_multipliers,
        input_layer_min_slice_size,
        fix_global_step_increment_bug,
      ),
      feature_engineering_fn=feature_engineering_fn,
    )
