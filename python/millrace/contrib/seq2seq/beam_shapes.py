"""Tensors of batch and beams: as one dimension for cells, as two for the search."""

import millrace as tf
from millrace.framework import nest
from millrace.ops.control_flow.tensor_array import TensorArray


def _known_rank(t):
  if t.shape.ndims is None:
    raise ValueError(f"Expected tensor ({t}) to have known rank, but ndims == None.")
  return t.shape.ndims


class BeamShapes:
  """Splits and merges for a batch of `batch_size`, a scalar tensor, and `beam_width` beams each."""

  def __init__(self, batch_size, beam_width):
    from millrace.framework import tensor_values

    self._batch_size = batch_size
    self._beam_width = beam_width
    known = tensor_values.constant_value(batch_size)
    self.known_batch_size = None if known is None else int(known)

  def merged(self, t):
    """[batch, beam, ...] as [batch * beam, ...]."""
    shape = tf.shape(t)
    flat = tf.reshape(t, tf.concat(([self._batch_size * self._beam_width], shape[2:]), 0))
    rows = None if self.known_batch_size is None else self.known_batch_size * self._beam_width
    flat.set_shape(tf.TensorShape([rows]).concatenate(t.shape[2:]))
    return flat

  def split(self, t):
    """[batch * beam, ...] as [batch, beam, ...]. Raises ValueError if it is known that these are not the numbers of rows."""
    rows = t.shape.dims[0].value
    if self.known_batch_size is not None and rows is not None and rows != self.known_batch_size * self._beam_width:
      expected = tf.TensorShape([self.known_batch_size, self._beam_width]).concatenate(t.shape[1:])
      raise ValueError(
        "Unexpected behavior when reshaping between beam width and batch size.  The reshaped tensor has shape: "
        f"{t.shape}.  We expected it to have shape (batch_size, beam_width, depth) == {expected}.  Perhaps you forgot to "
        "create a zero_state with batch_size=encoder_batch_size * beam_width?"
      )
    shape = tf.shape(t)
    split = tf.reshape(t, tf.concat(([self._batch_size, self._beam_width], shape[1:]), 0))
    split.set_shape(tf.TensorShape([self.known_batch_size, self._beam_width]).concatenate(t.shape[1:]))
    return split

  def merged_state(self, state):
    """A cell's state with batch and beams as one dimension; arrays and scalars as they are."""
    return nest.map_structure(lambda t: t if isinstance(t, TensorArray) or _known_rank(t) < 2 else self.merged(t), state)

  def split_state(self, state):
    """A cell's state with batch and beams as two dimensions; arrays and scalars as they are."""
    return nest.map_structure(lambda t: t if isinstance(t, TensorArray) or _known_rank(t) < 1 else self.split(t), state)

  def gathered(self, t, beams):
    """Of [batch, beam, ...] the beams [batch, beam] of each batch entry."""
    chosen = tf.gather(t, beams, batch_dims=1)
    chosen.set_shape(tf.TensorShape([self.known_batch_size, self._beam_width]).concatenate(t.shape[2:]))
    return chosen

  def gathered_state(self, state, beams):
    """A state, split, with other beams in the places of its own; arrays and scalars as they are."""
    return nest.map_structure(lambda t: t if isinstance(t, TensorArray) or _known_rank(t) < 2 else self.gathered(t, beams), state)

  def could_be_array(self, shape):
    """Whether elements of a TensorArray may be of batch and beams, as far as is known; else a warning says that they are not."""
    first = shape.dims[0].value
    if self.known_batch_size is None or first is None or first == self.known_batch_size * self._beam_width:
      return True
    second = shape.dims[1].value if shape.ndims > 1 else 0
    if first == self.known_batch_size and second in (None, self._beam_width):
      return True
    tf.logging.warning(
      "TensorArray reordering expects elements to be reshapable to %s which is incompatible with the current shape %s. Consider "
      "setting reorder_tensor_arrays to False to disable TensorArray reordering during the beam search.",
      tf.TensorShape([self.known_batch_size, self._beam_width, None]),
      shape,
    )
    return False
