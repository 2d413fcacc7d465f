"""Decoders of Example and SequenceExample messages: each item is made by a handler from the parsed fields."""

import millrace as tf
from millrace.contrib.slim import data_provider


class TFExampleDecoder(data_provider.DataDecoder):
  """Parses Example messages with `keys_to_features` (as tf.parse_example) and makes items by `items_to_handlers`."""

  def __init__(self, keys_to_features, items_to_handlers):
    self._keys_to_features = keys_to_features
    self._items_to_handlers = items_to_handlers

  def list_items(self):
    return list(self._items_to_handlers)

  def decode(self, serialized_example, items=None):
    """Returns a list with the tensors of `items`, by default of all, of one serialized Example, a string scalar."""
    parsed = tf.parse_single_example(serialized_example, self._keys_to_features)
    _set_shapes(parsed, self._keys_to_features)
    return _made(self._items_to_handlers, items, parsed)


class TFSequenceExampleDecoder(data_provider.DataDecoder):
  """Parses SequenceExample messages (as tf.parse_single_sequence_example) and makes items by `items_to_handlers`."""

  def __init__(self, keys_to_context_features, keys_to_sequence_features, items_to_handlers):
    common = set(keys_to_context_features) & set(keys_to_sequence_features)
    if common:
      raise ValueError(f"context and sequence keys must not intersect: {sorted(common)}")
    self._keys_to_context_features = keys_to_context_features
    self._keys_to_sequence_features = keys_to_sequence_features
    self._items_to_handlers = items_to_handlers

  def list_items(self):
    return self._items_to_handlers.keys()

  def decode(self, serialized_example, items=None):
    """Returns a list with the tensors of `items`, by default of all, of one serialized SequenceExample, a string scalar."""
    context, sequence = tf.parse_single_sequence_example(
      serialized_example, self._keys_to_context_features, self._keys_to_sequence_features
    )
    _set_shapes(context, self._keys_to_context_features)
    return _made(self._items_to_handlers, items, {**context, **sequence})


def _set_shapes(parsed, features):
  for key in sorted(features):
    feature = features[key]
    if isinstance(feature, tf.FixedLenFeature):
      parsed[key] = tf.reshape(parsed[key], feature.shape)


def _made(handlers, items, parsed):
  made = []
  for item in items or handlers.keys():
    handler = handlers[item]
    made.append(handler.tensors_to_item({key: parsed[key] for key in handler.keys}))
  return made
