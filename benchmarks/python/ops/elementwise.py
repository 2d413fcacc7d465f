"""Functions of one, two and three elements, of all types."""

from ops.rows import MILLION, bools, complexes, doubles, halves, images, ints, longs, op, uniform

UNARY = """exp log1p sin cos tan atan asin sinh asinh erf lgamma digamma sqrt rsqrt square abs floor round sign reciprocal expm1
sigmoid"""
BINARY = "add subtract multiply divide pow maximum floordiv floormod atan2 squared_difference less equal"
CASTS = "float32.float16 float32.int32 int64.float32 uint8.float32 float32.float64 bool.float32 float32.bfloat16 float16.float32"
OF_TYPE = dict(int32=ints(1000, MILLION), int64=longs(1000, MILLION), double=doubles(MILLION), half=halves(MILLION))
OF_TYPE.update(
  complex=complexes(MILLION), float32=uniform(MILLION), float16=halves(MILLION), uint8=images(MILLION), bool=bools(MILLION)
)


def function(name):
  return lambda tf, *x: getattr(tf.math, name)(*x)


def cast(to):
  return lambda tf, x: tf.cast(x, to)


for name in UNARY.split():
  op("unary/" + name, function(name), uniform(MILLION))
for name in BINARY.split():
  op("binary/" + name, function(name), uniform(MILLION), uniform(MILLION))
for name in ("int32", "int64", "double", "half", "complex"):
  op("add/" + name, lambda tf, x, y: x + y, OF_TYPE[name], OF_TYPE[name])
  op("multiply/" + name, lambda tf, x, y: x * y, OF_TYPE[name], OF_TYPE[name])
for name in ("double", "half", "complex"):
  for kind in ("exp", "log", "tanh", "sin"):
    op(kind + "/" + name, function(kind), OF_TYPE[name])
for name in CASTS.split():
  op("cast/" + name, cast(name.split(".")[1]), OF_TYPE[name.split(".")[0]])
op("binary_int32/floordiv", lambda tf, x, y: x // (y + 1), ints(1000, MILLION), ints(1000, MILLION))
op("binary_int64/mod", lambda tf, x, y: x % (y + 1), longs(1000, MILLION), longs(1000, MILLION))
op("complex/abs", lambda tf, x: tf.abs(x), complexes(MILLION))
op("broadcast/col_row", lambda tf, x, y: x + y, uniform(1000, 1), uniform(1, 1000))
op("broadcast/row", lambda tf, x, y: x * y, uniform(1000, 1000), uniform(1000))
op("broadcast/col", lambda tf, x, y: x * y, uniform(1000, 1000), uniform(1000, 1))
op("broadcast/mid", lambda tf, x, y: x * y, uniform(100, 100, 100), uniform(100, 1, 100))
op("broadcast/4d", lambda tf, x, y: x + y, uniform(32, 28, 28, 64), uniform(32, 1, 1, 64))
op("select/where", lambda tf, p, x, y: tf.where(p, x, y), bools(MILLION), uniform(MILLION), uniform(MILLION))
op("select/indices", lambda tf, p: tf.where(p), bools(MILLION))
op("select/mask", lambda tf, p, x: tf.boolean_mask(x, p), bools(MILLION), uniform(MILLION))
op("select/clip", lambda tf, x: tf.clip_by_value(x, 0.2, 0.8), uniform(MILLION))
op("logical/and", lambda tf, x, y: tf.logical_and(x, y), bools(MILLION), bools(MILLION))
op("bitwise/xor", lambda tf, x, y: tf.bitwise.bitwise_xor(x, y), ints(MILLION, MILLION), ints(MILLION, MILLION))
op("bitwise/shift", lambda tf, x, y: tf.bitwise.left_shift(x, y), ints(MILLION, MILLION), ints(8, MILLION))
