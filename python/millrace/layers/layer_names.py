"""Default names of layers, and the style in which layers are named and reused."""

import contextlib
import re

from millrace.framework import graph as ops

_keras_style = False


@contextlib.contextmanager
def keras_style_scope():
  """Layers that are made inside are of Keras's style: each has variables of its own, which nothing but the layer shares."""
  global _keras_style
  before, _keras_style = _keras_style, True
  try:
    yield
  finally:
    _keras_style = before


def set_keras_style():
  """From now on layers are of Keras's style: see keras_style_scope."""
  global _keras_style
  _keras_style = True


def in_keras_style():
  """Returns whether layers that are made now are of Keras's style."""
  return _keras_style


def to_snake_case(name):
  """Returns the default name of a class's layers: "max_pooling2d" for "MaxPooling2D"."""
  text = re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)).lower()
  return text if not text.startswith("_") else "private" + text


def unique_layer_name(name, uids=None, avoid=None, namespace="", zero_based=False):
  """Returns `name` with the number of the layers of that name in the graph behind it: "dense_1", "dense_2".

  With `zero_based` the first one has no number. `uids` is a dictionary of counts in place of the graph's, `avoid` a set of
  names that are taken, and `namespace` keeps counts apart.
  """
  if uids is None:
    uids = ops.get_default_graph().__dict__.setdefault("_layer_name_uids", {})
  key = (namespace, name)
  while True:
    number = uids.get(key, 0)
    uids[key] = number + 1
    if zero_based:
      found = "%s_%d" % (name, number) if number else name
    else:
      found = "%s_%d" % (name, number + 1)
    if not avoid or found not in avoid:
      return found
