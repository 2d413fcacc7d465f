"""Predictors: of a SavedModel, of an estimator."""

import abc

import millrace as tf
from millrace.framework import protos
from millrace.saved_model import keys, signatures


class Predictor(metaclass=abc.ABCMeta):
  """A model in a session: called with a map of names to values, it returns a map of names to values."""

  @property
  def graph(self):
    return self._graph

  @property
  def session(self):
    return self._session

  @property
  def feed_tensors(self):
    """A map of the names of inputs to tensors."""
    return self._feed_tensors

  @property
  def fetch_tensors(self):
    """A map of the names of outputs to tensors."""
    return self._fetch_tensors

  def __repr__(self):
    return f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors {self._fetch_tensors}"

  def __call__(self, input_dict):
    """Raises ValueError for names that are no inputs."""
    unknown = set(input_dict) - set(self.feed_tensors)
    if unknown:
      raise ValueError(f"Got unexpected keys in input_dict: {unknown}\nexpected: {sorted(self.feed_tensors)}")
    feeds = {self.feed_tensors[name]: value for name, value in input_dict.items() if value is not None}
    return self.session.run(fetches=self.fetch_tensors, feed_dict=feeds)


class SavedModelPredictor(Predictor):
  """The predictor of a SavedModel; see `from_saved_model`."""

  def __init__(
    self,
    export_dir,
    signature_def_key=None,
    signature_def=None,
    input_names=None,
    output_names=None,
    tags=None,
    graph=None,
    config=None,
  ):
    _check_arguments(signature_def_key, signature_def, input_names, output_names)
    tags = tags or keys.SERVING
    self._graph = graph or tf.Graph()
    with self._graph.as_default():
      self._session = tf.Session(config=config)
      meta = tf.saved_model.loader.load(self._session, tags.split(",") if isinstance(tags, str) else tags, export_dir)
    if input_names is None:
      signature = _signature_of(meta, signature_def_key, signature_def)
      input_names = {name: info for name, info in signature.inputs.items()}
      output_names = {name: info for name, info in signature.outputs.items()}
    self._feed_tensors = {name: _tensor(self._graph, value) for name, value in input_names.items()}
    self._fetch_tensors = {name: _tensor(self._graph, value) for name, value in output_names.items()}


def _check_arguments(signature_def_key, signature_def, input_names, output_names):
  """Raises ValueError unless the inputs and outputs are said in one way."""
  if (input_names is None) != (output_names is None):
    raise ValueError("input_names and output_names must both be specified or both be unspecified.")
  if (signature_def_key is not None) + (signature_def is not None) + (input_names is not None) > 1:
    raise ValueError("You must specify at most one of signature_def_key OR signature_def OR (input_names AND output_names).")


def _signature_of(meta, key, signature_def):
  """The signature that is given, or the one of a key. Raises ValueError if the model has none of that key."""
  if signature_def is not None:
    return protos.coerce(protos.SignatureDef, signature_def)
  key = key or keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY
  if key not in meta.signature_def:
    raise ValueError(f'Got signature_def_key "{key}". Available signatures are {sorted(meta.signature_def)}.')
  return meta.signature_def[key]


def _tensor(graph, value):
  if isinstance(value, str):
    return graph.get_tensor_by_name(value)
  return signatures.get_tensor_from_tensor_info(value, graph)


class CoreEstimatorPredictor(Predictor):
  """The predictor of an estimator of tf.estimator; see `from_estimator`."""

  def __init__(self, estimator, serving_input_receiver_fn, output_key=None, graph=None, config=None):
    self._graph = graph or tf.Graph()
    with self._graph.as_default():
      receiver = serving_input_receiver_fn()
      tf.train.create_global_step(self._graph)
      spec = estimator._call_model_fn(receiver.features, None, tf.estimator.ModeKeys.PREDICT, estimator.config)
      signature = _output_signature(spec, receiver, output_key)
      self._feed_tensors = {name: _tensor(self._graph, info) for name, info in signature.inputs.items()}
      self._fetch_tensors = {name: _tensor(self._graph, info) for name, info in signature.outputs.items()}
      self._session = _session_of(estimator.model_dir, spec.scaffold, config)


def _output_signature(spec, receiver, output_key):
  """The signature of one of the outputs of a model. Raises ValueError if it has none of that key."""
  output_key = output_key or keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY
  if output_key not in spec.export_outputs:
    raise ValueError(f'Got output_key "{output_key}". Available outputs are {sorted(spec.export_outputs)}.')
  return spec.export_outputs[output_key].as_signature_def(receiver.receiver_tensors)


def _session_of(model_dir, scaffold, config):
  """A session with the newest checkpoint of a folder. Raises ValueError if there is none."""
  checkpoint = tf.train.latest_checkpoint(model_dir)
  if not checkpoint:
    raise ValueError(f"Couldn't find trained model at {model_dir}.")
  creator = tf.train.ChiefSessionCreator(scaffold=scaffold, config=config, checkpoint_filename_with_path=checkpoint)
  return tf.train.MonitoredSession(session_creator=creator)


class ContribEstimatorPredictor(Predictor):
  """The predictor of an estimator of tf.contrib.learn; see `from_contrib_estimator`."""

  def __init__(
    self,
    estimator,
    prediction_input_fn,
    input_alternative_key=None,
    output_alternative_key=None,
    graph=None,
    config=None,
  ):
    from millrace.contrib.learn import exporting
    from millrace.contrib.learn.mode_keys import ModeKeys

    self._graph = graph or tf.Graph()
    with self._graph.as_default():
      tf.train.create_global_step(self._graph)
      input_alternatives, features = exporting.get_input_alternatives(prediction_input_fn())
      made = estimator._call_model_fn(features, None, ModeKeys.INFER)
      output_alternatives, default_key = exporting.get_output_alternatives(made, output_alternative_key)
      if not input_alternatives:
        input_alternatives = {exporting.DEFAULT_INPUT_ALTERNATIVE_KEY: features}
      input_key = input_alternative_key or exporting.DEFAULT_INPUT_ALTERNATIVE_KEY
      if input_key not in input_alternatives:
        raise ValueError(f'Got input_alternative_key "{input_key}". Available inputs are {sorted(input_alternatives)}.')
      self._feed_tensors = dict(input_alternatives[input_key])
      self._fetch_tensors = dict(output_alternatives[output_alternative_key or default_key][1])
      self._session = _session_of(estimator.model_dir, made.scaffold, config)


def from_saved_model(
  export_dir, signature_def_key=None, signature_def=None, input_names=None, output_names=None, tags=None, graph=None, config=None
):
  """A function of a SavedModel.

  Inputs and outputs are those of the signature of a key (the default one), of a signature, or of maps of names to tensors' names.
  `tags` are of the graph, as a text with commas ("serve" by default). Raises ValueError if they are said twice or aren't there.
  """
  return SavedModelPredictor(
    export_dir,
    signature_def_key=signature_def_key,
    signature_def=signature_def,
    input_names=input_names,
    output_names=output_names,
    tags=tags,
    graph=graph,
    config=config,
  )


def from_estimator(estimator, serving_input_receiver_fn, output_key=None, graph=None, config=None):
  """A function of an estimator of tf.estimator, with the newest checkpoint; `output_key` names one of its outputs.

  Raises TypeError for an estimator of tf.contrib.learn.
  """
  from millrace.contrib.learn.estimator import BaseEstimator

  if isinstance(estimator, BaseEstimator):
    raise TypeError(
      "Expected estimator to be of type tf.estimator.Estimator, but got type tf.contrib.learn.Estimator. You likely want to call "
      "from_contrib_estimator."
    )
  return CoreEstimatorPredictor(estimator, serving_input_receiver_fn, output_key=output_key, graph=graph, config=config)


def from_contrib_estimator(
  estimator, prediction_input_fn, input_alternative_key=None, output_alternative_key=None, graph=None, config=None
):
  """A function of an estimator of tf.contrib.learn, with the newest checkpoint; the keys name alternatives of inputs and outputs.

  Raises TypeError for an estimator of tf.estimator.
  """
  if isinstance(estimator, tf.estimator.Estimator):
    raise TypeError(
      "Expected estimator to be of type tf.contrib.learn.Estimator, but got type tf.estimator.Estimator. You likely want to call "
      "from_estimator."
    )
  return ContribEstimatorPredictor(
    estimator,
    prediction_input_fn,
    input_alternative_key=input_alternative_key,
    output_alternative_key=output_alternative_key,
    graph=graph,
    config=config,
  )
