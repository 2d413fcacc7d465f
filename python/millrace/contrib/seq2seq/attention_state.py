"""The state of a cell with attention."""

import collections

import millrace as tf
from millrace.framework import nest


class AttentionWrapperState(
  collections.namedtuple(
    "AttentionWrapperState",
    ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
  )
):
  """The state of an AttentionWrapper.

  `cell_state` of the cell inside, `attention` as it was emitted last, `time` (an int32 scalar), `alignments` as they were computed
  last, `alignment_history`, TensorArrays of all of them (or empty tuples), and `attention_state` of the mechanisms. The last three are
  tuples where there are several mechanisms.
  """

  def clone(self, **kwargs):
    """Returns a copy with other values for the given fields. Raises ValueError for shapes that differ from those there."""

    def as_before(old, new):
      if not isinstance(old, tf.Tensor) or not isinstance(new, tf.Tensor):
        return new
      if not new.get_shape().is_compatible_with(old.get_shape()):
        raise ValueError(f"Invalid shape for {new.name}: expected {old.get_shape()}, got {new.get_shape()}.")
      checked = tf.identity(new)
      checked.set_shape(old.get_shape())
      return checked

    return nest.map_structure(as_before, self, super()._replace(**kwargs))
