"""Parsing of serialized Examples and SequenceExamples."""

from millrace import gen
from millrace.framework import composite, convert, graph
from millrace.ops.parsing import features as feature_types


def parse_example(serialized, features, name=None, example_names=None):
  """Returns the fields of a batch of serialized Examples, as a dict of tensors and sparse tensors.

  Args:
    serialized: Vector of strings.
    features: Dict from names to FixedLenFeature, VarLenFeature, SparseFeature or FixedLenSequenceFeature.
    name: Prefix of the names of what it makes.
    example_names: Vector of names for messages.

  Raises:
    ValueError: A feature says what cannot be.
  """
  if not features:
    raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
  features = feature_types.with_unknown_first(features)
  return feature_types.with_sparse_features(features, _parse(serialized, example_names, features, name))


def _parse(serialized, names, features, name):
  fields = feature_types.Fields(features)
  with graph.name_scope(name, "ParseExample", [serialized, names]):
    serialized = convert.convert_to_tensor(serialized, name="serialized")
    defaults = fields.defaults()
    parsed = gen.parse_example_v2(
      serialized,
      [] if names is None else names,
      fields.sparse_keys,
      fields.dense_keys,
      [],
      defaults,
      num_sparse=len(fields.sparse_keys),
      sparse_types=fields.sparse_types,
      ragged_value_types=[],
      ragged_split_types=[],
      dense_shapes=fields.dense_shapes,
      name=name,
    )
    sparse = [composite.SparseTensor(*parts) for parts in zip(parsed[0], parsed[1], parsed[2])]
    return dict(zip(fields.sparse_keys + fields.dense_keys, sparse + list(parsed[3])))


def parse_single_example(serialized, features, name=None, example_names=None):
  """As `parse_example`, of one serialized Example: a scalar."""
  if not features:
    raise ValueError("Invalid argument: features cannot be empty.")
  with graph.name_scope(name, "ParseSingleExample", [serialized, example_names]):
    serialized = convert.convert_to_tensor(serialized, name="serialized")
    serialized = _scalar(serialized, "serialized")
    return parse_example(serialized, features, name, example_names)


def _scalar(value, name):
  """Returns the tensor, checked to be a scalar: now where its rank is known, else when a step runs."""
  ndims = value.get_shape().ndims
  if ndims == 0:
    return value
  if ndims is not None:
    raise ValueError(f"Input {name} must be a scalar")
  from millrace.ops.control_flow import basics
  from millrace.ops.control_flow import assertion

  check = assertion.Assert(gen.equal(gen.rank(value), 0), [f"Input {name} must be a scalar"], name=f"{name.capitalize()}IsScalar")
  return basics.with_dependencies([check], value, name=f"{name}Dependencies")


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
  """Returns the fields of a batch of serialized SequenceExamples.

  Args:
    serialized: Vector of strings.
    context_features: Dict from names to FixedLenFeature or VarLenFeature, of what the examples have once.
    sequence_features: Dict from names to FixedLenSequenceFeature or VarLenFeature, of what they have lists of.
    example_names: Vector of names for messages.
    name: Prefix of the names of what it makes.

  Returns:
    Three dicts: the fields of the context; the sequences, padded; the lengths of the dense ones.

  Raises:
    ValueError: There are no features, or one says what cannot be.
  """
  if not (context_features or sequence_features):
    raise ValueError("Both `context_features` and `sequence_features` argument are None, but at least one should have values.")
  with graph.name_scope(name, "ParseSequenceExample", [serialized, example_names]):
    return _parse_sequence(serialized, example_names, context_features, sequence_features, name)


def _parse_sequence(serialized, names, context_features, sequence_features, name, batched=True):
  context = feature_types.Fields(context_features)
  lists = feature_types.Fields(sequence_features, sequence=True)
  with graph.name_scope(name, "ParseSequenceExample", [serialized]):
    serialized = convert.convert_to_tensor(serialized, name="serialized")
    defaults = context.defaults()
    parsed = gen.parse_sequence_example_v2(
      serialized,
      [] if names is None else names,
      context.sparse_keys,
      context.dense_keys,
      [],
      lists.sparse_keys,
      lists.dense_keys,
      [],
      [key in lists.dense_defaults for key in lists.dense_keys],
      defaults,
      Ncontext_sparse=len(context.sparse_keys),
      context_sparse_types=context.sparse_types,
      context_ragged_value_types=[],
      context_ragged_split_types=[],
      context_dense_shapes=context.dense_shapes,
      Nfeature_list_sparse=len(lists.sparse_keys),
      Nfeature_list_dense=len(lists.dense_keys),
      feature_list_dense_types=lists.dense_types,
      feature_list_sparse_types=lists.sparse_types,
      feature_list_ragged_value_types=[],
      feature_list_ragged_split_types=[],
      feature_list_dense_shapes=lists.dense_shapes,
      name=name,
    )
    return _sequence_dicts(context, lists, parsed)


def _sequence_dicts(context, lists, parsed):
  def collect(fields, parts, dense):
    sparse = [composite.SparseTensor(*part) for part in zip(*parts)]
    return dict(zip(fields.sparse_keys + fields.dense_keys, sparse + list(dense)))

  once = collect(
    context,
    (parsed.context_sparse_indices, parsed.context_sparse_values, parsed.context_sparse_shapes),
    parsed.context_dense_values,
  )
  many = collect(
    lists,
    (parsed.feature_list_sparse_indices, parsed.feature_list_sparse_values, parsed.feature_list_sparse_shapes),
    parsed.feature_list_dense_values,
  )
  return once, many, dict(zip(lists.dense_keys, parsed.feature_list_dense_lengths))


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None, name=None):
  """As `parse_sequence_example`, of one serialized SequenceExample: a scalar. Returns the first two dicts."""
  if not (context_features or sequence_features):
    raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
  with graph.name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
    with graph.name_scope(name, "ParseSingleExample", [serialized]):
      serialized = convert.convert_to_tensor(serialized, name="serialized")
      serialized = _scalar(serialized, "serialized")
    return _parse_sequence(serialized, example_name, context_features, sequence_features, name)[:2]


def decode_json_example(json_examples, name=None):
  """Returns Examples in JSON as serialized ones."""
  return gen.decode_json_example(json_examples, name=name)
