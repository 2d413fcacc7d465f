"""The variables of columns, and what is looked up in them."""

import millrace as tf
from millrace.contrib.framework.variables import model_variable
from millrace.contrib.layers_columns import column as columns
from millrace.contrib.layers_columns import scattered
from millrace.framework.graph import GraphKeys


def collections_of(weight_collections):
  """Returns the names of collections with that of all variables."""
  found = list(weight_collections or [])
  if GraphKeys.GLOBAL_VARIABLES not in found:
    found.append(GraphKeys.GLOBAL_VARIABLES)
  return found


def parts_of(variable):
  """Returns a variable as a list: of its parts if it has some."""
  return list(variable) if isinstance(variable, tf.Variable.PartitionedVariable) else [variable]


def restore(column, variable):
  """Gives a variable the first values of the checkpoint that a column names, if it names one."""
  path = getattr(column, "ckpt_to_load_from", None)
  if path is not None:
    parts = parts_of(variable)
    tf.train.init_from_checkpoint(path, {column.tensor_name_in_ckpt: parts[0] if len(parts) == 1 else parts})


def looked_up(column, lookup, weight_collections, trainable, output_rank):
  """Returns the rows of an embedding, made in the current scope or shared with other columns."""
  if lookup.hash_key is not None:
    places = model_variable(
      "weights",
      shape=[lookup.vocab_size],
      dtype=tf.float32,
      initializer=lookup.initializer,
      trainable=trainable,
      collections=weight_collections,
    )
    return scattered.scattered_embedding_lookup_sparse(
      parts_of(places),
      columns.with_rank(lookup.ids, 2, column.name),
      lookup.dimension,
      combiner=lookup.combiner,
      hash_key=lookup.hash_key,
      name="lookup",
    )
  table = _table(column, lookup, weight_collections, trainable)
  ids = columns.with_rank(lookup.ids, output_rank, column.name)
  weights = None if lookup.weights is None else columns.with_rank(lookup.weights, output_rank, column.name)
  return tf.nn.safe_embedding_lookup_sparse(
    parts_of(table),
    ids,
    sparse_weights=weights,
    combiner=lookup.combiner,
    name=column.name + "weights",
    max_norm=lookup.max_norm,
  )


def _table(column, lookup, weight_collections, trainable):
  shape = [lookup.vocab_size, lookup.dimension]

  def new(name):
    made = model_variable(
      name,
      shape=shape,
      dtype=tf.float32,
      initializer=lookup.initializer,
      trainable=trainable and lookup.trainable,
      collections=weight_collections,
    )
    restore(column, made)
    return made

  if lookup.shared_name is None:
    return new("weights")
  collection = "SHARED_EMBEDDING_COLLECTION_" + lookup.shared_name.upper()
  found = tf.get_collection_ref(collection)
  if not found:
    found.append(new(lookup.shared_name))
  elif len(found) > 1:
    raise ValueError(f"Collection {collection} can have one table only; it has {found}.")
  elif found[0].get_shape().as_list() != shape:
    raise ValueError(
      f"The shared table {lookup.shared_name} has the shape {found[0].get_shape()}, not {shape} as the column {column.name} asks."
    )
  return found[0]
