"""Strings cut into parts: at separators, into bytes, and into sequences of parts."""

from millrace import gen
from millrace.framework import composite, convert, dtypes, graph
from millrace.ops.array import joining, shapes


def _checked(result_type):
  return ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def _sparse(indices, values, shape):
  indices.set_shape([None, 2])
  values.set_shape([None])
  shape.set_shape([2])
  return composite.SparseTensor(indices=indices, values=values, dense_shape=shape)


def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
  """Returns the parts of each string of a vector, cut at any character of `sep`.

  Args:
    source: A vector of strings.
    sep: Characters to cut at; a space if None, at each byte if empty. `delimiter` is its older name.
    skip_empty: Leave out empty parts.
    delimiter: See `sep`.
    result_type: "SparseTensor", with a row a string, or "RaggedTensor".
    name: Prefix of the names of what it makes.
  """
  with graph.name_scope(name, "StringSplit", [source]):
    if delimiter is not None:
      if sep is not None:
        raise ValueError("Cannot specify both 'delimiter' and 'sep'.")
      sep = delimiter
    if sep is None:
      sep = " "
    sep = convert.convert_to_tensor(sep, dtype=dtypes.string)
    source = convert.convert_to_tensor(source, dtype=dtypes.string)
    indices, values, shape = gen.string_split(source, sep, skip_empty=skip_empty)
    if result_type == "SparseTensor":
      return _sparse(indices, values, shape)
    if result_type == "RaggedTensor":
      return _rows(indices, values, shape)
    raise _checked(result_type)


def _rows(indices, values, shape):
  """Returns the parts as a ragged tensor with a row a string."""
  from millrace.ops.ragged import tensor as ragged

  return ragged.RaggedTensor.from_value_rowids(values=values, value_rowids=indices[:, 0], nrows=shape[0], validate=False)


def split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):
  """Returns the parts of each string, cut where the text `sep` is.

  Args:
    input: Strings. `source` is its older name.
    sep: What to cut at; white space of any length if None or empty.
    maxsplit: The most cuts; all if -1.
    result_type: "SparseTensor" or "RaggedTensor".
    source: See `input`.
    name: Prefix of the names of what it makes.
  """
  if source is not None:
    if input is not None:
      raise ValueError("Cannot specify both 'source' and 'input'.")
    input = source
  from millrace.ops.ragged import tensor as ragged

  with graph.name_scope(name, "StringSplit", [input]):
    input = ragged.convert_to_tensor_or_ragged_tensor(input, dtype=dtypes.string, name="input")
    if result_type not in ("SparseTensor", "RaggedTensor"):
      raise _checked(result_type)
    if result_type == "SparseTensor" and input.get_shape().ndims == 0:
      input = shapes.expand_dims(input, 0)
    if result_type == "SparseTensor" and input.get_shape().ndims == 1 and not isinstance(input, ragged.RaggedTensor):
      sep = convert.convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
      return _sparse(*gen.string_split_v2(input, sep, maxsplit=maxsplit))
    result = split_rows(input, sep=sep, maxsplit=maxsplit)
    return result.to_sparse() if result_type == "SparseTensor" else result


def split_rows(input, sep=None, maxsplit=-1, name=None):
  """As `split`; returns a ragged tensor with one dimension more than the input."""
  from millrace.ops.ragged import tensor as ragged

  with graph.name_scope(name, "StringSplit", [input]):
    input = ragged.convert_to_tensor_or_ragged_tensor(input, dtype=dtypes.string, name="input")
    if isinstance(input, ragged.RaggedTensor):
      return input.with_flat_values(split_rows(input.flat_values, sep, maxsplit))
    ndims = input.get_shape().ndims
    if ndims == 0:
      return split_rows(joining.stack([input]), sep, maxsplit)[0]
    if ndims == 1 or ndims is None:
      sep = convert.convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
      return _rows(*gen.string_split_v2(input, sep, maxsplit=maxsplit))
    return split_rows(ragged.RaggedTensor.from_tensor(input, ragged_rank=ndims - 1), sep, maxsplit)


def bytes_split(input, name=None):
  """Returns the bytes of each string, a ragged tensor with one dimension more; for a scalar, a vector."""
  from millrace.ops.ragged import tensor as ragged

  with graph.name_scope(name, "StringsByteSplit", [input]):
    input = ragged.convert_to_tensor_or_ragged_tensor(input, name="input")
    if isinstance(input, ragged.RaggedTensor):
      return input.with_flat_values(bytes_split(input.flat_values))
    ndims = input.get_shape().ndims
    if ndims is None:
      raise ValueError("input must have a statically-known rank.")
    if ndims == 0:
      return bytes_split(joining.stack([input]))[0]
    if ndims == 1:
      return _rows(*gen.string_split(input, "", skip_empty=False))
    return bytes_split(ragged.RaggedTensor.from_tensor(input, ragged_rank=ndims - 1))


def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None):
  """Returns sequences of `ngram_width` neighbours of the last dimension, joined by a separator.

  Args:
    data: Strings, a tensor or a ragged tensor.
    ngram_width: A number, or several.
    separator: Goes between the parts.
    pad_values: What goes before and behind each row: a string, or a pair.
    padding_width: How many of them; one less than the width if None.
    preserve_short_sequences: Keep rows that are shorter than the width, as one part.
    name: Prefix of the names of what it makes.
  """
  from millrace.ops.ragged import tensor as ragged

  with graph.name_scope(name, "StringNGrams", [data]):
    pad_values, left, right, padding_width = _padding(pad_values, padding_width)
    data = ragged.convert_to_tensor_or_ragged_tensor(data, name="data", dtype=dtypes.string)
    dense_shape = None
    dense_ndims = None
    if not isinstance(data, ragged.RaggedTensor):
      dense_ndims = data.get_shape().ndims
      if dense_ndims is None:
        raise ValueError("Rank of data must be known.")
      if dense_ndims == 0:
        raise ValueError("Data must have rank>0")
      dense_shape = joining.concat([shapes.shape(data)[:-1], [-1]], axis=0)
      if dense_ndims == 1:
        data = ragged.RaggedTensor.from_row_starts(data, [0], validate=False)
      else:
        data = ragged.RaggedTensor.from_tensor(data, ragged_rank=dense_ndims - 1)
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    for width in widths:
      if width < 1:
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    output, splits = gen.string_n_grams(
      data.flat_values,
      data.nested_row_splits[-1],
      separator=separator,
      ngram_widths=widths,
      left_pad=left,
      right_pad=right,
      pad_width=padding_width,
      preserve_short_sequences=preserve_short_sequences,
    )
    result = ragged.RaggedTensor.from_nested_row_splits(output, data.nested_row_splits[:-1] + (splits,), validate=False)
    if dense_ndims is None:
      return result
    if dense_ndims == 1:
      return result[0]
    return shapes.reshape(result.to_tensor(default_value=""), dense_shape)


def _padding(pad_values, padding_width):
  """Returns the pad values as the op has them, and how many there are: -1 for one less than the width."""
  if pad_values is None:
    return None, "", "", 0
  if isinstance(pad_values, (list, tuple)):
    if not all(isinstance(value, (str, bytes)) for value in pad_values):
      raise TypeError("pad_values must be a string, tuple of strings, or None.")
    if len(pad_values) != 2:
      raise TypeError("pad_values must be a string, tuple of strings, or None.")
    left, right = pad_values
  elif isinstance(pad_values, (str, bytes)):
    left = right = pad_values
  else:
    raise TypeError("pad_values must be a string, tuple of strings, or None.")
  if padding_width is not None and padding_width < 1:
    raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
  return pad_values, left, right, -1 if padding_width is None else padding_width
