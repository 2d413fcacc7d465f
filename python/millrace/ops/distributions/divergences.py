"""The divergence of Kullback and Leibler between two distributions, by functions that are registered for pairs of classes."""

import inspect

import millrace as tf
from millrace.framework.graph import control_dependencies, name_scope

_functions = {}  # (class, class): function


def _registered(class_a, class_b):
  """The function of the classes, or that of the nearest classes they derive from; None if there is none."""
  found = None
  for distance_a, parent_a in enumerate(inspect.getmro(class_a)):
    for distance_b, parent_b in enumerate(inspect.getmro(class_b)):
      function = _functions.get((parent_a, parent_b))
      if function is not None and (found is None or distance_a + distance_b < found[0]):
        found = (distance_a + distance_b, function)
  return None if found is None else found[1]


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
  """The expectation, over the first distribution, of log(density of the first / density of the second): of the batch's shape.

  `allow_nan_stats` False makes the op fail where the result is NaN.

  Raises:
    NotImplementedError: if no function is registered for the two classes.
  """
  function = _registered(type(distribution_a), type(distribution_b))
  if function is None:
    raise NotImplementedError(
      f"No KL(distribution_a || distribution_b) registered for distribution_a type {type(distribution_a).__name__} and "
      f"distribution_b type {type(distribution_b).__name__}"
    )
  with name_scope("KullbackLeibler"):
    divergence = function(distribution_a, distribution_b, name=name)
    if allow_nan_stats:
      return divergence
    divergence = tf.identity(divergence, name="kl")
    message = (
      f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was called with "
      "allow_nan_stats=False). Values:"
    )
    check = tf.Assert(tf.logical_not(tf.reduce_any(tf.is_nan(divergence))), [message, divergence])
    with control_dependencies([check]):
      return tf.identity(divergence, name="checked_kl")


def cross_entropy(ref, other, allow_nan_stats=True, name=None):
  """The expectation, over `ref`, of minus the log of the density of `other`: the entropy of `ref` and the divergence."""
  with name_scope(name, "cross_entropy"):
    return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


class RegisterKL:
  """A decorator that registers a function (distribution_a, distribution_b, name=None) for two classes."""

  def __init__(self, dist_cls_a, dist_cls_b):
    self._key = (dist_cls_a, dist_cls_b)

  def __call__(self, kl_fn):
    """Registers the function and returns it. TypeError for what cannot be called, ValueError if the pair has one."""
    if not callable(kl_fn):
      raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
    if self._key in _functions:
      raise ValueError(
        f"KL({self._key[0].__name__} || {self._key[1].__name__}) has already been registered to: {_functions[self._key]}"
      )
    _functions[self._key] = kl_fn
    return kl_fn
