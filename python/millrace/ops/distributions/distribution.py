"""The base of distributions: what each of them offers, in terms of the few methods that a class of them has."""

import contextlib

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.framework.tensor import Tensor
from millrace.framework.tensor_shape import TensorShape
from millrace.framework.tensor_values import constant_value, is_tensor
from millrace.ops.distributions import divergences
from millrace.ops.distributions.sample_shapes import as_vector, is_scalar, set_static_shape


def kept_parameters(local_names):
  """The arguments of a constructor, of what `locals()` is at its start."""
  return {name: value for name, value in local_names.items() if name != "self" and not name.startswith("__")}


class Distribution:
  """Distributions of one kind, a batch of them: parameters may be tensors, each element of which stands for one distribution.

  A class of distributions has methods whose names begin with `_`: `_batch_shape_tensor`, `_batch_shape`, `_event_shape_tensor`,
  `_event_shape`, `_sample_n`, and of each quantity that it offers one, `_log_prob` or `_prob`, `_log_cdf` or `_cdf`, `_entropy`,
  `_mean`, `_variance` or `_stddev`, and so on. What it does not have raises NotImplementedError.
  """

  def __init__(
    self, dtype, reparameterization_type, validate_args, allow_nan_stats, parameters=None, graph_parents=None, name=None
  ):
    """`dtype` is the type of samples; `parameters` are the arguments of the class, from which copy() makes another one.

    With `validate_args` wrong parameters and values make ops fail; without `allow_nan_stats` quantities that are not defined do,
    which otherwise are NaN. `name` may be a scope ("a/"), which is then the distribution's own.

    Raises:
      ValueError: for an item of `graph_parents` that is no Tensor.
    """
    graph_parents = [] if graph_parents is None else graph_parents
    for place, item in enumerate(graph_parents):
      if item is None or not is_tensor(item):
        raise ValueError("Graph parent item %d is not a Tensor; %s." % (place, item))
    if not name or name[-1] != "/":
      with name_scope(name or type(self).__name__) as name:
        pass
    self._dtype = dtype
    self._reparameterization_type = reparameterization_type
    self._validate_args = validate_args
    self._allow_nan_stats = allow_nan_stats
    self._parameters = parameters or {}
    self._graph_parents = graph_parents
    self._name = name

  @classmethod
  def param_shapes(cls, sample_shape, name="DistributionParamShapes"):
    """The shape that each parameter needs so that sample() has the shape `sample_shape`: a dictionary of int32 tensors."""
    with name_scope(name, values=[sample_shape]):
      return cls._param_shapes(convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape"))

  @classmethod
  def param_static_shapes(cls, sample_shape):
    """param_shapes() as TensorShapes.

    Raises:
      ValueError: if `sample_shape` is not known.
    """
    if isinstance(sample_shape, TensorShape):
      if not sample_shape.is_fully_defined():
        raise ValueError("TensorShape sample_shape must be fully defined")
      sample_shape = sample_shape.as_list()
    found = {}
    for name, shape in cls.param_shapes(sample_shape).items():
      known = constant_value(shape)
      if known is None:
        raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
      found[name] = TensorShape([int(size) for size in known])
    return found

  @staticmethod
  def _param_shapes(sample_shape):
    raise NotImplementedError("_param_shapes not implemented")

  @property
  def name(self):
    """The scope of names of the distribution's ops, such as "Normal/"."""
    return self._name

  @property
  def dtype(self):
    """The type of samples."""
    return self._dtype

  @property
  def parameters(self):
    """The arguments of the constructor, by name."""
    return {name: value for name, value in self._parameters.items() if name != "self" and not name.startswith("__")}

  @property
  def reparameterization_type(self):
    """Whether gradients go through samples: one of the two ReparameterizationTypes."""
    return self._reparameterization_type

  @property
  def allow_nan_stats(self):
    """Whether quantities that are not defined are NaN."""
    return self._allow_nan_stats

  @property
  def validate_args(self):
    """Whether parameters and values are checked when ops run."""
    return self._validate_args

  def copy(self, **override_parameters_kwargs):
    """A distribution of the same class and parameters, but for those that are said."""
    return type(self)(**dict(self.parameters, **override_parameters_kwargs))

  def batch_shape_tensor(self, name="batch_shape_tensor"):
    """The shape of the batch as an int32 vector."""
    with self._name_scope(name):
      static = self.batch_shape
      if static.is_fully_defined():
        return convert_to_tensor(static.as_list(), dtype=dtypes.int32, name="batch_shape")
      return self._batch_shape_tensor()

  @property
  def batch_shape(self):
    """What is known of the batch's shape, a TensorShape."""
    return TensorShape(self._batch_shape())

  def event_shape_tensor(self, name="event_shape_tensor"):
    """The shape of one sample of one distribution as an int32 vector."""
    with self._name_scope(name):
      static = self.event_shape
      if static.is_fully_defined():
        return convert_to_tensor(static.as_list(), dtype=dtypes.int32, name="event_shape")
      return self._event_shape_tensor()

  @property
  def event_shape(self):
    """What is known of the shape of one sample of one distribution, a TensorShape."""
    return TensorShape(self._event_shape())

  def is_scalar_event(self, name="is_scalar_event"):
    """Whether a sample of one distribution is one number: a bool tensor."""
    with self._name_scope(name):
      return convert_to_tensor(is_scalar(self.event_shape, self.event_shape_tensor), name="is_scalar_event")

  def is_scalar_batch(self, name="is_scalar_batch"):
    """Whether this is one distribution: a bool tensor."""
    with self._name_scope(name):
      return convert_to_tensor(is_scalar(self.batch_shape, self.batch_shape_tensor), name="is_scalar_batch")

  def _call_sample_n(self, sample_shape, seed, name, **kwargs):
    with self._name_scope(name, values=[sample_shape]):
      sample_shape = convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape")
      sample_shape, count = as_vector(sample_shape)
      samples = self._sample_n(count, seed, **kwargs)
      rest = tf.shape(samples)[1:]
      samples = tf.reshape(samples, tf.concat([sample_shape, rest], 0))
      return set_static_shape(samples, sample_shape, self.batch_shape, self.event_shape)

  def sample(self, sample_shape=(), seed=None, name="sample"):
    """Samples of all distributions, of the shape `sample_shape` + batch_shape + event_shape."""
    return self._call_sample_n(sample_shape, seed, name)

  def _sample_n(self, n, seed=None):
    raise self._missing("sample_n")

  def _missing(self, what):
    return NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

  def _quantity(self, value, name, first, second=None):
    """What a function gives for the value; what another one does if the class does not have the first."""
    with self._name_scope(name, values=[value]):
      value = _converted(value, self.dtype)
      return _first_of(lambda: first(value), None if second is None else lambda: second(value))

  def log_prob(self, value, name="log_prob"):
    """The logarithm of prob()."""
    return self._call_log_prob(value, name)

  def _call_log_prob(self, value, name, **kwargs):
    return self._quantity(value, name, lambda v: self._log_prob(v, **kwargs), lambda v: tf.log(self._prob(v, **kwargs)))

  def prob(self, value, name="prob"):
    """The density, or the probability, of the values."""
    return self._call_prob(value, name)

  def _call_prob(self, value, name, **kwargs):
    return self._quantity(value, name, lambda v: self._prob(v, **kwargs), lambda v: tf.exp(self._log_prob(v, **kwargs)))

  def log_cdf(self, value, name="log_cdf"):
    """The logarithm of cdf()."""
    return self._call_log_cdf(value, name)

  def _call_log_cdf(self, value, name, **kwargs):
    return self._quantity(value, name, lambda v: self._log_cdf(v, **kwargs), lambda v: tf.log(self._cdf(v, **kwargs)))

  def cdf(self, value, name="cdf"):
    """The probability of samples up to each of the values."""
    return self._call_cdf(value, name)

  def _call_cdf(self, value, name, **kwargs):
    return self._quantity(value, name, lambda v: self._cdf(v, **kwargs), lambda v: tf.exp(self._log_cdf(v, **kwargs)))

  def log_survival_function(self, value, name="log_survival_function"):
    """The logarithm of survival_function()."""
    return self._quantity(value, name, self._log_survival_function, lambda v: tf.log1p(-self.cdf(v)))

  def survival_function(self, value, name="survival_function"):
    """The probability of samples above each of the values."""
    return self._quantity(value, name, self._survival_function, lambda v: 1.0 - self.cdf(v))

  def quantile(self, value, name="quantile"):
    """The value up to which samples are with the given probability: the inverse of cdf()."""
    return self._quantity(value, name, self._quantile)

  def entropy(self, name="entropy"):
    """The entropy in nats."""
    with self._name_scope(name):
      return self._entropy()

  def mean(self, name="mean"):
    """The mean, of the shape batch_shape + event_shape."""
    with self._name_scope(name):
      return self._mean()

  def variance(self, name="variance"):
    """The variance of each element of an event."""
    with self._name_scope(name):
      return _first_of(self._variance, lambda: tf.square(self._stddev()))

  def stddev(self, name="stddev"):
    """The square root of variance()."""
    with self._name_scope(name):
      return _first_of(self._stddev, lambda: tf.sqrt(self._variance()))

  def covariance(self, name="covariance"):
    """The covariances of the elements of an event, for distributions of vectors: matrices."""
    with self._name_scope(name):
      return self._covariance()

  def mode(self, name="mode"):
    """The most probable value."""
    with self._name_scope(name):
      return self._mode()

  def cross_entropy(self, other, name="cross_entropy"):
    """The expectation of minus the log of the density of `other`, in nats: entropy() + kl_divergence(other)."""
    with self._name_scope(name):
      return divergences.cross_entropy(self, other, allow_nan_stats=self._allow_nan_stats)

  def kl_divergence(self, other, name="kl_divergence"):
    """The divergence of Kullback and Leibler of `other` from this distribution; see tf.distributions.kl_divergence."""
    with self._name_scope(name):
      return divergences.kl_divergence(self, other, allow_nan_stats=self._allow_nan_stats)

  def _batch_shape_tensor(self):
    raise self._missing("batch_shape_tensor")

  def _batch_shape(self):
    return TensorShape(None)

  def _event_shape_tensor(self):
    raise self._missing("event_shape_tensor")

  def _event_shape(self):
    return TensorShape(None)

  @contextlib.contextmanager
  def _name_scope(self, name=None, values=None):
    with name_scope(self.name):
      with name_scope(name, values=([] if values is None else list(values)) + self._graph_parents) as scope:
        yield scope

  def __str__(self):
    batch = "" if self.batch_shape.ndims is None else f", batch_shape={self.batch_shape}"
    event = "" if self.event_shape.ndims is None else f", event_shape={self.event_shape}"
    return f'tfp.distributions.{type(self).__name__}("{self.name}"{batch}{event}, dtype={self.dtype.name})'

  def __repr__(self):
    return (
      f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} event_shape={self.event_shape} "
      f"dtype={self.dtype.name}>"
    )


def _missing_method(what):
  def method(self, *args, **kwargs):
    raise self._missing(what)

  return method


for _name in (
  "log_prob",
  "prob",
  "log_cdf",
  "cdf",
  "log_survival_function",
  "survival_function",
  "quantile",
  "entropy",
  "mean",
  "variance",
  "stddev",
  "covariance",
  "mode",
):
  setattr(Distribution, "_" + _name, _missing_method(_name))


def _first_of(first, second):
  """What the first function returns, or the second one if that is not implemented; the first one's error if neither is."""
  try:
    return first()
  except NotImplementedError as missing:
    if second is None:
      raise
    try:
      return second()
    except NotImplementedError:
      raise missing from None


def _converted(value, dtype):
  """The value as a tensor, of the distribution's type if it may have that."""
  if isinstance(value, Tensor):
    return value
  return convert_to_tensor(value, name="value", preferred_dtype=dtype)
