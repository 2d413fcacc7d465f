"""Strings as a whole: made of numbers, joined, compared with patterns, hashed, and made numbers again."""

from millrace import gen
from millrace.framework import constants, convert, dtypes, graph


def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
  """Returns numbers and bools as texts.

  Args:
    input: A tensor.
    precision: Digits behind the point of floats; as many as usual if -1.
    scientific: With an exponent.
    shortest: With or without one, whichever is shorter.
    width: Least number of characters.
    fill: Character that goes before shorter texts.
    name: Name of the op.
  """
  return gen.as_string(input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name)


def join(inputs, separator="", name=None):
  """Returns the strings of several tensors joined, element by element; scalars go with all elements."""
  return gen.string_join(inputs, separator=separator, name=name)


def length(input, name=None, unit="BYTE"):
  """Returns the lengths of strings in bytes, or in characters where `unit` is "UTF8_CHAR"."""
  return gen.string_length(input, unit=unit, name=name)


def lower(input, encoding="", name=None):
  """Returns strings in small letters: those of ASCII, or all where `encoding` is "utf-8"."""
  return gen.string_lower(input, encoding=encoding, name=name)


def upper(input, encoding="", name=None):
  """Returns strings in capital letters: those of ASCII, or all where `encoding` is "utf-8"."""
  return gen.string_upper(input, encoding=encoding, name=name)


def strip(input, name=None):
  """Returns strings without white space at their ends."""
  return gen.string_strip(input, name=name)


def substr(input, pos, len, name=None, unit="BYTE"):
  """Returns `len` units from `pos` on of each string; a negative position counts from the end."""
  return gen.substr(input, pos, len, unit=unit, name=name)


def regex_full_match(input, pattern, name=None):
  """Returns where the whole string matches the pattern, in the syntax of RE2."""
  if isinstance(pattern, (str, bytes)):
    return gen.static_regex_full_match(input, pattern=pattern, name=name)
  return gen.regex_full_match(input, pattern, name=name)


def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
  """Returns strings with `rewrite` for what matches the pattern: everywhere, or at the first place."""
  if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
    return gen.static_regex_replace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
  return gen.regex_replace(input, pattern, rewrite, replace_global=replace_global, name=name)


def to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
  """Returns a bucket of `num_buckets` for each string, by a hash that depends on the process's version."""
  string_tensor = _given(string_tensor, input)
  if num_buckets is None:
    raise TypeError("Expected int for argument 'num_buckets' not None.")
  return gen.string_to_hash_bucket(string_tensor, num_buckets=num_buckets, name=name)


def _given(string_tensor, input):
  """Returns the argument that has two names."""
  if string_tensor is not None and input is not None:
    raise ValueError("Cannot specify both 'string_tensor' and 'input'.")
  return input if string_tensor is None else string_tensor


def to_hash_bucket_fast(input, num_buckets, name=None):
  """Returns a bucket of `num_buckets` for each string, by a hash that is the same in all versions."""
  return gen.string_to_hash_bucket_fast(input, num_buckets=num_buckets, name=name)


def to_hash_bucket_strong(input, num_buckets, key, name=None):
  """Returns a bucket of `num_buckets` for each string, by a hash with a key of two integers."""
  return gen.string_to_hash_bucket_strong(input, num_buckets=num_buckets, key=key, name=name)


def to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None):
  """Returns texts as numbers of `out_type`. A step fails for what is no number."""
  string_tensor = _given(string_tensor, input)
  return gen.string_to_number(string_tensor, out_type=out_type, name=name)


def reduce_join(inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None, keepdims=None):
  """Returns strings joined along dimensions, in their order; along all if `axis` is None."""
  if keepdims is not None and keep_dims is not None:
    raise ValueError("Cannot specify both 'keep_dims' and 'keepdims'.")
  keepdims = keep_dims if keepdims is None else keepdims
  if axis is not None and reduction_indices is not None:
    raise ValueError("Cannot specify both 'reduction_indices' and 'axis'.")
  axis = reduction_indices if axis is None else axis
  with graph.name_scope(None, "ReduceJoin", [inputs, axis]):
    inputs = convert.convert_to_tensor(inputs)
    if axis is None:
      axis = _all_from_the_last(inputs)
    return gen.reduce_join(inputs, axis, keep_dims=bool(keepdims), separator=separator, name=name)


def _all_from_the_last(inputs):
  import numpy as np

  ndims = inputs.get_shape().ndims
  if ndims is not None:
    return constants.constant(np.arange(ndims - 1, -1, -1), dtype=dtypes.int32)
  return gen.range(gen.rank(inputs) - 1, -1, -1, name="range")


def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
  """Returns the strings of each segment joined, for segments in any order."""
  return gen.unsorted_segment_join(inputs, segment_ids, num_segments, separator=separator, name=name)


def format(template, inputs, placeholder="{}", summarize=3, name=None):
  """Returns a scalar: the template with tensors, printed, in its places.

  Args:
    template: A Python string.
    inputs: Tensors, as many as there are places.
    placeholder: What stands for a place.
    summarize: Elements shown at either end of each dimension; all if -1.
    name: Name of the op.

  Raises:
    ValueError: There are more or fewer places.
  """
  if not isinstance(inputs, (list, tuple)):
    inputs = [inputs]
  places = template.count(placeholder)
  if places != len(inputs):
    raise ValueError(
      f"The template expects {places} tensors, but the inputs only has {len(inputs)}. Please ensure the number of "
      "placeholders in template matches inputs length."
    )
  return gen.string_format(inputs, template=template, placeholder=placeholder, summarize=summarize, name=name)


def decode_base64(input, name=None):
  """Returns web-safe base64 texts decoded."""
  return gen.decode_base64(input, name=name)


def encode_base64(input, pad=False, name=None):
  """Returns strings as web-safe base64 texts, with `=` at the end if `pad`."""
  return gen.encode_base64(input, pad=pad, name=name)
