"""Types, shapes, devices, constants: what the framework itself says and builds."""

import numpy as np


def program_dtypes(tf):
  names = (
    "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool string".split()
  )
  found = []
  for name in names:
    dtype = getattr(tf, name)
    found.append(
      [
        dtype.name,
        repr(dtype),
        str(dtype),
        dtype.size,
        dtype.as_datatype_enum,
        dtype.is_integer,
        dtype.is_floating,
        dtype.is_complex,
        dtype.is_unsigned,
        dtype.is_bool,
        dtype.is_quantized,
        dtype.is_numpy_compatible,
        str(dtype.real_dtype),
        str(dtype.base_dtype),
        str(np.dtype(dtype.as_numpy_dtype)),
      ]
    )
    for member in ("min", "max", "limits"):
      try:
        found.append(getattr(dtype, member))
      except (TypeError, ValueError) as error:
        found.append(error)
  return found


def program_constants(tf):
  tf.constant(3)
  tf.constant([1.5, 2], name="pair")
  tf.constant([[1, 2], [3, 4]], dtype=tf.float64)
  tf.constant(7, shape=[2, 2])
  tf.constant(["a", b"b"])
  tf.constant([1, 2], shape=[3])
  tf.constant(1.0, dtype=tf.float32, shape=(1, 2), name="q/r", verify_shape=False)
  return [tf.constant(np.arange(3)).dtype.name, tf.constant(2**40).dtype.name, str(tf.constant([True]).shape)]


def program_constant_errors(tf):
  found = []
  for arguments in [
    dict(value=1.5, dtype=tf.int32),
    dict(value=[1, "a"]),
    dict(value=[[1, 2], [3]]),
    dict(value=None),
    dict(value=[1, 2, 3], shape=[2]),
    dict(value=[1, 2], shape=[2, 1], verify_shape=True),
    dict(value="a", dtype=tf.int32),
    dict(value={"a": 1}),
  ]:
    try:
      tf.constant(**arguments)
      found.append("none")
    except (TypeError, ValueError) as error:
      found.append(error)
  return found


def program_as_dtype(tf):
  found = []
  for value in [
    "float32",
    "half",
    "double",
    "float32_ref",
    1,
    101,
    float,
    bool,
    object,
    np.int8,
    np.dtype("S3"),
    np.dtype("<U3"),
    tf.int32,
  ]:
    found.append((tf.as_dtype(value).name, tf.dtypes.as_dtype(type_value=value).as_datatype_enum))
  for value in ["foo", None, 1000, int, str, bytes, complex, np.datetime64, []]:
    try:
      found.append(repr(tf.as_dtype(value)))
    except TypeError as error:
      found.append(error)
  return found + [
    tf.DType(1) is tf.float32 or tf.DType(1) == tf.float32,
    tf.float32 == np.float32,
    tf.float32 == "float32",
    tf.float32 == None,  # noqa: E711
    tf.float32 != tf.int32,
    hash(tf.float32),
    tf.float32.is_compatible_with(tf.as_dtype("float32_ref")),
    tf.as_dtype("float32_ref").is_compatible_with(tf.float32),
    sorted(dtype.name for dtype in tf.QUANTIZED_DTYPES),
    len(tf.dtypes.QUANTIZED_DTYPES),
    int(tf.float32),
    tf.dimension_value(tf.Dimension(3)),
    tf.dimension_at_index(tf.TensorShape([4, 5]), 1).value,
    tf.get_logger().name,
  ]
