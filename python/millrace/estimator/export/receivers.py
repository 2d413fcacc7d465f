"""What receives requests: placeholders, and the features that a model gets from them."""

import collections

import millrace as tf

_SINGLE_FEATURE = "feature"
_SINGLE_LABEL = "label"
_SINGLE_RECEIVER = "input"


def _is_tensor(value):
  return isinstance(value, (tf.Tensor, tf.SparseTensor, tf.RaggedTensor))


def _check_tensors(tensors, kind, with_names=str):
  """Raises ValueError for what is no map of strings (or names of other types) to tensors."""
  for name, tensor in tensors.items():
    if not isinstance(name, with_names):
      raise ValueError(f"{kind} keys must be strings: {name}.")  # noqa: TRY004 (TensorFlow's class, as below)
    if not _is_tensor(tensor):
      raise ValueError(f"{kind} {name} must be a Tensor, SparseTensor, or RaggedTensor.")  # noqa: TRY004


def _features_map(features, kind=_SINGLE_FEATURE):
  if isinstance(features, dict):
    _check_tensors(features, kind, with_names=object)
    return features
  _check_tensors({kind: features}, kind)
  return {kind: features}


def _receiver_map(receiver_tensors, kind="receiver_tensor"):
  """A map of names to tensors, of which one alone is called "input"."""
  if receiver_tensors is None:
    raise ValueError("receiver_tensors must be defined.")
  if not isinstance(receiver_tensors, dict):
    receiver_tensors = {_SINGLE_RECEIVER: receiver_tensors}
  _check_tensors(receiver_tensors, kind)
  return receiver_tensors


def _alternatives_map(alternatives):
  if alternatives is None:
    return None
  if not isinstance(alternatives, dict):
    raise ValueError(f"receiver_tensors_alternatives must be a dict: {alternatives}.")  # noqa: TRY004
  return {name: _receiver_map(tensors, "receiver_tensors_alternative") for name, tensors in alternatives.items()}


_SERVING_FIELDS = ["features", "receiver_tensors", "receiver_tensors_alternatives"]


class ServingInputReceiver(collections.namedtuple("ServingInputReceiver", _SERVING_FIELDS)):
  """A map of features (a tensor alone is called "feature"), and the tensors that receive requests (alone, "input").

  `receiver_tensors_alternatives` maps names to other such tensors. Raises ValueError for what is missing or no tensor.
  """

  def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
    if features is None:
      raise ValueError("features must be defined.")
    return super().__new__(
      cls,
      features=_features_map(features),
      receiver_tensors=_receiver_map(receiver_tensors),
      receiver_tensors_alternatives=_alternatives_map(receiver_tensors_alternatives),
    )


class TensorServingInputReceiver(collections.namedtuple("TensorServingInputReceiver", _SERVING_FIELDS)):
  """Like ServingInputReceiver, for models whose features are one tensor, which they get as it is."""

  def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
    if features is None:
      raise ValueError("features must be defined.")
    if not _is_tensor(features):
      raise ValueError("feature must be a Tensor, SparseTensor, or RaggedTensor.")
    return super().__new__(
      cls,
      features=features,
      receiver_tensors=_receiver_map(receiver_tensors),
      receiver_tensors_alternatives=_alternatives_map(receiver_tensors_alternatives),
    )


class SupervisedInputReceiver(collections.namedtuple("SupervisedInputReceiver", ["features", "labels", "receiver_tensors"])):
  """Features, labels and the tensors that receive both, for exported training and evaluation."""

  def __new__(cls, features, labels, receiver_tensors):
    for value, kind in ((features, "feature"), (labels, "label")):
      if value is None:
        raise ValueError(f"{kind}s must be defined.")
      _check_tensors(value if isinstance(value, dict) else {kind: value}, kind)
    return super().__new__(cls, features=features, labels=labels, receiver_tensors=_receiver_map(receiver_tensors))


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
  """A function whose receiver takes strings of serialized Examples, [batch] (any number by default), and parses them."""

  def serving_input_receiver_fn():
    serialized = tf.placeholder(dtype=tf.string, shape=[default_batch_size], name="input_example_tensor")
    features = tf.parse_example(serialized, feature_spec)
    return ServingInputReceiver(features, {"examples": serialized})

  return serving_input_receiver_fn


def _placeholder_for(tensor, default_batch_size):
  """A placeholder of a tensor's name, type and shape, whose first dimension is the batch's."""
  shape = tensor.get_shape()
  if shape.ndims is not None:
    shape = tf.TensorShape([default_batch_size, *shape.as_list()[1:]])
  return tf.placeholder(dtype=tensor.dtype, shape=shape, name=tensor.op.name)


def _placeholders_for(features, kind, default_batch_size):
  if not isinstance(features, dict):
    features = {kind: features}
  return {name: _placeholder_for(tensor, default_batch_size) for name, tensor in features.items()}


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
  """A function whose receiver takes the features themselves, each like a tensor of the map `features`."""

  def serving_input_receiver_fn():
    receiver_tensors = _placeholders_for(features, _SINGLE_FEATURE, default_batch_size)
    return ServingInputReceiver(receiver_tensors, receiver_tensors)

  return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(features, labels, default_batch_size=None):
  """A function whose receiver takes features and labels, each like a tensor or a map of tensors.

  Raises ValueError if a feature and a label have the same name.
  """
  feature_names = set(features) if isinstance(features, dict) else {_SINGLE_RECEIVER}
  label_names = set(labels) if isinstance(labels, dict) else {_SINGLE_LABEL}
  both = feature_names & label_names
  if both:
    raise ValueError(f"Features and labels must have distinct keys. Found overlapping keys: {both}")

  def supervised_input_receiver_fn():
    feature_tensors = _placeholders_for(features, _SINGLE_RECEIVER, default_batch_size)
    label_tensors = _placeholders_for(labels, _SINGLE_LABEL, default_batch_size)
    receiver_tensors = {**feature_tensors, **label_tensors}
    return SupervisedInputReceiver(
      feature_tensors if isinstance(features, dict) else feature_tensors[_SINGLE_RECEIVER],
      label_tensors if isinstance(labels, dict) else label_tensors[_SINGLE_LABEL],
      receiver_tensors,
    )

  return supervised_input_receiver_fn


def build_supervised_input_receiver_fn_from_input_fn(input_fn, **input_fn_args):
  """A function whose receiver takes what an input function gives, features and labels, from placeholders."""
  from millrace.estimator import input_results

  with tf.Graph().as_default():
    features, labels, _ = input_results.parse(input_fn(**input_fn_args))
  return build_raw_supervised_input_receiver_fn(features, labels)
