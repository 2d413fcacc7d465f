"""Mixtures: one of several distributions is chosen by chance, then drawn from."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.distributions.categorical import Categorical
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.reparameterization import NOT_REPARAMETERIZED
from millrace.ops.distributions.seeds import derived_seed


class Mixture(Distribution):
  """The mixtures of a list of distributions by the categorical distribution `cat`. All have the same batch, events and type.

  With `use_static_graph` all components are drawn from as often as is asked for, which takes more time and fewer ops.

  Raises:
    TypeError: for a `cat` that is not categorical, and for components that are no distributions or of several types.
    ValueError: for no components, and for shapes or a number of classes that are known not to fit.
  """

  def __init__(self, cat, components, validate_args=False, allow_nan_stats=True, use_static_graph=False, name="Mixture"):
    parameters = kept_parameters(locals())
    if not isinstance(cat, Categorical):
      raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
    if not components:
      raise ValueError("components must be a non-empty list or tuple")
    if not isinstance(components, (list, tuple)):
      raise TypeError(f"components must be a list or tuple, but saw: {components}")
    if not all(isinstance(component, Distribution) for component in components):
      raise TypeError(f"all entries in components must be Distribution instances but saw: {components}")
    dtype = components[0].dtype
    if not all(component.dtype == dtype for component in components):
      raise TypeError(f"All components must have the same dtype, but saw dtypes: {[(c.name, c.dtype) for c in components]}")
    event, batch = components[0].event_shape, components[0].batch_shape
    for component in components[1:]:
      event, batch = event.merge_with(component.event_shape), batch.merge_with(component.batch_shape)
    batch = batch.merge_with(cat.batch_shape)
    classes = cat.logits.get_shape()[-1].value if cat.logits.get_shape().ndims is not None else None
    if classes is not None and classes != len(components):
      raise ValueError(f"cat.num_classes != len(components): {classes} vs. {len(components)}")
    parents = list(cat._graph_parents)
    for component in components:
      parents += component._graph_parents
    with name_scope(name, values=[cat.logits]) as name:
      self._cat, self._components = cat, list(components)
      self._static_batch, self._static_event = batch, event
      self._use_static_graph = use_static_graph
    super().__init__(
      dtype=dtype,
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=parents,
      name=name,
    )

  @property
  def cat(self):
    """The distribution of which component is drawn from."""
    return self._cat

  @property
  def components(self):
    """The distributions that are mixed."""
    return self._components

  @property
  def num_components(self):
    """Their number."""
    return len(self._components)

  def _batch_shape_tensor(self):
    return self.cat.batch_shape_tensor()

  def _batch_shape(self):
    return self._static_batch

  def _event_shape_tensor(self):
    return self.components[0].event_shape_tensor()

  def _event_shape(self):
    return self._static_event

  def _probabilities(self, log=False):
    """The probabilities of the components, or their logarithms: a list of tensors of the batch's shape."""
    values = tf.nn.log_softmax(self.cat.logits) if log else self.cat.probs
    return tf.unstack(values, num=self.num_components, axis=-1)

  def _over_events(self, tensor):
    """A tensor of the batch's shape with dimensions of size 1 for those of an event."""
    for _ in range(self.event_shape.ndims):
      tensor = tensor[..., tf.newaxis]
    return tensor

  def _sample_n(self, n, seed=None):
    chosen = self.cat.sample(n, seed=seed)
    result = None
    for place, component in enumerate(self.components):
      is_chosen = tf.equal(chosen, place)
      if self._use_static_graph:
        drawn = component.sample(n, seed=derived_seed(seed, f"mixture_{place}"))
      else:
        # Nothing is drawn where no sample is of the component.
        drawn = tf.cond(
          tf.reduce_any(is_chosen),
          lambda c=component, p=place: c.sample(n, seed=derived_seed(seed, f"mixture_{p}")),
          lambda: tf.zeros(tf.concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0), dtype=self.dtype),
        )
      if result is None:
        result = tf.zeros_like(drawn)
      whole = tf.logical_and(self._over_events(is_chosen), tf.fill(tf.shape(drawn), True))
      result = tf.where(whole, drawn, result)
    return result

  def _log_prob(self, x):
    logs = [component.log_prob(x) for component in self.components]
    return tf.reduce_logsumexp(tf.stack([p + log for p, log in zip(self._probabilities(log=True), logs)], axis=0), axis=0)

  def _log_cdf(self, x):
    logs = [component.log_cdf(x) for component in self.components]
    return tf.reduce_logsumexp(tf.stack([p + log for p, log in zip(self._probabilities(log=True), logs)], axis=0), axis=0)

  def _mean(self):
    parts = [self._over_events(p) * c.mean() for p, c in zip(self._probabilities(), self.components)]
    return tf.add_n(parts)

  def _variance(self):
    """The mean of the variances and the variance of the means."""
    mean = self._mean()
    parts = [
      self._over_events(p) * (c.variance() + tf.square(c.mean() - mean)) for p, c in zip(self._probabilities(), self.components)
    ]
    return tf.add_n(parts)

  def _stddev(self):
    return tf.sqrt(self._variance())

  def entropy_lower_bound(self, name="entropy_lower_bound"):
    """The mean of the entropies of the components, which the mixture's is not below."""
    with self._name_scope(name):
      return tf.add_n([p * c.entropy() for p, c in zip(self._probabilities(), self.components)])


class MixtureSameFamily(Distribution):
  """The mixtures, by the categorical `mixture_distribution`, of the distributions along the last dimension of the batch of
  `components_distribution`.

  ValueError for a mixture distribution that is not categorical, and for sizes that are known not to fit.
  """

  def __init__(
    self,
    mixture_distribution,
    components_distribution,
    validate_args=False,
    allow_nan_stats=True,
    name="MixtureSameFamily",
  ):
    parameters = kept_parameters(locals())
    if not mixture_distribution.dtype.is_integer:
      raise ValueError(f"`mixture_distribution.dtype` ({mixture_distribution.dtype.name}) is not over integers")
    count = mixture_distribution.logits.get_shape()[-1].value
    of_components = components_distribution.batch_shape.with_rank_at_least(1)[-1].value
    if None not in (count, of_components) and count != of_components:
      raise ValueError(
        f"`mixture_distribution components` ({count}) does not equal `components_distribution.batch_shape[-1]` ({of_components})"
      )
    self._mixture_distribution = mixture_distribution
    self._components_distribution = components_distribution
    super().__init__(
      dtype=components_distribution.dtype,
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=mixture_distribution._graph_parents + components_distribution._graph_parents,
      name=name,
    )

  @property
  def mixture_distribution(self):
    """The distribution of which component is drawn from."""
    return self._mixture_distribution

  @property
  def components_distribution(self):
    """The distributions that are mixed."""
    return self._components_distribution

  def _batch_shape_tensor(self):
    return self.components_distribution.batch_shape_tensor()[:-1]

  def _batch_shape(self):
    shape = self.components_distribution.batch_shape
    return shape[:-1] if shape.ndims is not None else TensorShape(None)

  def _event_shape_tensor(self):
    return self.components_distribution.event_shape_tensor()

  def _event_shape(self):
    return self.components_distribution.event_shape

  def _over_events(self, tensor):
    for _ in range(self.event_shape.ndims):
      tensor = tensor[..., tf.newaxis]
    return tensor

  def _axis(self):
    """The dimension of the components, from the end, of tensors with dimensions for events."""
    return -1 - self.event_shape.ndims

  def _sample_n(self, n, seed=None):
    drawn = self.components_distribution.sample(n, seed=seed)
    chosen = self.mixture_distribution.sample(n, seed=derived_seed(seed, "MixtureSameFamily"))
    count = tf.shape(self.mixture_distribution.logits)[-1]
    mask = tf.one_hot(chosen, count, dtype=self.dtype)
    # A batch that only the components have.
    mask = mask + tf.zeros(tf.shape(drawn)[: drawn.get_shape().ndims - self.event_shape.ndims], dtype=self.dtype)
    return tf.reduce_sum(drawn * self._over_events(mask), axis=self._axis())

  def _spread(self, x):
    """`x` with a dimension of size 1 for the components."""
    return tf.expand_dims(x, self._axis())

  def _log_weights(self):
    return tf.nn.log_softmax(self.mixture_distribution.logits)

  def _log_prob(self, x):
    return tf.reduce_logsumexp(self.components_distribution.log_prob(self._spread(x)) + self._log_weights(), axis=-1)

  def _log_cdf(self, x):
    return tf.reduce_logsumexp(self.components_distribution.log_cdf(self._spread(x)) + self._log_weights(), axis=-1)

  def _weights(self):
    return self._over_events(self.mixture_distribution.probs)

  def _mean(self):
    return tf.reduce_sum(self._weights() * self.components_distribution.mean(), axis=self._axis())

  def _variance(self):
    gaps = tf.square(self.components_distribution.mean() - self._spread(self._mean()))
    return tf.reduce_sum(self._weights() * (self.components_distribution.variance() + gaps), axis=self._axis())
