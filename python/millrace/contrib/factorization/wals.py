"""A matrix as the product of two smaller ones, by weighted alternating least squares (Hu, Koren and Volinsky, 2008)."""

import millrace as tf

_CHUNK = 1 << 16  # elements of the input whose products are in memory at a time


class WALSModel:
  """Rows U and columns V that minimize |sqrt(W) (A - U V^T)|^2 + regularization (|U|^2 + |V|^2).

  W is `unobserved_weight` where the input A has no element, and `unobserved_weight` + row weight * column weight where it has one.
  With weights of None for rows or columns it is 1 everywhere.

  An iteration runs, one after the other: row_update_prep_gramian_op, initialize_row_update_op, the op of update_row_factors() for
  all batches of rows; then the same for columns. Before the first: initialize_op and worker_init.

  Args:
    input_rows: Number of rows of the input.
    input_cols: Number of its columns.
    n_components: Number of columns of U and V.
    unobserved_weight: See above.
    regularization: See above; None for none.
    row_init: "random", or the first values of U: an array, or a list of one array a shard, or a function that returns one of these.
    col_init: The same of V.
    num_row_shards: In how many parts U is kept, rows that follow each other; the first parts have one more where they differ.
    num_col_shards: The same of V.
    row_weights: A number for all rows, a list of one a row, a list of lists of one a row of a shard, or None.
    col_weights: The same of columns.
    use_factors_weights_cache: Of no effect: factors and weights are read where they are.
    use_gramian_cache: Of no effect: the products of factors are read where they are.
  """

  def __init__(
    self,
    input_rows,
    input_cols,
    n_components,
    unobserved_weight=0.1,
    regularization=None,
    row_init="random",
    col_init="random",
    num_row_shards=1,
    num_col_shards=1,
    row_weights=1,
    col_weights=1,
    use_factors_weights_cache=True,
    use_gramian_cache=True,
  ):
    del use_factors_weights_cache, use_gramian_cache
    self._sizes = (input_rows, input_cols)
    self._n_components = n_components
    self._unobserved_weight = unobserved_weight
    self._regularization = regularization
    self._row_factors = self._factors("row_factors", input_rows, num_row_shards, row_init)
    self._col_factors = self._factors("col_factors", input_cols, num_col_shards, col_init)
    self._row_weights = self._weights("row_weights", input_rows, num_row_shards, row_weights)
    self._col_weights = self._weights("col_weights", input_cols, num_col_shards, col_weights)
    shape = [n_components, n_components]
    self._row_gramian = tf.Variable(tf.zeros(shape), trainable=False, name="row_gramian")
    self._col_gramian = tf.Variable(tf.zeros(shape), trainable=False, name="col_gramian")
    # Rows are found with the product of the columns' factors, and the other way round.
    self._prepare_rows = tf.group(tf.assign(self._col_gramian, self._gramian(self._col_factors)))
    self._prepare_cols = tf.group(tf.assign(self._row_gramian, self._gramian(self._row_factors)))
    self._nothing = tf.no_op()

  def _factors(self, name, size, shards, start):
    if callable(start):
      start = start()
    parts = []
    for shard, rows in enumerate(_sizes(size, shards)):
      if isinstance(start, str):
        if start != "random":
          raise ValueError(f'Factors begin "random" or with given values, not {start!r}.')
        value = tf.random_normal([rows, self._n_components])
      else:
        value = tf.convert_to_tensor(start[shard] if shards > 1 or isinstance(start, list) else start, dtype=tf.float32)
      parts.append(tf.Variable(value, trainable=False, name=f"{name}_shard_{shard}"))
    return parts

  def _weights(self, name, size, shards, weights):
    if weights is None:
      return None
    parts, begin = [], 0
    for shard, rows in enumerate(_sizes(size, shards)):
      if isinstance(weights, (int, float)):
        value = [float(weights)] * rows
      elif isinstance(weights[0], (list, tuple)) or getattr(weights[0], "ndim", 0):
        value = list(weights[shard])
      else:
        value = list(weights[begin : begin + rows] if shards > 1 else weights)
      begin += rows
      if len(value) != rows:
        raise ValueError(f"{name} of shard {shard} have to be {rows}, not {len(value)}.")
      parts.append(tf.Variable(tf.constant(value, tf.float32), trainable=False, name=f"{name}_{shard}"))
    return parts

  def _gramian(self, factors):
    return tf.add_n([tf.matmul(part, part, transpose_a=True) for part in factors])

  @property
  def row_factors(self):
    """The list of the parts of U."""
    return self._row_factors

  @property
  def col_factors(self):
    """The list of the parts of V."""
    return self._col_factors

  @property
  def row_weights(self):
    """The list of the parts of the rows' weights, or None."""
    return self._row_weights

  @property
  def col_weights(self):
    """The list of the parts of the columns' weights, or None."""
    return self._col_weights

  @property
  def initialize_op(self):
    """The op that gives factors and weights their first values."""
    variables = self._row_factors + self._col_factors + (self._row_weights or []) + (self._col_weights or [])
    return tf.variables_initializer([*variables, self._row_gramian, self._col_gramian])

  @property
  def worker_init(self):
    """The op that a worker runs once; it does nothing."""
    return self._nothing

  @property
  def row_update_prep_gramian_op(self):
    """The op that runs before rows are updated."""
    return self._prepare_rows

  @property
  def col_update_prep_gramian_op(self):
    """The op that runs before columns are updated."""
    return self._prepare_cols

  @property
  def initialize_row_update_op(self):
    """The op that a worker runs before it updates rows; it does nothing."""
    return self._nothing

  @property
  def initialize_col_update_op(self):
    """The op that a worker runs before it updates columns; it does nothing."""
    return self._nothing

  def update_row_factors(self, sp_input=None, transpose_input=False):
    """Finds the factors of the rows that a batch has, those of columns being as they are.

    Args:
      sp_input: A SparseTensor [rows, columns] with all elements of these rows.
      transpose_input: The batch is [columns, rows].

    Returns:
      (the new factors, in the order in which the elements name their rows, the op that writes them, the loss without
      regularization, the regularization, the sum of weights), the last three as if the batch were all rows.
    """
    return self._update(sp_input, transpose_input, of_rows=True)

  def update_col_factors(self, sp_input=None, transpose_input=False):
    """As update_row_factors, of columns: `sp_input` has all elements of some columns."""
    return self._update(sp_input, transpose_input, of_rows=False)

  def project_row_factors(self, sp_input=None, transpose_input=False, projection_weights=None):
    """Returns the factors of rows that need not be among those of the model, [rows in the batch, n_components].

    `projection_weights` are the weights of the rows: a number, or one each; None for 1. The rest: see update_row_factors.
    """
    return self._project(sp_input, transpose_input, projection_weights, of_rows=True)

  def project_col_factors(self, sp_input=None, transpose_input=False, projection_weights=None):
    """As project_row_factors, of columns."""
    return self._project(sp_input, transpose_input, projection_weights, of_rows=False)

  def _side(self, of_rows):
    """Returns (factors, their weights, their number, the others' factors, their weights, their number, their gramian)."""
    rows = (self._row_factors, self._row_weights, self._sizes[0])
    cols = (self._col_factors, self._col_weights, self._sizes[1])
    return (*rows, *cols, self._col_gramian) if of_rows else (*cols, *rows, self._row_gramian)

  def _coordinates(self, sp_input, transpose_input, of_rows):
    """Returns the vectors of numbers of what is updated and of the others, for each element."""
    indices = sp_input.indices
    first, second = indices[:, 0], indices[:, 1]
    return (first, second) if of_rows != transpose_input else (second, first)

  def _update(self, sp_input, transpose_input, of_rows):
    factors, weights, size, others, other_weights, other_size, gramian = self._side(of_rows)
    ours, theirs = self._coordinates(sp_input, transpose_input, of_rows)
    updated, places = tf.unique(ours)
    of_elements = None
    if weights is not None and other_weights is not None:
      of_elements = _rows(weights, ours) * _rows(other_weights, theirs)
    count = tf.size(updated)
    found = self._solved(sp_input.values, places, count, _rows(others, theirs), of_elements, gramian)
    write = _written(factors, updated, found)
    scale = tf.cast(size, tf.float32) / tf.cast(tf.maximum(count, 1), tf.float32)
    losses = self._losses(sp_input.values, found, places, _rows(others, theirs), of_elements, gramian, scale)
    total = self._unobserved_weight * float(size) * float(other_size)
    if of_elements is not None:
      total += tf.reduce_sum(of_elements) * scale
    return (found, write, *losses, tf.convert_to_tensor(total, tf.float32))

  def _project(self, sp_input, transpose_input, projection_weights, of_rows):
    _, _, _, others, other_weights, _, gramian = self._side(of_rows)
    ours, theirs = self._coordinates(sp_input, transpose_input, of_rows)
    count = sp_input.dense_shape[1 if of_rows == transpose_input else 0]
    of_elements = None
    if other_weights is not None:
      weights = tf.convert_to_tensor(1.0 if projection_weights is None else projection_weights, dtype=tf.float32)
      if weights.get_shape().ndims:
        weights = tf.gather(weights, ours)
      of_elements = weights * _rows(other_weights, theirs)
    return self._solved(
      sp_input.values, tf.cast(ours, tf.int32), tf.cast(count, tf.int32), _rows(others, theirs), of_elements, gramian
    )

  def _solved(self, values, places, count, others, weights, gramian):
    """Returns the factors [count, n_components] that fit best; element e is of number places[e] and of the row e of `others`."""
    size = self._n_components
    base = gramian * (1.0 if weights is None else self._unobserved_weight)
    if self._regularization is not None:
      base += self._regularization * tf.eye(size)
    left = tf.tile(tf.expand_dims(base, 0), [count, 1, 1])
    if weights is None:
      right = tf.unsorted_segment_sum(tf.expand_dims(values, 1) * others, places, count)
    else:
      whole = tf.expand_dims((self._unobserved_weight + weights) * values, 1)
      right = tf.unsorted_segment_sum(whole * others, places, count)
      left += _sum_of_squares(others, weights, places, count, size)
    return tf.squeeze(tf.matrix_solve(left, tf.expand_dims(right, -1)), -1)

  def _losses(self, values, found, places, others, weights, gramian, scale):
    """Returns the loss of a batch without regularization, and the regularization."""
    fitted = tf.reduce_sum(tf.gather(found, places) * others, 1)
    squares = tf.square(values - fitted)
    own = tf.matmul(found, found, transpose_a=True)
    # All elements, of which those of the input are others than 0.
    loss = self._unobserved_weight * (
      tf.reduce_sum(squares) - tf.reduce_sum(tf.square(fitted)) + tf.trace(tf.matmul(own, gramian))
    )
    if weights is not None:
      loss += tf.reduce_sum(weights * squares)
    if self._regularization is None:
      regularization = tf.constant(0.0)
    else:
      regularization = self._regularization * (tf.trace(own) * scale + tf.trace(gramian))
    return loss * scale, regularization


def _sizes(size, shards):
  """The numbers of rows of parts."""
  return [size // shards + (shard < size % shards) for shard in range(shards)]


def _rows(parts, numbers):
  """Returns rows by their numbers of what is kept in parts."""
  return tf.nn.embedding_lookup(parts, numbers, partition_strategy="div")


def _written(parts, numbers, rows):
  """Returns the op that writes rows by their numbers into what is kept in parts."""
  if len(parts) == 1:
    return tf.group(tf.scatter_update(parts[0], numbers, rows))
  sizes = [part.get_shape().as_list()[0] for part in parts]
  ends = tf.cumsum(tf.constant(sizes, numbers.dtype))
  shards = tf.reduce_sum(tf.cast(tf.expand_dims(numbers, 1) >= ends, tf.int32), 1)
  places = numbers - tf.gather(tf.cumsum(tf.constant(sizes, numbers.dtype), exclusive=True), shards)
  split_places = tf.dynamic_partition(places, shards, len(parts))
  split_rows = tf.dynamic_partition(rows, shards, len(parts))
  return tf.group(*[tf.scatter_update(*one) for one in zip(parts, split_places, split_rows)])


def _sum_of_squares(others, weights, places, count, size):
  """Returns [count, size, size]: for each number the sum of the outer products of its elements' rows, times their weights."""
  elements = tf.size(weights)

  def add(start, total):
    end = tf.minimum(start + _CHUNK, elements)
    rows = others[start:end]
    scaled = rows * tf.expand_dims(weights[start:end], 1)
    products = tf.expand_dims(scaled, 2) * tf.expand_dims(rows, 1)
    return end, total + tf.unsorted_segment_sum(products, places[start:end], count)

  _, total = tf.while_loop(
    lambda start, total: start < elements,
    add,
    [tf.constant(0), tf.zeros(tf.stack([count, size, size]))],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, size, size])],
    parallel_iterations=1,
  )
  return total
