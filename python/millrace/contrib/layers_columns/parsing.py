"""What has to be parsed for columns, and parsing it."""

import millrace as tf
from millrace.contrib.layers_columns import transform
from millrace.contrib.layers_columns.column import OldColumn
from millrace.ops.feature_column.column import FeatureColumn
from millrace.ops.parsing.features import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature


def create_feature_spec_for_parsing(feature_columns):
  """Returns a dict from keys to how they are parsed, for tf.parse_example: all that columns need.

  Raises TypeError for what is no column, ValueError where two columns need one key in another way.
  """
  found = {}
  for column in feature_columns:
    if isinstance(column, FeatureColumn):
      spec = column._parse_example_spec
    elif isinstance(column, OldColumn):
      spec = column.config
    else:
      raise TypeError(f"Not supported _FeatureColumn type. Got type {type(column)}.")
    for key, value in spec.items():
      if key in found and found[key] != value:
        raise ValueError(f"Columns need the feature {key} in different ways: {found[key]} and {value}.")
      found[key] = value
  return found


def make_place_holder_tensors_for_base_features(feature_columns):
  """Returns a dict from keys to placeholders for all that columns need, which `feed_dict` gives values."""
  found = {}
  for key, feature in create_feature_spec_for_parsing(feature_columns).items():
    if isinstance(feature, VarLenFeature):
      found[key] = tf.sparse_placeholder(feature.dtype, name=f"Placeholder_{key}")
    else:
      shape = [None, *tf.TensorShape(feature.shape).as_list()]
      found[key] = tf.placeholder(feature.dtype, shape=shape, name=f"Placeholder_{key}")
  return found


def parse_feature_columns_from_examples(serialized, feature_columns, name=None, example_names=None):
  """Returns a dict of serialized Examples: the features by their keys, and the values of the columns by the columns.

  Args:
    serialized: Vector of strings.
    feature_columns: Columns.
    name: Prefix of the names of what it makes.
    example_names: Vector of names for messages.

  Raises:
    ValueError: Two columns are the same.
  """
  transform.check_feature_columns(feature_columns)
  found = tf.parse_example(
    serialized=serialized,
    features=create_feature_spec_for_parsing(feature_columns),
    name=name,
    example_names=example_names,
  )
  features = transform.Features(found)
  values = {column: features.get(column) for column in transform.ordered(feature_columns) if isinstance(column, OldColumn)}
  return {**found, **values}


def parse_feature_columns_from_sequence_examples(
  serialized, context_feature_columns, sequence_feature_columns, name=None, example_name=None
):
  """Returns the features of one serialized SequenceExample: the dicts of its context and of its sequences.

  Args:
    serialized: A string.
    context_feature_columns: Columns of what it has once, or None.
    sequence_feature_columns: Columns of what each step has, or None; steps need not have it.
    name: Prefix of the names of what it makes.
    example_name: Name for messages.

  Raises:
    ValueError: There are no columns.
  """
  if not (context_feature_columns or sequence_feature_columns):
    raise ValueError("No columns are given: neither of the context nor of sequences.")
  context = create_feature_spec_for_parsing(context_feature_columns or [])
  sequences = {}
  for key, feature in create_feature_spec_for_parsing(sequence_feature_columns or []).items():
    if isinstance(feature, FixedLenFeature):
      feature = FixedLenSequenceFeature(feature.shape, feature.dtype, allow_missing=False)
    sequences[key] = feature
  return tf.parse_single_sequence_example(serialized, context, sequences, example_name, name)
