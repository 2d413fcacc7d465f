"""Exports of estimators of tf.contrib.learn: signatures of each kind of input with each kind of output."""

import millrace as tf
from millrace.contrib.learn.input_fn_ops import InputFnOps
from millrace.contrib.learn.keys import PredictionKey, ProblemType
from millrace.contrib.learn.mode_keys import ModeKeys
from millrace.estimator.export import folders
from millrace.estimator.export import saved_models as core
from millrace.saved_model import keys, signatures, writing

DEFAULT_INPUT_ALTERNATIVE_KEY = "default_input_alternative"
FEATURES_INPUT_ALTERNATIVE_KEY = "features_input_alternative"
DEFAULT_OUTPUT_ALTERNATIVE_KEY = "default_output_alternative"


def get_input_alternatives(input_ops):
  """A map of names to the tensors that receive requests, and the features. Raises ValueError without features."""
  alternatives = {}
  if isinstance(input_ops, InputFnOps):
    features, _, default_inputs = input_ops
    alternatives[DEFAULT_INPUT_ALTERNATIVE_KEY] = default_inputs
  else:
    features, _ = input_ops
  if features is None or (isinstance(features, dict) and not features):
    raise ValueError("Features must be defined.")
  return alternatives, features


def get_output_alternatives(model_fn_ops, default_output_alternative_key=None):
  """A map of names to pairs of a kind of problem and tensors, and the name of the default.

  Raises ValueError if there are several, and the key is none of them.
  """
  alternatives = model_fn_ops.output_alternatives
  if not alternatives:
    if default_output_alternative_key:
      raise ValueError(
        f"Requested default_output_alternative: {default_output_alternative_key}, but no output_alternatives found."
      )
    predictions = model_fn_ops.predictions
    if isinstance(predictions, tf.Tensor):
      predictions = {PredictionKey.GENERIC: predictions}
    return {DEFAULT_OUTPUT_ALTERNATIVE_KEY: (ProblemType.UNSPECIFIED, predictions)}, DEFAULT_OUTPUT_ALTERNATIVE_KEY
  if default_output_alternative_key is not None:
    if default_output_alternative_key not in alternatives:
      raise ValueError(
        f"Requested default_output_alternative: {default_output_alternative_key}, but available output_alternatives are: "
        f"{sorted(alternatives, key=str)}"
      )
    return alternatives, default_output_alternative_key
  if len(alternatives) == 1:
    return alternatives, next(iter(alternatives))
  raise ValueError(
    f"Please specify a default_output_alternative_key. Available output_alternatives are: {sorted(alternatives, key=str)}"
  )


def build_standardized_signature_def(input_tensors, output_tensors, problem_type):
  """The signature of a classification or regression where the input is one tensor of strings, else of a prediction."""
  if not isinstance(input_tensors, dict):
    input_tensors = {"inputs": input_tensors}
  if not isinstance(output_tensors, dict):
    output_tensors = {"outputs": output_tensors}
  examples = next(iter(input_tensors.values())) if len(input_tensors) == 1 else None
  if examples is not None and isinstance(examples, tf.Tensor) and examples.dtype == tf.string:
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
      made = _classification(examples, output_tensors)
      if made is not None:
        return made
    if problem_type == ProblemType.LINEAR_REGRESSION and len(output_tensors) == 1:
      (predictions,) = output_tensors.values()
      if predictions.dtype == tf.float32:
        return signatures.regression_signature_def(examples, predictions)
  return signatures.predict_signature_def(input_tensors, output_tensors)


def _classification(examples, outputs):
  classes = outputs.get(PredictionKey.CLASSES)
  if classes is not None and classes.dtype != tf.string:
    classes = None
  scores = outputs.get(PredictionKey.SCORES, outputs.get(PredictionKey.PROBABILITIES))
  if scores is not None and scores.dtype != tf.float32:
    scores = None
  if classes is None and scores is None:
    return None
  return signatures.classification_signature_def(examples, classes, scores)


def build_all_signature_defs(input_alternatives, output_alternatives, actual_default_output_alternative_key):
  """The signatures of all pairs, called "input:output", and that of both defaults as the one that is served."""
  made = {}
  for input_key, inputs in input_alternatives.items():
    if not inputs:
      continue
    for output_key, (problem_type, outputs) in output_alternatives.items():
      made[f"{input_key}:{output_key or 'None'}"] = build_standardized_signature_def(inputs, outputs, problem_type)
  default_inputs = input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)
  if default_inputs:
    problem_type, outputs = output_alternatives[actual_default_output_alternative_key]
    made[keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = build_standardized_signature_def(default_inputs, outputs, problem_type)
  return made


def export_savedmodel(
  estimator,
  export_dir_base,
  serving_input_fn,
  default_output_alternative_key=None,
  assets_extra=None,
  as_text=False,
  checkpoint_path=None,
  strip_default_attrs=False,
):
  """Writes the graph of an estimator's inference with a checkpoint's variables; returns the path of the folder as bytes."""
  if serving_input_fn is None:
    raise ValueError("serving_input_fn must be defined.")
  checkpoint_path = checkpoint_path or tf.train.latest_checkpoint(estimator.model_dir)
  if not checkpoint_path:
    from millrace.contrib.learn.sklearn_form import NotFittedError

    raise NotFittedError(f"Couldn't find trained model at {estimator.model_dir}.")
  export_dir = folders.timestamped_export_dir(export_dir_base)
  temp_dir = folders.temp_export_dir(export_dir)
  builder = writing.SavedModelBuilder(temp_dir)
  with tf.Graph().as_default() as graph:
    tf.train.create_global_step(graph)
    tf.set_random_seed(estimator.config.tf_random_seed)
    input_alternatives, features = get_input_alternatives(serving_input_fn())
    made = estimator._call_model_fn(features, None, ModeKeys.INFER)
    output_alternatives, default_key = get_output_alternatives(made, default_output_alternative_key)
    signature_def_map = build_all_signature_defs(input_alternatives, output_alternatives, default_key)
    scaffold = made.scaffold or tf.train.Scaffold()
    init_op = scaffold.local_init_op
    if init_op is None:
      init_op = tf.train.Scaffold.default_local_init_op()
    saver = scaffold.saver or tf.train.Saver(sharded=True)
    with tf.Session() as session:
      core._restore(saver, session, checkpoint_path, ModeKeys.INFER)
      builder.add_meta_graph_and_variables(
        session,
        [keys.SERVING],
        signature_def_map=signature_def_map,
        assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
        main_op=init_op,
        saver=saver,
        strip_default_attrs=strip_default_attrs,
      )
  builder.save(as_text)
  core._copy_assets(temp_dir, assets_extra)
  tf.gfile.Rename(temp_dir, export_dir)
  return export_dir
