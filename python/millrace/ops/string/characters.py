"""Strings as sequences of Unicode characters: decoded, encoded, split and transcoded."""

from millrace import gen
from millrace.framework import dtypes, graph
from millrace.ops.array import joining, shapes


def unicode_script(input, name=None):
  """Returns the script of each code point by its number in ICU; -1 for what is no code point."""
  return gen.unicode_script(input, name=name)


def unicode_transcode(
  input,
  input_encoding,
  output_encoding,
  errors="replace",
  replacement_char=65533,
  replace_control_characters=False,
  name=None,
):
  """Returns strings in another encoding. Where one is wrong, `errors` says "replace", "ignore" or "strict"."""
  return gen.unicode_transcode(
    input,
    input_encoding=input_encoding,
    output_encoding=output_encoding,
    errors=errors,
    replacement_char=replacement_char,
    replace_control_characters=replace_control_characters,
    name=name,
  )


def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):
  """Returns code points as strings: one for each sequence of the last dimension, of a tensor or a ragged tensor.

  Raises ValueError for a scalar and for an unknown rank.
  """
  from millrace.ops.ragged import tensor as ragged

  def encode(values):
    return unicode_encode(values, output_encoding, errors, replacement_char)

  with graph.name_scope(name, "UnicodeEncode", [input]):
    input = ragged.convert_to_tensor_or_ragged_tensor(input)
    if input.get_shape().ndims is None:
      raise ValueError("Rank of input_tensor must be statically known.")
    if isinstance(input, ragged.RaggedTensor):
      if input.flat_values.get_shape().ndims > 1:
        return input.with_flat_values(encode(input.flat_values))
      if input.ragged_rank > 1:
        return input.with_values(encode(input.values))
      return gen.unicode_encode(
        input.values,
        input.row_splits,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
      )
    ndims = input.get_shape().ndims
    if ndims == 2:
      return encode(ragged.RaggedTensor.from_tensor(input))
    if ndims > 2:
      flat = shapes.reshape(input, joining.stack([-1, shapes.shape(input)[-1]]))
      return shapes.reshape(encode(flat), input.get_shape()[:-1])
    if ndims == 0:
      raise ValueError("input_tensor's rank must be at least 1.")
    row_splits = joining.stack([0, shapes.shape(input, out_type=dtypes.int32)[0]])
    row = ragged.RaggedTensor.from_row_splits(input, row_splits, validate=False)
    return shapes.reshape(encode(row), [])


def unicode_decode(input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None):
  """Returns the code points of each string, a ragged tensor with one dimension more; for a scalar, a vector."""
  with graph.name_scope(name, "UnicodeDecode", [input]):
    return _decode(input, input_encoding, errors, replacement_char, replace_control_characters, False)


def unicode_decode_with_offsets(
  input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None
):
  """As `unicode_decode`; returns a pair of the code points and of the bytes where each starts."""
  with graph.name_scope(name, "UnicodeDecodeWithOffsets", [input]):
    return _decode(input, input_encoding, errors, replacement_char, replace_control_characters, True)


def unicode_split(input, input_encoding, errors="replace", replacement_char=65533, name=None):
  """Returns the characters of each string, as strings of the same encoding."""
  from millrace.ops.ragged import shaping

  with graph.name_scope(name, "UnicodeSplit", [input]):
    codepoints = _decode(input, input_encoding, errors, replacement_char, False, False)
    return unicode_encode(shaping.expand_dims(codepoints, -1), input_encoding, errors, replacement_char)


def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, name=None):
  """As `unicode_split`; returns a pair of the characters and of the bytes where each starts."""
  from millrace.ops.ragged import shaping

  with graph.name_scope(name, "UnicodeSplitWithOffsets", [input]):
    codepoints, offsets = _decode(input, input_encoding, errors, replacement_char, False, True)
    return unicode_encode(shaping.expand_dims(codepoints, -1), input_encoding, errors, replacement_char), offsets


def _decode(input, input_encoding, errors, replacement_char, replace_control_characters, with_offsets):
  from millrace.ops.ragged import tensor as ragged

  input = ragged.convert_to_tensor_or_ragged_tensor(input, name="input")
  ndims = input.get_shape().ndims
  if ndims is None:
    raise ValueError("Rank of `input` must be statically known.")
  if ndims > 1:
    if not isinstance(input, ragged.RaggedTensor):
      input = ragged.RaggedTensor.from_tensor(input, ragged_rank=ndims - 1)
    elif input.ragged_rank < ndims - 1:
      inner = ndims - 1 - input.ragged_rank
      input = input.with_flat_values(ragged.RaggedTensor.from_tensor(input.flat_values, ragged_rank=inner))
  flat = shapes.reshape(input.flat_values if isinstance(input, ragged.RaggedTensor) else input, [-1])
  decode = gen.unicode_decode_with_offsets if with_offsets else gen.unicode_decode
  parts = decode(
    flat,
    input_encoding=input_encoding,
    errors=errors,
    replacement_char=replacement_char,
    replace_control_characters=replace_control_characters,
  )
  splits, values = parts[0], parts[1:]
  if ndims == 0:
    result = tuple(values)
  else:
    result = tuple(ragged.RaggedTensor.from_row_splits(value, splits, validate=False) for value in values)
    if ndims > 1:
      result = tuple(input.with_flat_values(value) for value in result)
  return result if with_offsets else result[0]
