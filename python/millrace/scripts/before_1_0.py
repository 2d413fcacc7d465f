"""Functions with the order of arguments that they had before TensorFlow 1.0 (`--tf 0.12`)."""

from millrace.scripts.old_names import since_1_0


def concat(concat_dim=None, values=None, name="concat", axis=None):
  return since_1_0("tf.concat")(values, concat_dim if axis is None else axis, name=name)


def split(split_dim=None, num_split=None, value=None, name="split", axis=None, num_or_size_splits=None):
  axis = split_dim if axis is None else axis
  count = num_split if num_or_size_splits is None else num_or_size_splits
  return since_1_0("tf.split")(value, count, axis=axis, name=name)


def sparse_split(split_dim=None, num_split=None, sp_input=None, name=None, axis=None):
  return since_1_0("tf.sparse_split")(sp_input=sp_input, num_split=num_split, axis=split_dim if axis is None else axis, name=name)


def reverse(tensor, dims, name=None):
  """`dims` is a list of booleans, one for each dimension of the tensor."""
  from millrace import gen
  from millrace.framework import convert, dtypes

  if isinstance(dims, (list, tuple)) and any(not isinstance(d, bool) for d in dims):
    return since_1_0("tf.reverse")(tensor, dims, name=name)
  return gen.reverse(tensor, convert.convert_to_tensor(dims, dtype=dtypes.bool, name="dims"), name=name)


def softmax_cross_entropy_with_logits(logits, labels, dim=-1, name=None):
  return since_1_0("tf.nn.softmax_cross_entropy_with_logits")(labels=labels, logits=logits, dim=dim, name=name)


def sparse_softmax_cross_entropy_with_logits(logits, labels, name=None):
  return since_1_0("tf.nn.sparse_softmax_cross_entropy_with_logits")(labels=labels, logits=logits, name=name)


def sigmoid_cross_entropy_with_logits(logits, targets=None, name=None, labels=None):
  labels = targets if labels is None else labels
  return since_1_0("tf.nn.sigmoid_cross_entropy_with_logits")(labels=labels, logits=logits, name=name)


def nce_loss(
  weights,
  biases,
  inputs,
  labels,
  num_sampled,
  num_classes,
  num_true=1,
  sampled_values=None,
  remove_accidental_hits=False,
  partition_strategy="mod",
  name="nce_loss",
):
  return since_1_0("tf.nn.nce_loss")(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=num_true,
    sampled_values=sampled_values,
    remove_accidental_hits=remove_accidental_hits,
    partition_strategy=partition_strategy,
    name=name,
  )


def sampled_softmax_loss(
  weights,
  biases,
  inputs,
  labels,
  num_sampled,
  num_classes,
  num_true=1,
  sampled_values=None,
  remove_accidental_hits=True,
  partition_strategy="mod",
  name="sampled_softmax_loss",
):
  return since_1_0("tf.nn.sampled_softmax_loss")(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=num_true,
    sampled_values=sampled_values,
    remove_accidental_hits=remove_accidental_hits,
    partition_strategy=partition_strategy,
    name=name,
  )


class _OfShape(type):
  """The type of a class of today whose argument `dense_shape` was called `shape`. Its objects are those of today's class."""

  def __call__(cls, indices, values, shape=None, dense_shape=None):
    return since_1_0(cls.name)(indices, values, shape if dense_shape is None else dense_shape)

  def __instancecheck__(cls, value):
    return isinstance(value, since_1_0(cls.name))

  def __getattr__(cls, name):
    return getattr(since_1_0(cls.name), name)


class SparseTensor(metaclass=_OfShape):
  name = "tf.SparseTensor"


class SparseTensorValue(metaclass=_OfShape):
  name = "tf.SparseTensorValue"
