"""What has to be parsed of examples for columns."""

from millrace.ops.feature_column.column import FeatureColumn


def make_parse_example_spec(feature_columns):
  """Returns a dict from keys to how they are parsed, for tf.parse_example: all that the columns need.

  Raises ValueError for what is no column, and where two columns need one key in another way.
  """
  found = {}
  for column in feature_columns:
    if not isinstance(column, FeatureColumn):
      raise ValueError(f"All feature_columns must be _FeatureColumn instances. Given: {column}")
    for key, value in column._parse_example_spec.items():
      if key in found and value != found[key]:
        raise ValueError(f"feature_columns contain different parse_spec for key {key}. Given {value} and {found[key]}")
      found[key] = value
  return found
