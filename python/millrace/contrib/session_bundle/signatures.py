"""Signatures: which tensors of an export are asked for and fed."""

from millrace.contrib.session_bundle import constants, manifest
from millrace.framework import protos
from millrace.framework.deprecation import deprecated

_INSTEAD = "No longer supported. Switch to SavedModel immediately."


@deprecated("2017-06-30", _INSTEAD)
def classification_signature(input_tensor, classes_tensor=None, scores_tensor=None):
  """Makes the signature of a classifier from its serialized examples, and its classes and scores if it has them."""
  signature = manifest.Signature()
  signature.classification_signature.input.tensor_name = input_tensor.name
  if classes_tensor is not None:
    signature.classification_signature.classes.tensor_name = classes_tensor.name
  if scores_tensor is not None:
    signature.classification_signature.scores.tensor_name = scores_tensor.name
  return signature


@deprecated("2017-06-30", _INSTEAD)
def regression_signature(input_tensor, output_tensor):
  """Makes the signature of a regression from its serialized examples and its results."""
  signature = manifest.Signature()
  signature.regression_signature.input.tensor_name = input_tensor.name
  signature.regression_signature.output.tensor_name = output_tensor.name
  return signature


@deprecated("2017-06-30", _INSTEAD)
def generic_signature(name_tensor_map):
  """Makes a signature of a dictionary from names to tensors."""
  signature = manifest.Signature()
  for name, tensor in name_tensor_map.items():
    signature.generic_signature.map[name].tensor_name = tensor.name
  return signature


def get_signatures(meta_graph_def):
  """Returns the Signatures of a MetaGraphDef. Raises RuntimeError if there are none, or several."""
  collection = meta_graph_def.collection_def
  values = collection[constants.SIGNATURES_KEY].any_list.value if constants.SIGNATURES_KEY in collection else []
  if len(values) != 1:
    raise RuntimeError(f"Expected exactly one signatures proto in : {meta_graph_def}")
  signatures = manifest.Signatures()
  values[0].Unpack(signatures)
  return signatures


def get_default_signature(meta_graph_def):
  """Returns the default Signature of a MetaGraphDef. Raises RuntimeError if there is none."""
  return get_signatures(meta_graph_def).default_signature


def get_named_signature(name, meta_graph_def):
  """Returns the Signature of this name in a MetaGraphDef. Raises RuntimeError if there is none."""
  signatures = get_signatures(meta_graph_def)
  if name not in signatures.named_signatures:
    raise RuntimeError(f"Could not find signature with name: {name}")
  return signatures.named_signatures[name]


def _of_kind(signature, kind, words):
  if signature.WhichOneof("type") != kind:
    raise RuntimeError(f"Expected {words} signature in: {signature}")
  return getattr(signature, kind)


def get_classification_signature(meta_graph_def):
  """Returns the default signature, which has to be of a classifier. Raises RuntimeError for another."""
  return _of_kind(get_default_signature(meta_graph_def), "classification_signature", "a classification")


def get_regression_signature(meta_graph_def):
  """Returns the default signature, which has to be of a regression. Raises RuntimeError for another."""
  return _of_kind(get_default_signature(meta_graph_def), "regression_signature", "a regression")


def get_generic_signature(name, meta_graph_def):
  """Returns the signature of this name, which has to be a dictionary. Raises RuntimeError for another."""
  return _of_kind(get_named_signature(name, meta_graph_def), "generic_signature", "a generic")


def packed(message):
  """The message as a google.protobuf.Any, as collections have it."""
  found = protos.message_class("google.protobuf.Any")()
  found.Pack(message)
  return found
