"""What may stand in an EstimatorSpec: each function returns the value to keep, or raises."""

import millrace as tf
from millrace.estimator.export import outputs
from millrace.estimator.mode_keys import ModeKeys
from millrace.framework import nest
from millrace.saved_model import keys


def _check_graph(value, label, prefix=""):
  """Raises ValueError if a tensor or op is not the current graph's."""
  if value.graph is tf.get_default_graph():
    return
  name = prefix + value.name
  raise ValueError(
    f'{label} with "{name}" must be from the default graph. Possible causes of this error include: \n\n'
    f"1) {label} was created outside the context of the default graph.\n\n"
    '2) The object passed through to EstimatorSpec was not created in the most recent call to "model_fn".'
  )


def _is_tensor(value):
  return isinstance(value, (tf.Tensor, tf.Variable))


def _check_tensor(value, label):
  """Raises TypeError if a value is no tensor."""
  if not _is_tensor(value):
    raise TypeError(f"{label} must be Tensor, given: {value}")


def _check_tensor_or_op(value, label):
  """Raises TypeError if a value is neither a tensor nor an op."""
  if not (isinstance(value, tf.Operation) or _is_tensor(value)):
    raise TypeError(f"{label} must be Operation or Tensor, given: {value}")


def checked_train_op(train_op, mode):
  if train_op is None:
    if mode == ModeKeys.TRAIN:
      raise ValueError("Missing train_op.")
    return None
  _check_tensor_or_op(train_op, "train_op")
  # A variable is what an assignment returned: the op is to run, not the reading of its value.
  if isinstance(train_op, tf.Variable):
    train_op = train_op.op
  _check_graph(train_op, "train_op")
  return train_op


def checked_loss(loss, mode):
  if loss is None:
    if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
      raise ValueError("Missing loss.")
    return None
  _check_tensor(loss, "loss")
  shape = loss.get_shape()
  if shape.num_elements() not in (None, 1):
    raise ValueError(f"Loss must be scalar, given: {loss}")
  if not shape.is_compatible_with(tf.TensorShape([])):
    loss = tf.reshape(loss, [])
  _check_graph(loss, "loss")
  return loss


def checked_predictions(predictions, mode):
  if predictions is None:
    if mode == ModeKeys.PREDICT:
      raise ValueError("Missing predictions.")
    return {}
  if isinstance(predictions, dict):
    for key, value in predictions.items():
      _check_tensor(value, f"predictions[{key}]")
      _check_graph(value, "prediction values", f"{key}: ")
    return predictions
  _check_tensor(predictions, "predictions")
  _check_graph(predictions, "prediction values")
  return predictions


def checked_export_outputs(export_outputs, predictions, mode):
  if export_outputs is None:
    if mode != ModeKeys.PREDICT:
      return None
    export_outputs = {keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY: outputs.PredictOutput(predictions)}
  if not isinstance(export_outputs, dict):
    raise TypeError(f"`export_outputs` must be dict, received: {export_outputs}.")
  for value in export_outputs.values():
    if not isinstance(value, outputs.ExportOutput):
      raise TypeError(f"Values in `export_outputs` must be ExportOutput objects, received: {export_outputs}.")
  default = keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY
  if mode == ModeKeys.PREDICT and default not in export_outputs:
    if len(export_outputs) > 1:
      raise ValueError(
        "Multiple `export_outputs` were provided, but none of them is specified as the default.  Do this by naming one of them "
        "with `signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY`."
      )
    if export_outputs:
      (only,) = export_outputs.values()
      export_outputs = {**export_outputs, default: only}
  return export_outputs


def checked_hooks(hooks):
  """A tuple of hooks, () of None."""
  hooks = tuple(hooks or ())
  for hook in hooks:
    if not isinstance(hook, tf.train.SessionRunHook):
      raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
  return hooks


def checked_eval_metric_ops(eval_metric_ops):
  if eval_metric_ops is None:
    return {}
  if not isinstance(eval_metric_ops, dict):
    raise TypeError(f"eval_metric_ops must be a dict, given: {eval_metric_ops}")
  for key, pair in eval_metric_ops.items():
    if not isinstance(pair, tuple) or len(pair) != 2:
      raise TypeError(f"Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {pair} for key: {key}")
    for part in nest.flatten(pair):
      _check_tensor_or_op(part, f"eval_metric_ops[{key}]")
      _check_graph(part, "eval_metric_ops", f"{key}: ")
  return eval_metric_ops


def checked_scaffold(scaffold):
  scaffold = scaffold or tf.train.Scaffold()
  if not isinstance(scaffold, tf.train.Scaffold):
    raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
  return scaffold
