"""The messages of an export: `manifest.Signatures`, `manifest.AssetFile`, ..."""

_TEXT = """
message Signatures
1 tensorflow.serving.Signature default_signature
2 map string tensorflow.serving.Signature named_signatures

message Signature
1 oneof type tensorflow.serving.RegressionSignature regression_signature
2 oneof type tensorflow.serving.ClassificationSignature classification_signature
3 oneof type tensorflow.serving.GenericSignature generic_signature

message RegressionSignature
1 tensorflow.serving.TensorBinding input
2 tensorflow.serving.TensorBinding output

message ClassificationSignature
1 tensorflow.serving.TensorBinding input
2 tensorflow.serving.TensorBinding classes
3 tensorflow.serving.TensorBinding scores

message GenericSignature
1 map string tensorflow.serving.TensorBinding map

message TensorBinding
1 string tensor_name

message AssetFile
1 tensorflow.serving.TensorBinding tensor_binding
2 string filename
"""

_classes = None


def __getattr__(name):
  global _classes
  if name.startswith("__"):
    raise AttributeError(name)
  if _classes is None:
    from millrace.framework import declared_messages

    _classes = declared_messages.declare("python/session_bundle/manifest.proto", "tensorflow.serving", _TEXT)
  if name not in _classes:
    raise AttributeError(f"there is no message {name} of exports")
  return _classes[name]


def __dir__():
  return [line.split()[1] for line in _TEXT.splitlines() if line.startswith("message")]
