"""Signatures: which tensors are the inputs and outputs of a model, by names."""

import millrace as tf
from millrace.framework import composite, protos
from millrace.framework import graph as graph_lib
from millrace.saved_model import keys


def build_tensor_info(tensor):
  """The TensorInfo of a tensor, a sparse tensor or a variable."""
  info = protos.TensorInfo(dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.get_shape().as_proto())
  if isinstance(tensor, composite.SparseTensor):
    info.coo_sparse.values_tensor_name = tensor.values.name
    info.coo_sparse.indices_tensor_name = tensor.indices.name
    info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
  else:
    info.name = tensor.name
  return info


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
  """The tensor of a TensorInfo in a graph, below `import_scope`. Raises KeyError if it isn't there."""
  graph = graph or tf.get_default_graph()
  tensor_info = protos.coerce(protos.TensorInfo, tensor_info)

  def element(name):
    return graph.get_tensor_by_name(graph_lib.prepend_name_scope(name, import_scope))

  encoding = tensor_info.WhichOneof("encoding")
  if encoding == "name":
    return element(tensor_info.name)
  if encoding == "coo_sparse":
    sparse = tensor_info.coo_sparse
    return composite.SparseTensor(
      element(sparse.indices_tensor_name),
      element(sparse.values_tensor_name),
      element(sparse.dense_shape_tensor_name),
    )
  raise ValueError(f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse`, `composite_tensor`, or `name`.")


def build_signature_def(inputs=None, outputs=None, method_name=None):
  """The SignatureDef of maps of names to TensorInfos."""
  result = protos.SignatureDef()
  for source, target in ((inputs, result.inputs), (outputs, result.outputs)):
    for name, info in (source or {}).items():
      target[name].CopyFrom(protos.coerce(protos.TensorInfo, info))
  if method_name is not None:
    result.method_name = method_name
  return result


def regression_signature_def(examples, predictions):
  """The signature of a regression: from strings with examples to floats. Raises ValueError for other types."""
  if examples is None:
    raise ValueError("Regression `examples` cannot be None.")
  if not isinstance(examples, tf.Tensor):
    raise ValueError(  # noqa: TRY004 (TensorFlow's class, as below)
      f"Expected regression `examples` to be of type Tensor. Found `examples` of type {type(examples)}."
    )
  if predictions is None:
    raise ValueError("Regression `predictions` cannot be None.")
  input_info = build_tensor_info(examples)
  if input_info.dtype != protos.DT_STRING:
    raise ValueError(f"Regression input tensors must be of type string. Found tensors with type {input_info.dtype}.")
  output_info = build_tensor_info(predictions)
  if output_info.dtype != protos.DT_FLOAT:
    raise ValueError(f"Regression output tensors must be of type float. Found tensors with type {output_info.dtype}.")
  return build_signature_def({keys.REGRESS_INPUTS: input_info}, {keys.REGRESS_OUTPUTS: output_info}, keys.REGRESS_METHOD_NAME)


def classification_signature_def(examples, classes, scores):
  """The signature of a classification: from strings with examples to classes (strings), scores (floats) or both.

  Raises ValueError for other types.
  """
  if examples is None:
    raise ValueError("Classification `examples` cannot be None.")
  if not isinstance(examples, tf.Tensor):
    raise ValueError(  # noqa: TRY004
      f"Classification `examples` must be a string Tensor. Found `examples` of type {type(examples)}."
    )
  if classes is None and scores is None:
    raise ValueError("Classification `classes` and `scores` cannot both be None.")
  input_info = build_tensor_info(examples)
  if input_info.dtype != protos.DT_STRING:
    raise ValueError(f"Classification input tensors must be of type string. Found tensors of type {input_info.dtype}")
  outputs = {}
  if classes is not None:
    info = build_tensor_info(classes)
    if info.dtype != protos.DT_STRING:
      raise ValueError(f"Classification classes must be of type string Tensor. Found tensors of type {info.dtype}.`")
    outputs[keys.CLASSIFY_OUTPUT_CLASSES] = info
  if scores is not None:
    info = build_tensor_info(scores)
    if info.dtype != protos.DT_FLOAT:
      raise ValueError("Classification scores must be a float Tensor.")
    outputs[keys.CLASSIFY_OUTPUT_SCORES] = info
  return build_signature_def({keys.CLASSIFY_INPUTS: input_info}, outputs, keys.CLASSIFY_METHOD_NAME)


def predict_signature_def(inputs, outputs):
  """The signature of a prediction, by maps of names to tensors. Raises ValueError for empty ones."""
  if inputs is None or not inputs:
    raise ValueError("Prediction `inputs` cannot be None or empty.")
  if outputs is None or not outputs:
    raise ValueError("Prediction `outputs` cannot be None or empty.")
  return build_signature_def(
    {name: build_tensor_info(t) for name, t in inputs.items()},
    {name: build_tensor_info(t) for name, t in outputs.items()},
    keys.PREDICT_METHOD_NAME,
  )


def is_valid_signature(signature_def):
  """Whether servers can use the signature: one of the three methods, with the entries that it needs."""
  if signature_def is None:
    return False
  check = {
    keys.CLASSIFY_METHOD_NAME: _is_classification,
    keys.REGRESS_METHOD_NAME: _is_regression,
    keys.PREDICT_METHOD_NAME: lambda s: bool(s.inputs) and bool(s.outputs),
  }.get(signature_def.method_name)
  return check is not None and check(signature_def)


def _has_only(entries, name, dtype):
  return set(entries) == {name} and entries[name].dtype == dtype


def _is_regression(signature_def):
  return _has_only(signature_def.inputs, keys.REGRESS_INPUTS, protos.DT_STRING) and _has_only(
    signature_def.outputs, keys.REGRESS_OUTPUTS, protos.DT_FLOAT
  )


def _is_classification(signature_def):
  if not _has_only(signature_def.inputs, keys.CLASSIFY_INPUTS, protos.DT_STRING):
    return False
  allowed = {keys.CLASSIFY_OUTPUT_CLASSES: protos.DT_STRING, keys.CLASSIFY_OUTPUT_SCORES: protos.DT_FLOAT}
  outputs = signature_def.outputs
  return bool(outputs) and all(allowed.get(name) == info.dtype for name, info in outputs.items())
