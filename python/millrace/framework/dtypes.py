"""Types of elements: DType, one object a type, and their numpy types.

bfloat16 is ml_dtypes' type where that package is installed; it is imported when it is first asked for. Otherwise, and always for
the quantized types, the numpy type is a structure of one field with the type's name.
"""

import builtins
import importlib

import numpy as np

_REFERENCE = 100  # added to a type's number, this is the reference type

# Number, name, numpy type, size in bytes, kind.
_FACTS = (
  (1, "float32", np.float32, 4, "f"),
  (2, "float64", np.float64, 8, "f"),
  (3, "int32", np.int32, 4, "i"),
  (4, "uint8", np.uint8, 1, "u"),
  (5, "int16", np.int16, 2, "i"),
  (6, "int8", np.int8, 1, "i"),
  (7, "string", np.object_, 0, "s"),
  (8, "complex64", np.complex64, 8, "c"),
  (9, "int64", np.int64, 8, "i"),
  (10, "bool", np.bool_, 1, "b"),
  (11, "qint8", np.dtype([("qint8", np.int8)]), 1, "q"),
  (12, "quint8", np.dtype([("quint8", np.uint8)]), 1, "q"),
  (13, "qint32", np.dtype([("qint32", np.int32)]), 4, "q"),
  (14, "bfloat16", None, 2, "f"),
  (15, "qint16", np.dtype([("qint16", np.int16)]), 2, "q"),
  (16, "quint16", np.dtype([("quint16", np.uint16)]), 2, "q"),
  (17, "uint16", np.uint16, 2, "u"),
  (18, "complex128", np.complex128, 16, "c"),
  (19, "float16", np.float16, 2, "f"),
  (20, "resource", None, 0, "r"),
  (21, "variant", None, 0, "v"),
  (22, "uint32", np.uint32, 4, "u"),
  (23, "uint64", np.uint64, 8, "u"),
)
_BY_NUMBER = {fact[0]: fact for fact in _FACTS}
_LIMITED_FLOATS = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
_PLAIN_BFLOAT16 = np.dtype([("bfloat16", np.uint16)])
_interned = {}


class DType:
  """The type of a tensor's elements. `DType(number)` is the object of that number; there is one for each."""

  __slots__ = ("_base", "_bytes", "_kind", "_name", "_numpy", "_reference", "_type_enum")

  def __new__(cls, type_enum):
    number = int(type_enum)
    found = _interned.get(number)
    if found is not None:
      return found
    base = number - _REFERENCE if number > _REFERENCE else number
    if base not in _BY_NUMBER:
      raise TypeError("%s does not correspond to a valid tensorflow::DataType" % (type_enum,))
    _, name, numpy_type, size, kind = _BY_NUMBER[base]
    made = object.__new__(cls)
    made._type_enum = number
    made._name = name if number == base else name + "_ref"
    made._kind = kind
    made._numpy = numpy_type
    made._bytes = size
    made._base = made if number == base else DType(base)
    made._reference = None
    return _interned.setdefault(number, made)

  def __init__(self, type_enum):
    del type_enum  # __new__ has it

  @property
  def name(self):
    return self._name

  @property
  def as_datatype_enum(self):
    return self._type_enum

  @property
  def as_numpy_dtype(self):
    """The numpy type. Raises KeyError for resource and variant, which have none."""
    if self._numpy is not None:
      return self._numpy
    if self._base._type_enum == 14:
      return _numpy_bfloat16()
    raise KeyError(self._base._type_enum)

  @property
  def base_dtype(self):
    return self._base

  @property
  def real_dtype(self):
    """The type of the real part; of a type that is not complex, the type itself."""
    base = self._base
    if base is complex64:
      return float32
    if base is complex128:
      return float64
    return self

  @property
  def _is_ref_dtype(self):
    return self._type_enum > _REFERENCE

  @property
  def _as_ref(self):
    if self._type_enum > _REFERENCE:
      return self
    if self._reference is None:
      self._reference = DType(self._type_enum + _REFERENCE)
    return self._reference

  @property
  def is_bool(self):
    return self._kind == "b"

  @property
  def is_integer(self):
    return self._kind in "iu"

  @property
  def is_unsigned(self):
    return self._kind == "u"

  @property
  def is_floating(self):
    return self._kind == "f"

  @property
  def is_complex(self):
    return self._kind == "c"

  @property
  def is_quantized(self):
    return self._kind == "q"

  @property
  def is_numpy_compatible(self):
    return self._kind not in "rv"

  @property
  def size(self):
    """Bytes an element; 1 at least as TensorFlow counts, 0 for strings, resources and variants."""
    return self._bytes

  @property
  def min(self):
    """The smallest finite value. Raises TypeError if the type has none."""
    return self._limit("min", "minimum")

  @property
  def max(self):
    """The largest finite value. Raises TypeError if the type has none."""
    return self._limit("max", "maximum")

  def _limit(self, which, word):
    if self.is_quantized:
      raise TypeError("Cannot find %s value of %s with quantized type %s." % (word, self, self._base))
    kind = self._kind
    if kind in "rv":
      raise TypeError("Cannot find %s value of %s." % (word, self))
    name = self._base._name
    if kind in "iu":
      return int(getattr(np.iinfo(self._numpy), which))
    if name in _LIMITED_FLOATS:
      return getattr(np.finfo(_LIMITED_FLOATS[name]), which)
    if name == "bfloat16":
      value = float.fromhex("0x1.FEp127")
      value = -value if which == "min" else value
      numpy_type = _numpy_bfloat16()
      return value if numpy_type is _PLAIN_BFLOAT16 else numpy_type(value)
    raise TypeError("Cannot find %s value of %s with type %s." % (word, self, self._base))

  @property
  def limits(self):
    """The range (low, high) of pixel values of this type: 0 to 1 for floats, 0 to the largest integer."""
    name = self._base._name
    if name == "bool":
      return (0, True)
    if name in ("float32", "float64"):
      return (0, 1)
    if self._kind in "iu":
      return (0, self.max)
    if self._kind in "rv":
      raise KeyError(self._base._type_enum)
    raise ValueError("%s does not have defined limits." % (self,))

  def is_compatible_with(self, other):
    """True if a tensor of type `other` can be used where this type is asked for."""
    other = as_dtype(other)
    return self._type_enum in (other._type_enum, other._base._type_enum)

  def __eq__(self, other):
    if other is None:
      return False
    if not isinstance(other, DType):
      try:
        other = as_dtype(other)
      except TypeError:
        return False
    return self._type_enum == other._type_enum

  def __ne__(self, other):
    return not self.__eq__(other)

  def __hash__(self):
    return self._type_enum

  def __int__(self):
    return self._type_enum

  def __str__(self):
    return "<dtype: %r>" % self._name

  def __repr__(self):
    return "tf." + self._name

  def __reduce__(self):
    return as_dtype, (self._name,)


def _numpy_bfloat16():
  global _bfloat16_type
  if _bfloat16_type is None:
    try:
      _bfloat16_type = importlib.import_module("ml_dtypes").bfloat16
    except ImportError:
      _bfloat16_type = _PLAIN_BFLOAT16
    _from_numpy[np.dtype(_bfloat16_type)] = bfloat16
  return _bfloat16_type


_bfloat16_type = None

float16 = DType(19)
half = float16
float32 = DType(1)
float64 = DType(2)
double = float64
bfloat16 = DType(14)
int8 = DType(6)
int16 = DType(5)
int32 = DType(3)
int64 = DType(9)
uint8 = DType(4)
uint16 = DType(17)
uint32 = DType(22)
uint64 = DType(23)
complex64 = DType(8)
complex128 = DType(18)
bool = DType(10)
string = DType(7)
resource = DType(20)
variant = DType(21)
qint8 = DType(11)
quint8 = DType(12)
qint16 = DType(15)
quint16 = DType(16)
qint32 = DType(13)

float16_ref, float32_ref, float64_ref, bfloat16_ref = float16._as_ref, float32._as_ref, float64._as_ref, bfloat16._as_ref
half_ref, double_ref = float16_ref, float64_ref
int8_ref, int16_ref, int32_ref, int64_ref = int8._as_ref, int16._as_ref, int32._as_ref, int64._as_ref
uint8_ref, uint16_ref, uint32_ref, uint64_ref = uint8._as_ref, uint16._as_ref, uint32._as_ref, uint64._as_ref
complex64_ref, complex128_ref, bool_ref, string_ref = complex64._as_ref, complex128._as_ref, bool._as_ref, string._as_ref
resource_ref, variant_ref = resource._as_ref, variant._as_ref
qint8_ref, quint8_ref, qint16_ref, quint16_ref, qint32_ref = (
  qint8._as_ref,
  quint8._as_ref,
  qint16._as_ref,
  quint16._as_ref,
  qint32._as_ref,
)

QUANTIZED_DTYPES = frozenset([qint8, quint8, qint16, quint16, qint32, qint8_ref, quint8_ref, qint16_ref, quint16_ref, qint32_ref])

_by_name = {dtype.name: dtype for dtype in _interned.values()}
_by_name.update(half=float16, double=float64, float=float32, half_ref=half_ref, double_ref=double_ref, float_ref=float32_ref)
_from_python = {builtins.float: float32, builtins.bool: bool, builtins.object: string}
_from_numpy = {np.dtype(fact[2]): DType(fact[0]) for fact in _FACTS if fact[2] is not None}
_from_numpy[_PLAIN_BFLOAT16] = bfloat16
_any = {}  # whatever as_dtype was asked for and can be looked up: numbers, names, Python's and numpy's types
_any.update(_interned)
_any.update(_by_name)
_any.update(_from_python)
_any.update({fact[2]: DType(fact[0]) for fact in _FACTS if isinstance(fact[2], type)})


def as_dtype(type_value):
  """Returns the DType for a DType, its number or name, a numpy type, or Python's float, bool and object.

  Raises TypeError for what is none of these.
  """
  if isinstance(type_value, DType):
    return type_value
  try:
    return _any[type_value]
  except (KeyError, TypeError):
    pass
  found = _from_numpy_dtype(type_value)
  if found is None:
    raise TypeError("Cannot convert the argument `type_value`: %r to a TensorFlow DType." % (type_value,))
  return found


def _from_numpy_dtype(value):
  if not isinstance(value, np.dtype):
    if isinstance(value, type) and issubclass(value, np.generic) or getattr(value, "__module__", "") == "ml_dtypes":
      pass  # a numpy scalar type
    elif isinstance(getattr(value, "dtype", None), np.dtype):
      value = value.dtype
    elif isinstance(getattr(value, "dtype", None), DType):
      return value.dtype
    else:
      return None
    try:
      value = np.dtype(value)
    except TypeError:
      return None
  found = _from_numpy.get(value)
  if found is not None:
    return found
  if value.kind in "SUO":
    return string
  if value.name == "bfloat16":
    _numpy_bfloat16()
    return bfloat16
  if not value.isnative:
    return _from_numpy.get(value.newbyteorder("="))
  if value.kind in "iu":  # C's long long beside long
    return _from_numpy.get(np.dtype("%s%d" % (value.kind, value.itemsize)))
  return None
