"""Losses that users' functions compute."""

import inspect

import millrace as tf


def _names(function):
  """Returns the names of a function's arguments, without `self`."""
  try:
    return tuple(inspect.signature(function).parameters)
  except (TypeError, ValueError):
    return ()


def check(loss_fn):
  """Raises ValueError if a function of losses lacks an argument, or has one that it cannot be given."""
  names = set(_names(loss_fn))
  if "labels" not in names:
    raise ValueError(f"loss_fn must contain argument: labels. Given arguments: {names}")
  if "logits" not in names:
    raise ValueError(f"loss_fn must contain argument: logits. Given arguments: {names}")
  unexpected = list(names - {"labels", "logits", "features", "loss_reduction"})
  if unexpected:
    raise ValueError(f"loss_fn has unexpected args: {unexpected}")


def call(loss_fn, labels, logits, features, dimension=1):
  """Returns the losses of a function, checked when a step runs to be [D0, ..., DN, dimension]."""
  names = _names(loss_fn)
  kwargs = {}
  if "features" in names:
    kwargs["features"] = features
  if "loss_reduction" in names:
    kwargs["loss_reduction"] = tf.losses.Reduction.NONE
  with tf.name_scope(None, "call_loss_fn", values=[labels, logits, *(features or {}).values()]):
    losses = loss_fn(labels=labels, logits=logits, **kwargs)
    shape = tf.shape(logits, name="logits_shape")
    expected = tf.concat([shape[:-1], [dimension]], axis=0, name="expected_loss_shape")
    found = tf.shape(losses, name="loss_shape")
    check_loss = tf.Assert(
      tf.reduce_all(tf.equal(found, expected)),
      data=[
        f"loss_fn must return Tensor of shape [D0, D1, ... DN, {dimension}]. ",
        "logits_shape: ",
        shape,
        "loss_shape: ",
        found,
      ],
      name="check_loss_shape",
    )
    with tf.control_dependencies([check_loss]):
      return tf.identity(losses)
