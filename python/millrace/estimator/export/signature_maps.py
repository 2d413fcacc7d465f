"""The signatures of an export: each of its outputs, with the tensors that receive requests."""

import millrace as tf
from millrace.estimator.export import outputs
from millrace.estimator.mode_keys import ModeKeys
from millrace.saved_model import keys, signatures

TAGS = {ModeKeys.PREDICT: [keys.SERVING], ModeKeys.TRAIN: [keys.TRAINING], ModeKeys.EVAL: ["eval"]}
_METHODS = [
  ("Classify", keys.CLASSIFY_METHOD_NAME),
  ("Regress", keys.REGRESS_METHOD_NAME),
  ("Predict", keys.PREDICT_METHOD_NAME),
  ("Train", outputs.TrainOutput._METHOD_NAME),
  ("Eval", outputs.EvalOutput._METHOD_NAME),
]


def outputs_of(mode, spec):
  """The map of outputs that the graph of a mode exports. Raises ValueError for a mode that isn't one."""
  if mode == ModeKeys.PREDICT:
    return spec.export_outputs
  if mode not in TAGS:
    raise ValueError(f"Export output type not found for mode: {mode}")
  cls = outputs.TrainOutput if mode == ModeKeys.TRAIN else outputs.EvalOutput
  return {mode: cls(loss=spec.loss, predictions=spec.predictions, metrics=spec.eval_metric_ops)}


def build(receiver_tensors, export_outputs, receiver_tensors_alternatives=None, serving_only=True):
  """A map of names to signatures; those that can't be served are left out, and said in the log.

  With alternatives, outputs are also called "receiver:output". Raises ValueError if a map is none.
  """
  if not isinstance(receiver_tensors, dict):
    receiver_tensors = {"input": receiver_tensors}
  if not isinstance(export_outputs, dict):
    raise ValueError(  # noqa: TRY004 (TensorFlow's class, as below)
      f"`export_outputs` must be a dict. Received {export_outputs} with type {type(export_outputs).__name__}."
    )
  if receiver_tensors_alternatives is not None and not isinstance(receiver_tensors_alternatives, dict):
    raise ValueError(  # noqa: TRY004
      f"`receiver_tensors_alternatives` must be a dict. Received {receiver_tensors_alternatives} with type "
      f"{type(receiver_tensors_alternatives).__name__}."
    )
  made, excluded = {}, {}

  def add(name, tensors, output):
    try:
      made[name] = output.as_signature_def(tensors)
    except ValueError as e:
      excluded[name] = str(e)

  for name, output in export_outputs.items():
    add(str(name or "None"), receiver_tensors, output)
  for receiver, tensors in (receiver_tensors_alternatives or {}).items():
    if not isinstance(tensors, dict):
      tensors = {"input": tensors}
    for name, output in export_outputs.items():
      add(f"{receiver or 'None'}:{name or 'None'}", tensors, output)
  _log(made, excluded)
  if serving_only:
    return {name: signature for name, signature in made.items() if signatures.is_valid_signature(signature)}
  return made


def _log(made, excluded):
  for shown, method in _METHODS:
    names = [name for name, signature in made.items() if signature.method_name == method]
    tf.logging.info("Signatures INCLUDED in export for %s: %s", shown, names or None)
  if excluded:
    tf.logging.info("Signatures EXCLUDED from export because they cannot be be served via TensorFlow Serving APIs:")
    for name, message in excluded.items():
      tf.logging.info("'%s' : %s", name, message)
  if not made:
    tf.logging.warning("Export includes no signatures!")
  elif keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in made:
    tf.logging.warning("Export includes no default signature!")
