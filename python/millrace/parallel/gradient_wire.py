"""Gradients that go to the devices of their variables in fewer bytes than their own.

    wire = parallel.GradientWire("top_k", fraction=0.01)
    optimizer = parallel.WiredOptimizer(tf.train.GradientDescentOptimizer(0.1), wire)
    train_op = optimizer.minimize(loss, global_step=step)

Of synchronous replicas the SyncReplicasOptimizer is what is wired, as its averages are made beside the variables:

    sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=3)
    optimizer = parallel.WiredOptimizer(sync, wire)
    hooks = [optimizer.make_session_run_hook(is_chief)]

Of "top_k" of 1 % networks of dense layers learn Fashion-MNIST as well as of whole gradients by gradient descent and with a momentum
of 0.5. An optimizer that goes on for long with what arrived once, with a momentum of 0.9 as Adam has, loses some 2 % of accuracy.

The bytes that a task has sent and received are in `millrace status`.
"""

import math

from millrace.parallel.tensorflow_in_use import OverTensorflow, tf
from millrace.train.optimizers.slots_of_another import SlotsOfAnother

_FORMS = ("float", "bfloat16", "top_k")
_AVERAGES = ("AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient", "SparseAccumulatorTakeGradient")


class GradientWire:
  """The form in which gradients go to their variables.

  "float": as they are.

  "bfloat16": half of the bytes of a float, a quarter of a double's, rounded to a significand of 8 bits. Of `IndexedSlices` the
  values are, and the indices stay. Types of 16 bits and what is no real floating-point number go as they are.

  "top_k": of n elements the max(1, ceil(fraction * n)) of largest magnitude, with their places, which is twice `fraction` of a
  float's bytes. What is not sent stays in a residual and is added to the next gradient, so that it is sent later. Gradients of
  at most `whole_up_to` elements, as those of biases, go as they are, and so do those of which half or more would be sent, both
  where the size is known before a step, and `IndexedSlices`: they are few rows already, and a residual would be as large as the
  table.

  `fraction` is above 0 and at most 1, `whole_up_to` at least 0; else this raises ValueError.
  """

  def __init__(self, form="float", fraction=0.01, whole_up_to=256):
    if form not in _FORMS:
      raise ValueError("GradientWire: the form is %r; it is one of %s" % (form, ", ".join(map(repr, _FORMS))))
    if not 0 < fraction <= 1:  # so is NaN
      raise ValueError("GradientWire: fraction is %r; it is above 0 and at most 1" % (fraction,))
    if whole_up_to < 0 or whole_up_to != int(whole_up_to):
      raise ValueError("GradientWire: whole_up_to is %r; it is a number of elements, 0 or more" % (whole_up_to,))
    self.form = form
    self.fraction = float(fraction)
    self.whole_up_to = int(whole_up_to)

  def __repr__(self):
    return "GradientWire(%r, fraction=%r, whole_up_to=%r)" % (self.form, self.fraction, self.whole_up_to)

  def number_sent(self, size):
    """How many of a dense gradient's `size` elements "top_k" sends; all of them where it goes as it is."""
    if size <= self.whole_up_to:
      return size
    number = min(size, max(1, math.ceil(self.fraction * size)))
    return size if 2 * number >= size else number


def on_the_wire(grads_and_vars, wire):
  """The same pairs with gradients as they arrive at their variables' devices.

  They are cast or chosen on the device of the op that computes them and restored beside the variable, where a dense gradient is
  dense again, of its type and shape, so that every optimizer takes it. `wire` is a GradientWire; None and "float" change nothing.
  A gradient that is NaN somewhere arrives as one: for "top_k" NaN is larger than any number, and infinity than all finite ones. A
  residual keeps finite elements only, so that one bad step, even with a gradient that is NaN throughout, spoils no gradient of a
  later one: what is NaN or infinite and was not sent is forgotten.

  A residual of "top_k" is a resource variable VARIABLE/gradient_residual, one for each gradient of each call, on the device of
  the op that computes the gradient: a replica has its own. It is in `tf.GraphKeys.LOCAL_VARIABLES`, so it is in no checkpoint,
  and begins with zeros: programs without a MonitoredSession run `tf.local_variables_initializer()`. Where only steps know the
  size of a gradient, it begins anew with zeros when that is another than in the step before. Of steps that run at the
  same time one may overwrite what the other left. A gradient that is dropped on its way takes what it has with it.
  """
  wire = _checked(wire)
  pairs = list(grads_and_vars)
  if wire.form == "float":
    return pairs
  with tf().name_scope("gradient_wire"):
    return [(None if gradient is None else _sent(gradient, variable, wire), variable) for gradient, variable in pairs]


class WiredOptimizer(SlotsOfAnother, OverTensorflow):
  """A `tf.train.Optimizer` whose `apply_gradients` sends gradients by a GradientWire and then is that of `opt`.

  All else is that of `opt`, its slots and what else it has, such as `make_session_run_hook`. `opt` may be a
  `tf.train.SyncReplicasOptimizer`; the other order is a ValueError, as the averages are beside their variables already.
  """

  tensorflow_base = "train.Optimizer"

  def __init__(self, opt, wire, name=None):
    if not isinstance(opt, tf().train.Optimizer):
      raise TypeError("WiredOptimizer: opt is %r; it is a tf.train.Optimizer" % (opt,))
    super().__init__(use_locking=False, name=name or "Wired" + opt.get_name())
    self._opt = opt
    self._wire = _checked(wire)

  def __getattr__(self, name):
    if name.startswith("_"):
      raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
    return getattr(self._opt, name)

  def compute_gradients(self, *args, **kwargs):
    """Those of the wrapped optimizer."""
    return self._opt.compute_gradients(*args, **kwargs)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """The op of `opt` that applies what arrives of the gradients. Raises ValueError for averages of replicas."""
    pairs = list(grads_and_vars)
    for gradient, variable in pairs:
      if _is_average(gradient):
        raise ValueError(
          "WiredOptimizer: the gradient of %s is an average, which is beside its variable already; in place of "
          "SyncReplicasOptimizer(WiredOptimizer(opt, wire), ...) write WiredOptimizer(SyncReplicasOptimizer(opt, ...), wire)"
          % variable.name
        )
    return self._opt.apply_gradients(on_the_wire(pairs, self._wire), global_step=global_step, name=name)


def _checked(wire):
  if wire is None:
    return GradientWire()
  if not isinstance(wire, GradientWire):
    raise TypeError('wire is %r; it is a parallel.GradientWire, such as GradientWire("bfloat16"), or None' % (wire,))
  return wire


def _is_average(gradient):
  values = getattr(gradient, "values", gradient)
  return getattr(getattr(values, "op", None), "type", None) in _AVERAGES


def _sent(gradient, variable, wire):
  """One gradient as it arrives beside its variable."""
  is_rows = isinstance(gradient, tf().IndexedSlices)
  if not is_rows:
    gradient = tf().convert_to_tensor(gradient)
  values = gradient.values if is_rows else gradient
  dtype = values.dtype.base_dtype
  with tf().name_scope(variable.op.name):
    if wire.form == "bfloat16":
      if dtype not in (tf().float32, tf().float64):
        return gradient
      arrived = _rounded_on_the_way(values, variable)
      return tf().IndexedSlices(arrived, gradient.indices, gradient.dense_shape) if is_rows else arrived
    if is_rows or not dtype.is_floating:
      return gradient
    shape = variable.shape if variable.shape.is_fully_defined() else gradient.shape
    size = shape.num_elements()
    if size is not None and wire.number_sent(size) == size:
      return gradient
    if size is not None and size > 2**31 - 1:
      raise ValueError("GradientWire: %s has %d elements; the places of top_k count up to 2**31 - 1" % (variable.name, size))
    return _largest(gradient, variable, wire, size)


def _beside(op):
  """A context whose ops are on the device of `op`, whatever holds outside."""
  return tf().get_default_graph().colocate_with(op, ignore_existing=True)


def _rounded_on_the_way(values, variable):
  with _beside(values.op):
    short = tf().cast(values, tf().bfloat16)
  with _beside(variable.op):
    return tf().cast(short, values.dtype.base_dtype)


def _largest(gradient, variable, wire, size):
  """The dense gradient beside the variable of the largest elements of `gradient` and its residual."""
  dtype = gradient.dtype.base_dtype
  # Small parts of small numbers add up, which 16 bits could not hold.
  kept_as = tf().float64 if dtype == tf().float64 else tf().float32
  with _beside(gradient.op):
    flat = tf().cast(tf().reshape(gradient, [-1]), kept_as)
    residual = _new_residual(variable, size, kept_as)
    # Read after the gradient is there: in a loop that is each time anew.
    with tf().control_dependencies([gradient]):
      kept = residual.read_value()
    total = flat + (kept if size is not None else _of_size(kept, tf().size(flat)))
    count = wire.number_sent(size) if size is not None else _number_sent(tf().size(flat), wire.fraction)
    places = tf().nn.top_k(_magnitude(total), count, sorted=False)[1]
    chosen = tf().gather(total, places)
    rows = tf().expand_dims(places, 1)
    with tf().control_dependencies([chosen]):  # then the sum is changed in place
      rest = tf().tensor_scatter_nd_update(total, rows, tf().zeros_like(chosen))
    numbers = tf().where_v2(tf().math.is_finite(rest), rest, tf().constant(0, kept_as))
    with tf().control_dependencies([residual.assign(numbers, read_value=False)]):
      sent = tf().cast(chosen, dtype) if dtype != kept_as else tf().identity(chosen)
    flat_shape = [size] if size is not None else tf().shape(flat)
    shape = _known_dims(gradient, variable) if size is not None else tf().shape(gradient)
  with _beside(variable.op):
    arrived = tf().reshape(tf().scatter_nd(rows, sent, flat_shape), shape)
  arrived.set_shape(gradient.shape)
  return arrived


def _known_dims(gradient, variable):
  return (variable.shape if variable.shape.is_fully_defined() else gradient.shape).as_list()


def _new_residual(variable, size, dtype):
  """Zeros, outside of the loops and conditionals that are being built. Without a known size none: see _of_size."""
  with tf().init_scope(), tf().name_scope(""):
    return tf().Variable(
      lambda: tf().zeros([size or 0], dtype),
      trainable=False,
      collections=[tf().GraphKeys.LOCAL_VARIABLES],
      validate_shape=size is not None,
      name=variable.op.name + "/gradient_residual",
      dtype=dtype,
      use_resource=True,
      shape=tf().TensorShape(None) if size is None else None,
    )


def _of_size(residual, size):
  """The residual, or zeros if it has another size."""
  zeros = tf().where_v2(tf().equal(tf().size(residual), size), 0, size)
  return tf().concat([residual[: size - zeros], tf().zeros([zeros], residual.dtype)], 0)


def _magnitude(values):
  """Integers in the order of magnitudes: the bits without the sign, of which NaN has the largest."""
  kind = tf().int64 if values.dtype.base_dtype == tf().float64 else tf().int32
  return tf().bitwise.bitwise_and(tf().bitcast(values, kind), tf().constant(kind.max, kind))


def _number_sent(size, fraction):
  """The same as GradientWire.number_sent, of a size that steps know."""
  part = tf().ceil(tf().cast(size, tf().float64) * tf().constant(fraction, tf().float64))
  return tf().minimum(tf().maximum(tf().cast(part, tf().int32), 1), size)
