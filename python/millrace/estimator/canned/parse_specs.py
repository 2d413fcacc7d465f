"""What has to be parsed of examples for premade estimators: features, labels and weights."""

import millrace as tf
from millrace.estimator.canned import weights_of_examples
from millrace.ops.feature_column.numeric import NumericColumn
from millrace.ops.parsing.features import FixedLenFeature


def classifier_parse_example_spec(feature_columns, label_key, label_dtype=tf.int64, label_default=None, weight_column=None):
  """Returns a dict from keys to how they are parsed, for tf.parse_example: all that a classifier needs.

  Args:
    feature_columns: The classifier's columns.
    label_key: Name of the label.
    label_dtype: Its type.
    label_default: Its value for examples that lack it; None lets parsing fail.
    weight_column: Name or numeric column of the weights, or None.

  Raises:
    ValueError: Two need one key, or the default or the weight column is none that can be.
    TypeError: The weight column is neither a name nor a numeric column.
  """
  return _with_label(
    tf.feature_column.make_parse_example_spec(feature_columns),
    label_key,
    FixedLenFeature((1,), label_dtype, label_default),
    weight_column,
  )


def regressor_parse_example_spec(
  feature_columns, label_key, label_dtype=tf.float32, label_default=None, label_dimension=1, weight_column=None
):
  """As classifier_parse_example_spec, for a regressor of labels of `label_dimension` values."""
  return _with_label(
    tf.feature_column.make_parse_example_spec(feature_columns),
    label_key,
    FixedLenFeature((label_dimension,), label_dtype, label_default),
    weight_column,
  )


def _with_label(spec, label_key, label, weight_column):
  if label_key in spec:
    raise ValueError(f"label should not be used as feature. label_key: {label_key}, features: {spec.keys()}")
  spec[label_key] = label
  if weight_column is None:
    return spec
  if isinstance(weight_column, str):
    weight_column = tf.feature_column.numeric_column(weight_column)
  if not isinstance(weight_column, NumericColumn):
    raise ValueError(  # noqa: TRY004
      f"weight_column should be an instance of tf.feature_column.numeric_column. Given type: {type(weight_column)} value: "
      f"{weight_column}"
    )
  weights = tf.feature_column.make_parse_example_spec([weights_of_examples.checked_column(weight_column)])
  for key in weights:
    if key in spec:
      raise ValueError(f"weight_column should not be used as feature. weight_column: {key}, features: {spec.keys()}")
  spec.update(weights)
  return spec
