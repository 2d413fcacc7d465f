"""Rows of tables for ids: in sequences, in bags, each id once, and for ids that are hashed."""

import millrace as tf
from millrace.contrib.framework import variables
from millrace.framework import composite, convert
from millrace.ops.nn import embedding_sparse


def safe_embedding_lookup_sparse(
  embedding_weights,
  sparse_ids,
  sparse_weights=None,
  combiner=None,
  default_id=None,
  name=None,
  partition_strategy="div",
  max_norm=None,
):
  """Returns tf.nn.safe_embedding_lookup_sparse(), where None as `combiner` is "mean" and says so."""
  if combiner is None:
    tf.logging.warn('The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.')
    combiner = "mean"
  return embedding_sparse.safe_embedding_lookup_sparse(
    embedding_weights,
    sparse_ids,
    sparse_weights=sparse_weights,
    combiner=combiner,
    default_id=default_id,
    name=name,
    partition_strategy=partition_strategy,
    max_norm=max_norm,
  )


def embedding_lookup_unique(params, ids, partition_strategy="mod", name=None):
  """Returns the rows `ids`, a tensor or a SparseTensor, of a table, each of which is read once. See tf.nn.embedding_lookup."""
  with tf.name_scope(name, "EmbeddingLookupUnique", [ids]):
    ids = convert.convert_to_tensor(ids) if not isinstance(ids, composite.SparseTensor) else ids.values
    shape = tf.shape(ids)
    unique, places = tf.unique(tf.reshape(ids, [-1]))
    rows = tf.nn.embedding_lookup(params, unique, partition_strategy)
    found = tf.gather(rows, places)
    found = tf.reshape(found, tf.concat([shape, tf.shape(rows)[1:]], 0))
    found.set_shape(ids.get_shape().concatenate(rows.get_shape()[1:]))
    return found


def embed_sequence(
  ids,
  vocab_size=None,
  embed_dim=None,
  unique=False,
  initializer=None,
  regularizer=None,
  trainable=True,
  scope=None,
  reuse=None,
):
  """Returns the rows of the variable `embeddings`, [vocab_size, embed_dim], for ids [batch, length].

  With `unique` each row is read once. `reuse` takes the variable that `scope` has: its sizes need not be said. ValueError where
  they are not said otherwise, or `reuse` is given without a scope.
  """
  if not (reuse or (vocab_size and embed_dim)):
    raise ValueError(
      f"Must specify vocab size and embedding dimension when not reusing. Got vocab_size={vocab_size} and embed_dim={embed_dim}"
    )
  with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
    shape = [vocab_size, embed_dim]
    if reuse and (vocab_size is None or embed_dim is None):
      shape = None
    embeddings = variables.model_variable(
      "embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable
    )
    if unique:
      return embedding_lookup_unique(embeddings, ids)
    return tf.nn.embedding_lookup(embeddings, ids)


def bow_encoder(
  ids,
  vocab_size,
  embed_dim,
  sparse_lookup=True,
  initializer=None,
  regularizer=None,
  trainable=True,
  scope=None,
  reuse=None,
):
  """Returns the means of the rows of `embeddings`, [vocab_size, embed_dim], for each row of ids [batch, length].

  `ids` is a tensor or a SparseTensor; with `sparse_lookup` a tensor's zeros are left out, otherwise the mean of all is taken.
  TypeError for a SparseTensor without `sparse_lookup`.
  """
  with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
    embeddings = variables.model_variable(
      "embeddings", shape=[vocab_size, embed_dim], initializer=initializer, regularizer=regularizer, trainable=trainable
    )
    if sparse_lookup:
      if not isinstance(ids, composite.SparseTensor):
        from millrace.contrib.layers import shaping

        ids = shaping.dense_to_sparse(ids)
      return tf.nn.embedding_lookup_sparse([embeddings], ids, None, combiner="mean", name="encoding")
    if isinstance(ids, composite.SparseTensor):
      raise TypeError("ids are expected to be dense Tensor, got: %s" % ids)
    return tf.reduce_mean(tf.nn.embedding_lookup(embeddings, ids), axis=1)
