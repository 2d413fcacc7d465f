"""Values printed while a step runs."""

import os
import pprint
import random
import sys

from millrace import gen
from millrace.framework import composite, dtypes, nest
from millrace.framework.tensor import Tensor


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
  """`input_`; its op writes the message and `data`, tensors of which `summarize` (or 3) elements each, to standard error.

  Only the first `first_n` times, if that is given.
  """
  return gen._print(
    input_,
    data,
    message="" if message is None else message,
    first_n=-1 if first_n is None else first_n,
    summarize=3 if summarize is None else summarize,
    name=name,
  )


class _Placeholder:
  """Stands where a tensor is in a structure, and prints as the text that the op replaces."""

  def __init__(self, text):
    self._text = text

  def __repr__(self):
    return self._text


def print_v2(*inputs, **kwargs):
  """An op that writes tensors, structures of them and other values, as Python's print.

  Keywords:
    output_stream: `sys.stderr` (the default), `sys.stdout`, `tf.logging.info`, `warning`, `error`, or "file://PATH".
    summarize: Of each dimension that many first and last elements are written, all if -1; 3 by default.
    sep: Between inputs, a space by default.
    end: Behind all, a new line by default.
    name: Of the op.

  Raises:
    ValueError: for another keyword or stream.
  """
  output_stream = kwargs.pop("output_stream", sys.stderr)
  name = kwargs.pop("name", None)
  summarize = kwargs.pop("summarize", 3)
  sep = kwargs.pop("sep", " ")
  end = kwargs.pop("end", os.linesep)
  if kwargs:
    raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
  stream = _stream(output_stream)
  first = inputs[0] if len(inputs) == 1 else None
  if isinstance(first, Tensor) and first.dtype == dtypes.string and first.get_shape().ndims == 0:
    text = first
  else:
    placeholder = _free_placeholder(inputs)
    parts, tensors = [], []
    for value in inputs:
      part, found = _template(value, placeholder)
      parts.append(part)
      tensors.extend(found)
    text = gen.string_format(
      tensors,
      template=sep.join(parts),
      placeholder=placeholder,
      summarize=summarize,
      name=f"{name}_format" if name else None,
    )
  return gen.print_v2(text, output_stream=stream, end=end, name=name)


def _stream(output_stream):
  """The name that the op has for a stream."""
  from millrace.platform import logging

  if isinstance(output_stream, str) and output_stream.startswith("file://"):
    return output_stream
  known = (
    (sys.stdout, "stdout"),
    (sys.stderr, "stderr"),
    (logging.INFO, "log(info)"),
    (logging.info, "log(info)"),
    (logging.WARN, "log(warning)"),
    (logging.warning, "log(warning)"),
    (logging.warn, "log(warning)"),
    (logging.ERROR, "log(error)"),
    (logging.error, "log(error)"),
  )
  for stream, stream_name in known:
    if output_stream is stream or (isinstance(stream, int) and output_stream == stream):
      return stream_name
  raise ValueError(
    f"Unsupported output stream, logging level, or file.{output_stream}. Supported streams are sys.stdout, sys.stderr, "
    "tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of 'file://<filepath>'."
  )


def _free_placeholder(inputs):
  """A text that no text among the inputs contains: "{}", with digits behind it if need be."""
  digits = random.Random(5)
  placeholder = "{}"
  for text in [value for value in nest.flatten(list(inputs)) if isinstance(value, str)]:
    while placeholder in text:
      placeholder += str(digits.randint(0, 9))
  return placeholder


def _template(value, placeholder):
  """The text of an input with placeholders, and the tensors that take their places."""
  if isinstance(value, Tensor):
    return placeholder, [value]
  if isinstance(value, str):
    return value, []
  tensors, leaves = [], []
  for leaf in nest.flatten(value):
    if isinstance(leaf, composite.SparseTensor):
      tensors += [leaf.indices, leaf.values, leaf.dense_shape]
      leaves.append(f"SparseTensor(indices={placeholder}, values={placeholder}, shape={placeholder})")
    elif isinstance(leaf, Tensor) or hasattr(leaf, "_as_graph_element"):
      tensors.append(leaf)
      leaves.append(_Placeholder(placeholder))
    else:
      leaves.append(leaf)
  return pprint.pformat(nest.pack_sequence_as(value, leaves)), tensors
