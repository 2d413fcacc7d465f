"""Layer: a function of tensors with variables of its own, which are made at its first call and used again at all others."""

import copy
import inspect

import numpy as np

from millrace.framework import convert, dtypes, nest, tensor_shape
from millrace.framework import graph as ops
from millrace.layers import input_spec as specs
from millrace.layers import layer_names, mode_of_training, named_values
from millrace.layers.connections import Connections
from millrace.layers.losses_and_updates import LossesAndUpdates
from millrace.layers.making_weights import MakingWeights
from millrace.layers.module import Module
from millrace.layers.weights import Weights
from millrace.ops.variables import scope as scopes
from millrace.ops.variables.partitioned import PartitionedVariable
from millrace.ops.variables.variable import Variable

InputSpec = specs.InputSpec
_KEYWORDS = ("dynamic", "input_shape", "batch_input_shape", "batch_size", "weights", "activity_regularizer", "autocast")


class Layer(MakingWeights, Weights, LossesAndUpdates, Connections, Module):
  """The base of all layers.

  A class below it makes its variables in `build(input_shape)` by `add_weight` and computes its outputs in `call(inputs)`;
  programs call the layer itself. Its variables are in the scope of variables `name`, or, without a name, in one that is called
  like the class and made unique where the layer is first called. `dtype` is the type of its variables, by default that of the
  first input. Of the other arguments `_scope` is the scope to use, `_reuse` says that it has the variables already,
  `activity_regularizer` is a function from an output to a loss, and `weights` are values that the weights get when they are
  made. TypeError for an unknown argument.
  """

  def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
    scope = kwargs.pop("_scope", None)
    self._reuse = kwargs.pop("_reuse", None)
    for keyword in kwargs:
      if keyword not in _KEYWORDS:
        raise TypeError("Keyword argument not understood:", keyword)
    if kwargs.pop("dynamic", False):
      raise NotImplementedError("Layers are parts of graphs: `dynamic` has to be False.")
    self._keras_style = layer_names.in_keras_style()
    self._trainable = trainable
    self._trainable_weights = []
    self._non_trainable_weights = []
    self._losses = []
    self._updates = []
    self._calls = []
    self._call_inputs = ()
    self._activity_regularizer = kwargs.pop("activity_regularizer", None)
    self._initial_weights = kwargs.get("weights")
    self._batch_input_shape = _batch_input_shape(kwargs)
    self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
    self._input_spec = None
    self._graph = None
    self._scope = None
    self._current_scope = None
    self.built = False
    self.stateful = False
    self.supports_masking = False
    self._set_name(name)
    if self._keras_style:
      for argument, value in (("reuse", self._reuse), ("scope", scope)):
        if value is not None:
          raise ValueError(f"{argument} argument not allowed when keras style layers are enabled, but saw: {value}")
    elif scope is not None:
      with scopes.variable_scope(scope) as captured:
        self._scope = captured

  def _set_name(self, name):
    self._name, self._base_name = name, name
    if not name:
      self._base_name = layer_names.to_snake_case(type(self).__name__)
      self._name = layer_names.unique_layer_name(self._base_name)

  # What a class of layers says of itself.

  # Arguments of the constructor that get_config() gives beside those of all layers: attributes of the same names.
  _ARGUMENTS = ()

  def build(self, input_shape):
    """Makes the variables, for a TensorShape of the input or a structure of them. Called once, before `call`."""
    del input_shape
    self.built = True

  def call(self, inputs, **kwargs):
    """Returns the outputs."""
    return inputs

  def compute_output_shape(self, input_shape):
    """Returns the TensorShape of the outputs for that of the inputs. NotImplementedError where the class does not say it."""
    raise NotImplementedError(f"The class {type(self).__name__} has no compute_output_shape.")

  def compute_output_signature(self, input_signature):
    """Returns the TensorSpec of the outputs for that of the inputs, or structures of them."""
    from millrace.framework.tensor_spec import TensorSpec

    def shape(spec):
      if not isinstance(spec, TensorSpec):
        raise TypeError(f"Only TensorSpec signature types are supported, but saw signature entry: {spec}.")
      return spec.shape

    output = self.compute_output_shape(nest.map_structure(shape, input_signature))
    dtype = self._dtype or nest.flatten(input_signature)[0].dtype
    if isinstance(output, tensor_shape.TensorShape):
      return TensorSpec(output, dtype)
    return nest.map_structure(lambda s: TensorSpec(s, dtype), output)

  def get_config(self):
    """Returns the arguments of the constructor. A class whose constructor has others adds them."""
    config = {"name": self.name, "trainable": self._trainable, "dtype": self._dtype}
    if self._batch_input_shape is not None:
      config["batch_input_shape"] = self._batch_input_shape
    if type(self).get_config is Layer.get_config:
      config.update((name, named_values.described(getattr(self, name))) for name in self._ARGUMENTS)
      known = {*config, "self", "activity_regularizer"}
      parameters = inspect.signature(type(self).__init__).parameters.values()
      if any(p.name not in known and p.kind == p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters):
        raise NotImplementedError("Layers with arguments in `__init__` must override `get_config`.")
    return config

  @classmethod
  def from_config(cls, config):
    """Returns a layer of what get_config() gave."""
    return cls(**config)

  # What there is to know of a layer.

  @property
  def dtype(self):
    """The name of the type of the variables; None before the first call where none was said."""
    return self._dtype

  @property
  def dynamic(self):
    """False: layers are parts of graphs."""
    return False

  @property
  def activity_regularizer(self):
    """The function from an output to a loss, or None."""
    return self._activity_regularizer

  @activity_regularizer.setter
  def activity_regularizer(self, regularizer):
    self._activity_regularizer = regularizer

  @property
  def input_spec(self):
    """The InputSpec of the input, a structure of them, or None. ValueError for setting it to anything else."""
    return self._input_spec

  @input_spec.setter
  def input_spec(self, value):
    for spec in nest.flatten(value):
      if spec is not None and not isinstance(spec, InputSpec):
        raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {spec}")
    self._input_spec = value

  @property
  def metrics(self):
    """An empty list: see add_metric."""
    return []

  def add_metric(self, value, aggregation=None, name=None):
    """Not offered: metrics of layers are Keras's."""
    raise NotImplementedError("Layer.add_metric is not part of Millrace. Use tf.metrics.mean(value), or tf.summary.scalar.")

  @property
  def graph(self):
    """The graph of the last call, None before."""
    return self._graph

  @property
  def scope_name(self):
    """The name of the scope of variables. ValueError before the layer is used."""
    if not self._scope:
      raise ValueError(
        f'No name available for layer scope because the layer "{self._name}" has not been used yet. The scope name  is '
        "determined the first time the layer instance is called. You must therefore call the layer before querying `scope_name`."
      )
    return self._scope.name

  @property
  def name_scope(self):
    """A context that opens the scope of names of the layer's ops."""
    return ops.name_scope(self._name_scope())

  # Calling.

  def apply(self, inputs, *args, **kwargs):
    """The same as calling the layer."""
    return self(inputs, *args, **kwargs)

  def __call__(self, inputs, *args, **kwargs):
    """Returns the outputs for `inputs`, a tensor or a structure of tensors, arrays and numbers.

    The first call makes the variables. `scope` says in which scope of variables, where the first call has not yet decided;
    the other arguments are those of `call`. What the layer updates comes into UPDATE_OPS. ValueError where the inputs do not
    fit the layer, or are not of the graph of the layer's variables.
    """
    scope = kwargs.pop("scope", None)
    flat = nest.flatten(inputs)
    if any(isinstance(part, (np.ndarray, float, int)) for part in flat):
      inputs = nest.map_structure(_to_tensor, inputs)
      flat = nest.flatten(inputs)
    if self._keras_style:
      if scope is not None:
        raise ValueError(f"scope argument not allowed when keras style layers are enabled, but saw: {scope}")
      with ops.name_scope(self._name) as opened:
        self._scope_name = opened
        outputs = self._called(inputs, flat, args, kwargs)
    else:
      self._set_scope(scope)
      reuse = True if self.built else self._reuse
      with scopes.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current:
        self._current_scope = current
        if "scope" in self._call_arguments():
          kwargs["scope"] = current
        with ops.name_scope(self._name_scope()):
          outputs = self._called(inputs, flat, args, kwargs)
    self._collect_updates()
    return outputs

  def _called(self, inputs, flat, args, kwargs):
    self._graph = ops.get_default_graph()
    arguments = self._call_arguments()
    masks = [getattr(part, "_keras_mask", None) for part in flat]
    masked = any(mask is not None for mask in masks)
    if masked and "mask" in arguments and kwargs.get("mask") is None:
      kwargs["mask"] = nest.pack_sequence_as(inputs, masks)
    before, self._call_inputs = self._call_inputs, flat
    try:
      specs.check_inputs(self._input_spec, inputs, self._name)
      self._build_once(inputs, flat)
      with mode_of_training.of_call(arguments, args, kwargs):
        outputs = self.call(inputs, *args, **kwargs)
      if outputs is None:
        raise ValueError(f"A layer's `call` method should return a Tensor or a list of Tensors, not None (layer: {self._name}).")
      self._regularize_activity(inputs, outputs)
      if masked or type(self).compute_mask is not Connections.compute_mask:
        self._mask(inputs, masks, outputs)
    finally:
      self._call_inputs = before
    self._connect(inputs, outputs)
    return outputs

  def _build_once(self, inputs, flat):
    """Calls `build` before the first call, and gives the weights the values that were said."""
    if not self.built:
      if flat and self._dtype is None and hasattr(flat[0], "dtype"):
        self._dtype = flat[0].dtype.base_dtype.name
      shapes = None
      if all(hasattr(part, "shape") for part in flat):
        shapes = nest.map_structure(lambda part: part.shape, inputs)
      if type(self).build is not Layer.build:
        self.build(shapes)
      self.built = True
      specs.check_inputs(self._input_spec, inputs, self._name)
    if self._initial_weights is not None:
      self.set_weights(self._initial_weights)
      self._initial_weights = None

  def _mask(self, inputs, masks, outputs):
    """Leaves the mask of the outputs at the outputs, where the layers that are called with them look for it."""
    mask = self.compute_mask(inputs, nest.pack_sequence_as(inputs, masks))
    flat = nest.flatten(outputs)
    for output, part in zip(flat, nest.flatten(mask) if mask is not None else [None] * len(flat)):
      output._keras_mask = part

  def _call_arguments(self):
    """Returns the names of the arguments of `call`, with the place of each."""
    found = self.__dict__.get("_names_of_call")
    if found is None:
      parameters = inspect.signature(self.call).parameters.values()
      found = {p.name: place for place, p in enumerate(parameters) if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
      self._names_of_call = found
    return found

  def __deepcopy__(self, memo):
    made = type(self).__new__(type(self))
    memo[id(self)] = made
    for name, value in vars(self).items():
      if isinstance(value, scopes.VariableScope):
        value = copy.copy(value)
      elif isinstance(value, list) and (name == "_calls" or _are_of_graph(value)):
        value = list(value)
      elif name not in ("_graph", "_call_inputs") and not _are_of_graph(value):
        value = copy.deepcopy(value, memo)
      object.__setattr__(made, name, value)
    return made


def _are_of_graph(value):
  """Whether a value is a tensor or a variable, or a list or tuple of such: copies of a layer share them."""
  if isinstance(value, (list, tuple)):
    return bool(value) and all(_are_of_graph(part) for part in value)
  return isinstance(value, (ops.Tensor, Variable, PartitionedVariable))


def _to_tensor(part):
  return convert.convert_to_tensor(part) if isinstance(part, (np.ndarray, float, int)) else part


def _batch_input_shape(kwargs):
  """Returns the shape of the input with its batch that the arguments say, as a tuple, or None."""
  if "batch_input_shape" in kwargs:
    return tuple(kwargs["batch_input_shape"])
  if "input_shape" in kwargs:
    return (kwargs.get("batch_size"),) + tuple(kwargs["input_shape"])
  return None
