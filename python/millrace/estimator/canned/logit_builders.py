"""Functions of logits as premade estimators have them, for models of models."""

from millrace.estimator.canned import dnn, linear


def dnn_logit_fn_builder(units, hidden_units, feature_columns, activation_fn, dropout, input_layer_partitioner, batch_norm):
  """Returns a function of features and mode that returns the logits [batch, units] of a network.

  Its variables are below the current scope. The arguments: see tf.estimator.DNNClassifier.
  """

  def dnn_logit_fn(features, mode):
    return dnn.logits_of(
      features,
      mode,
      units=units,
      hidden_units=hidden_units,
      feature_columns=feature_columns,
      activation_fn=activation_fn,
      dropout=dropout,
      input_layer_partitioner=input_layer_partitioner,
      batch_norm=batch_norm,
    )

  return dnn_logit_fn


def linear_logit_fn_builder(units, feature_columns, sparse_combiner="sum"):
  """Returns a function of features that returns the sums [batch, units] of a linear model.

  Its variables are below the current scope. The arguments: see tf.estimator.LinearClassifier. Raises ValueError if `units` is no
  integer.
  """
  if not isinstance(units, int):
    raise ValueError(f"units must be an int.  Given type: {type(units)}")  # noqa: TRY004

  def linear_logit_fn(features):
    return linear.logits_of(features, units, feature_columns, sparse_combiner)

  return linear_logit_fn
