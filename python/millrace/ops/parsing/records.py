"""Strings decoded to tensors and encoded again: raw bytes, lines of values, compressed bytes, serialized tensors."""

from millrace import gen
from millrace.framework import composite, dtypes, tensor
from millrace.ops.sparse import checks


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
  """Returns the bytes of strings as numbers of `out_type`, in a new last dimension; `bytes` is the older name."""
  if bytes is not None:
    if input_bytes is not None:
      raise ValueError("Cannot specify both 'bytes' and 'input_bytes'.")
    input_bytes = bytes
  if input_bytes is None:
    raise TypeError("decode_raw() missing 1 required positional argument: 'input_bytes'")
  return gen.decode_raw(input_bytes, out_type=out_type, little_endian=little_endian, name=name)


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, name=None, na_value="", select_cols=None):
  """Returns the columns of lines of values, a tensor each.

  Args:
    records: Strings, one a line.
    record_defaults: For each column, a vector with what stands for an empty field, or an empty one of its type.
    field_delim: Character between fields.
    use_quote_delim: Double quotes around a field do not belong to it.
    name: Name of the op.
    na_value: A further text for an empty field.
    select_cols: Which columns, in increasing order; all if None.

  Raises:
    TypeError: A default is of a type that columns do not have.
    ValueError: The columns are out of order, or more or fewer than the defaults.
  """
  for default in record_defaults:
    if isinstance(default, tensor.Tensor) and default.get_shape().ndims is not None and default.get_shape().ndims > 1:
      raise ValueError("record_defaults must contain scalars or vectors.")
  if select_cols is not None and any(select_cols[i] >= select_cols[i + 1] for i in range(len(select_cols) - 1)):
    raise ValueError("select_cols is not strictly increasing.")
  if select_cols is not None and select_cols and select_cols[0] < 0:
    raise ValueError("select_cols contains negative values.")
  if select_cols is not None and len(select_cols) != len(record_defaults):
    raise ValueError("Length of select_cols and record_defaults do not match.")
  return gen.decode_csv(
    records,
    record_defaults,
    field_delim=field_delim,
    use_quote_delim=use_quote_delim,
    na_value=na_value,
    select_cols=[] if select_cols is None else list(select_cols),
    name=name,
  )


def decode_compressed(bytes, compression_type="", name=None):
  """Returns strings decompressed; the type is "ZLIB", "GZIP" or empty for none."""
  return gen.decode_compressed(bytes, compression_type=compression_type, name=name)


def serialize_tensor(tensor, name=None):
  """Returns a tensor as a serialized TensorProto, a scalar string."""
  return gen.serialize_tensor(tensor, name=name)


def parse_tensor(serialized, out_type, name=None):
  """Returns the tensor of a serialized TensorProto, whose type has to be `out_type`."""
  return gen.parse_tensor(serialized, out_type=out_type, name=name)


def serialize_sparse(sp_input, name=None, out_type=dtypes.string):
  """Returns a sparse tensor as a vector of three strings, or variants."""
  sp_input = checks.to_sparse(sp_input)
  return gen.serialize_sparse(sp_input.indices, sp_input.values, sp_input.dense_shape, out_type=out_type, name=name)


def serialize_many_sparse(sp_input, name=None, out_type=dtypes.string):
  """Returns the parts of a sparse tensor along its first dimension, a row of three strings, or variants, each."""
  sp_input = checks.to_sparse(sp_input)
  return gen.serialize_many_sparse(sp_input.indices, sp_input.values, sp_input.dense_shape, out_type=out_type, name=name)


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
  """Returns the sparse tensor that rows of serialized ones make, with a new first dimension; `rank` is theirs with it."""
  indices, values, shape = gen.deserialize_many_sparse(serialized_sparse, dtype=dtype, name=name)
  indices.set_shape([None, rank])
  shape.set_shape([rank])
  return composite.SparseTensor(indices, values, shape)


def decode_proto(
  bytes,
  message_type,
  field_names,
  output_types,
  descriptor_source="local://",
  message_format="binary",
  sanitize=False,
  name=None,
):
  """Returns fields of serialized messages: how often each is there, and a list of their values.

  Args:
    bytes: Serialized messages.
    message_type: Full name of the type.
    field_names: Names of the fields.
    output_types: Their types, in the same order.
    descriptor_source: Where the type is described.
    message_format: "binary" or "text".
    sanitize: Write the message again before it is read.
    name: Name of the op.
  """
  return gen.decode_proto_v2(
    bytes,
    message_type=message_type,
    field_names=field_names,
    output_types=output_types,
    descriptor_source=descriptor_source,
    message_format=message_format,
    sanitize=sanitize,
    name=name,
  )


def encode_proto(sizes, values, field_names, message_type, descriptor_source="local://", name=None):
  """Returns messages, serialized, of fields: undoes `decode_proto`."""
  return gen.encode_proto(
    sizes,
    values,
    field_names=field_names,
    message_type=message_type,
    descriptor_source=descriptor_source,
    name=name,
  )
