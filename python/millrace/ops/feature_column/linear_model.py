"""linear_model: the sum of what columns give, each number and each category times a weight of its own."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys
from millrace.ops.feature_column import inputs as feature_inputs
from millrace.ops.feature_column import input_layer as layers
from millrace.ops.feature_column.column import CategoricalColumn, DenseColumn


def linear_model(
  features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True, cols_to_vars=None
):
  """Returns a float32 matrix [batch, units]: a weighted sum of all columns, and a bias `bias_weights`.

  Categorical columns have a row of weights for each id, without an embedding; all begin with 0.

  Args:
    features: Dict from keys to tensors and SparseTensors.
    feature_columns: One column, or several.
    units: Number of sums.
    sparse_combiner: What becomes of several ids of an example: the "sum" of their weights, "mean" or "sqrtn".
    weight_collections: Names of collections for the variables, beside those of all variables and of the model's.
    trainable: Whether variables are trained.
    cols_to_vars: A dict that gets the list of variables of each column, and that of the bias for "bias"; or None.

  Raises:
    ValueError: There are no columns, two have one name, one is of another kind, or a feature is missing.
  """
  model = LinearModel(
    feature_columns, units=units, sparse_combiner=sparse_combiner, weight_collections=weight_collections, trainable=trainable
  )
  result = model(features)
  if cols_to_vars is not None:
    cols_to_vars.update(model.cols_to_vars())
  return result


class LinearModel:
  """A linear model whose scopes are made at once, and whose variables when features first come.

  With `own_scope` the names of its ops begin with a scope of the model's own beside that of its variables.
  """

  def __init__(
    self,
    feature_columns,
    units=1,
    sparse_combiner="sum",
    weight_collections=None,
    trainable=True,
    name="linear_model",
    own_scope=True,
  ):
    feature_columns = layers.as_list(feature_columns)
    for column in feature_columns:
      if not isinstance(column, (DenseColumn, CategoricalColumn)):
        raise ValueError(f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}")
    self._columns = layers.ordered(feature_columns)
    self._units = units
    self._sparse_combiner = sparse_combiner
    self._trainable = trainable
    self._weight_collections = layers.collections_of(weight_collections)
    self._variables = {}
    self._built = False
    with tf.variable_scope(None, default_name=name, auxiliary_name_scope=own_scope) as scope:
      self._scope = scope
    # Names of columns are unique among the scopes outside of the model's: a second model has `a_1`.
    self._names = []
    for column in self._columns:
      with tf.variable_scope(None, default_name=column._var_scope_name, auxiliary_name_scope=own_scope) as scope:
        self._names.append(scope.name.split("/")[-1])

  def cols_to_vars(self):
    """Returns the list of variables of each column, and that of the bias for "bias". Empty before the first call."""
    return self._variables

  def __call__(self, features):
    """Returns the sums for features, by the variables of the first call."""
    last = self._scope.name.split("/")[-1]
    with tf.variable_scope(self._scope, reuse=self._built or None, auxiliary_name_scope=False):
      with tf.name_scope(last), tf.name_scope(last):
        return self._sum(features)

  def _sum(self, features):
    inputs = feature_inputs.Inputs(features)
    sums = []
    for column, name in zip(self._columns, self._names):
      with tf.variable_scope(name) as scope:
        sums.append(self._of_column(column, inputs, self._weights_of(column)))
        self._variables[column] = ops.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope.name + "/")
    total = self._total(sums)
    bias = self._variable("bias_weights", [self._units])
    self._variables["bias"] = parts_of(bias)
    self._built = True
    return tf.nn.bias_add(total, bias, name="weighted_sum")

  def _total(self, sums):
    layers.check_batch_sizes(sums, self._columns)
    return tf.add_n(sums, name="weighted_sum_no_bias")

  def _variable(self, name, shape):
    return tf.get_variable(
      name,
      shape=shape,
      dtype=tf.float32,
      initializer=tf.zeros_initializer(),
      trainable=self._trainable,
      collections=None if self._weight_collections is None else list(self._weight_collections),
    )

  def _weights_of(self, column):
    if isinstance(column, CategoricalColumn):
      return self._variable("weights", [column._num_buckets, self._units])
    return self._variable("weights", [column._variable_shape.num_elements(), self._units])

  def _of_column(self, column, inputs, weights):
    """Returns what a column adds to the sums."""
    if isinstance(column, CategoricalColumn):
      return self._of_categories(column, inputs, weights)
    tensor = column._get_dense_tensor(inputs, weight_collections=self._weight_collections, trainable=self._trainable)
    tensor = feature_inputs.flattened(tensor, column._variable_shape.num_elements())
    return tf.matmul(tensor, weights, name="weighted_sum")

  def _of_categories(self, column, inputs, weights):
    pair = column._get_sparse_tensors(inputs, weight_collections=self._weight_collections, trainable=self._trainable)
    ids = _rows(pair.id_tensor)
    return tf.nn.safe_embedding_lookup_sparse(
      weights,
      ids,
      sparse_weights=None if pair.weight_tensor is None else _rows(pair.weight_tensor),
      combiner=self._sparse_combiner,
      name="weighted_sum",
    )


class ResourceLinearModel(LinearModel):
  """A linear model whose variables are resources, made before all ops of the model, in no collection but that of all."""

  def __init__(self, feature_columns, units=1, sparse_combiner="sum", trainable=True, name="linear_model"):
    super().__init__(
      feature_columns, units=units, sparse_combiner=sparse_combiner, trainable=trainable, name=name, own_scope=False
    )
    self._weight_collections = None

  def __call__(self, features):
    """Returns the sums for features. Called once."""
    last = self._scope.name.split("/")[-1]
    with tf.variable_scope(self._scope, use_resource=True, auxiliary_name_scope=False):
      inputs = feature_inputs.Inputs(features)
      weights = {}
      for column, name in zip(self._columns, self._names):
        with tf.variable_scope(name, auxiliary_name_scope=False) as scope:
          inputs.make_table(column, self._trainable)
          weights[column] = self._weights_of(column)
          self._variables[column] = ops.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope.name + "/")
      bias = self._variable("bias_weights", [self._units])
      self._variables["bias"] = parts_of(bias)
      with tf.name_scope(last), tf.name_scope(last), tf.name_scope(last):
        sums = []
        for column in self._columns:
          with tf.name_scope(column.name):
            sums.append(self._of_column(column, inputs, weights[column]))
        return tf.nn.bias_add(self._total(sums), bias, name="weighted_sum")


def _rows(value):
  """Returns a SparseTensor with all that an example has as one row."""
  return tf.sparse_reshape(value, [tf.shape(value)[0], -1])


def parts_of(variable):
  """Returns a variable as a list: of its parts if it has some."""
  if isinstance(variable, tf.Variable.PartitionedVariable):
    return list(variable)
  return [variable]
