"""What all feature columns are: named descriptions of how fields of examples become tensors of a model.

A column is an immutable tuple of its arguments. Its methods with an underscore build the graph: `_transform_feature(inputs)` makes
a column's own value of raw features and of other columns' values, where `inputs` is an Inputs (see inputs.py). The other methods
make from that what layers take.
"""

import collections


class FeatureColumn:
  """A column. `name` is unique in a model; `parse_example_spec` is a dict of what has to be parsed for it."""

  __slots__ = ()

  @property
  def name(self):
    """The column's name, by which columns are put in order and variables are called."""
    raise NotImplementedError("%s.name" % type(self).__name__)

  @property
  def parse_example_spec(self):
    """A dict from keys of an Example to how they are parsed, for tf.parse_example."""
    raise NotImplementedError("%s.parse_example_spec" % type(self).__name__)

  @property
  def parents(self):
    """The list of the columns and keys that the column is made of."""
    raise NotImplementedError("%s.parents" % type(self).__name__)

  @property
  def _parse_example_spec(self):
    return self.parse_example_spec

  @property
  def _var_scope_name(self):
    """The name of the scope below which a layer makes the column's variables."""
    return self.name

  def _transform_feature(self, inputs):
    """Returns the column's value for `inputs`. Called once for each Inputs."""
    raise NotImplementedError("%s._transform_feature" % type(self).__name__)


class DenseColumn(FeatureColumn):
  """A column that gives numbers: a float32 tensor of shape [batch] + `variable_shape`."""

  __slots__ = ()

  @property
  def variable_shape(self):
    """The TensorShape of one example's value."""
    raise NotImplementedError("%s.variable_shape" % type(self).__name__)

  @property
  def _variable_shape(self):
    return self.variable_shape

  def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    """Returns the tensor. Variables go into `weight_collections` and are trained if `trainable`."""
    raise NotImplementedError("%s._get_dense_tensor" % type(self).__name__)


class CategoricalColumn(FeatureColumn):
  """A column that gives ids from 0 to `num_buckets` - 1, as a SparseTensor of int64, and maybe weights for them."""

  __slots__ = ()

  IdWeightPair = collections.namedtuple("IdWeightPair", ("id_tensor", "weight_tensor"))

  @property
  def num_buckets(self):
    """How many ids there are."""
    raise NotImplementedError("%s.num_buckets" % type(self).__name__)

  @property
  def _num_buckets(self):
    return self.num_buckets

  def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
    """Returns an IdWeightPair of SparseTensors; the weights are None if all are 1."""
    return CategoricalColumn.IdWeightPair(inputs.get(self), None)


class SequenceDenseColumn(FeatureColumn):
  """A column that gives sequences of numbers: [batch, longest] + the shape of one step, and the length of each."""

  __slots__ = ()

  TensorSequenceLengthPair = collections.namedtuple("TensorSequenceLengthPair", ("dense_tensor", "sequence_length"))

  def _get_sequence_dense_tensor(self, inputs, weight_collections=None, trainable=None):
    """Returns a TensorSequenceLengthPair. The rest: see DenseColumn."""
    raise NotImplementedError("%s._get_sequence_dense_tensor" % type(self).__name__)


def check_key(key):
  """Raises ValueError if `key` is no name of a feature."""
  if not isinstance(key, str):
    raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_not_sequence(column, kind, layer, sequence_layer):
  """Raises ValueError if the categories of a dense column are sequences, which `layer` does not take."""
  from millrace.ops.feature_column.sequence import SequenceCategoricalColumn

  if isinstance(column.categorical_column, SequenceCategoricalColumn):
    raise ValueError(
      f"In {kind}: {column.name}. categorical_column must not be of type _SequenceCategoricalColumn. Suggested fix A: If you wish "
      f"to use {layer}, use a non-sequence categorical_column_with_*. Suggested fix B: If you wish to create sequence input, use "
      f"{sequence_layer} instead of {layer}. Given (type {type(column.categorical_column)}): {column.categorical_column}"
    )


def check_sequence(column, kind):
  """Raises ValueError if the categories of a dense column are no sequences, where sequences are asked for."""
  from millrace.ops.feature_column.sequence import SequenceCategoricalColumn

  if not isinstance(column.categorical_column, SequenceCategoricalColumn):
    raise ValueError(
      f"In {kind}: {column.name}. categorical_column must be of type _SequenceCategoricalColumn to use sequence_input_layer. "
      "Suggested fix: Use one of sequence_categorical_column_with_*. Given (type "
      f"{type(column.categorical_column)}): {column.categorical_column}"
    )
