"""What keeps values between ops or steps: queues, staging areas, stacks, lists, arrays, tables, accumulators.

Takes never wait: each stands behind its puts in the chain, in the same statement where the elements do not outlive it.
"""

import program as p
from computing import numbers
from generate import CHAIN, BRANCH, FUNCTION, statement
from program import PS, W0, W1, Handle, Literal

KEPT = ("float32", "int32", "int64", "float64", "half", "complex64")


def new(g, kind, text, task, dtype="", shape=(), more=()):
  """A statement without a place in a chain that makes a handle."""
  n = g.number()
  name = f"q{n}"
  s = p.Statement(
    kind, [line.replace("NAME", name) for line in ([text] if isinstance(text, str) else text)], task=task, tail=name, number=n
  )
  handle = Handle(name, kind, dtype, shape, task, more=more)
  s.makes = [handle]
  g.handles.append(handle)
  g.by_name[name] = handle
  g.items.append(s)
  return handle


def computed(g, scope, dtype, shape):
  """An operand that is nobody's buffer."""
  return g.pick(scope, dtype, shape, computed=True)


def kept_type(g, scope):
  x = numbers(g, scope, KEPT, computed=True)
  return (x.dtype, x.shape) if x.shape is not None else ("float32", (3,))


def place(g):
  return g.choose([PS, PS, W0, W1])


QUEUES = [
  ("fifo", "tf.queue.FIFOQueue(100, [tf.{dtype}], [{shape}])"),
  ("padding", "tf.queue.PaddingFIFOQueue(100, [tf.{dtype}], [{shape}])"),
  ("shuffle", "tf.queue.RandomShuffleQueue(100, 0, [tf.{dtype}], [{shape}], seed=7)"),
  ("priority", "tf.queue.PriorityQueue(100, [tf.{dtype}], [{shape}])"),
]


@statement(5, CHAIN)
def queue(g, scope):
  """Puts, then takes as many or fewer."""
  fit = g.of_kind("queue")
  if not fit or g.chance(0.3):
    dtype, shape = kept_type(g, scope)
    name, text = g.choose(QUEUES)
    q = new(g, "queue", "NAME = " + text.format(dtype=dtype, shape=list(shape)), place(g), dtype, shape, (name,))
  else:
    q = g.choose(fit)
  g.blocking.add(scope.segment)
  several = g.chance(0.4)
  count = g.choose([1, 2, 3])
  if several:
    x = computed(g, scope, q.dtype, (count,) + q.shape)
    keys = f"tf.constant({[g.rng.randrange(9) for _ in range(count)]}, tf.int64), " if q.more == ("priority",) else ""
    put = f"put{{n}} = {{h0}}.enqueue_many([{keys}{{0}}])" if keys else "put{n} = {h0}.enqueue_many([{0}])"
  else:
    x, count = computed(g, scope, q.dtype, q.shape), 1
    keys = f"tf.constant({g.rng.randrange(9)}, tf.int64), " if q.more == ("priority",) else ""
    put = f"put{{n}} = {{h0}}.enqueue([{keys}{{0}}])"
  takes = g.rng.randrange(count + 1)
  last = "[1]" if q.more == ("priority",) else ""
  lines, dtype, shape = [put, "with tf.control_dependencies([put{n}]):"], q.dtype, q.shape
  if takes and g.chance(0.5):
    lines.append(f"  {{o0}} = {{h0}}.{g.choose(['dequeue_many', 'dequeue_up_to'])}({takes}){last}")
    shape = (takes,) + q.shape
  elif takes:
    lines.append(f"  {{o0}} = {{h0}}.dequeue(){last}")
  else:
    lines.append("  {o0} = {h0}.size()")
    dtype, shape = "int32", ()
  g.add(scope, "queue", lines, [x], [q], outs=[(dtype, shape, {})], task=q.task, keeps=(0,))
  return True


@statement(2, CHAIN)
def staging_area(g, scope):
  dtype, shape = kept_type(g, scope)
  task = place(g)
  keyed = g.chance(0.4)
  name = "MapStagingArea" if keyed else "StagingArea"
  q = new(g, "staging area", f"NAME = data_flow_ops.{name}([tf.{dtype}], shapes=[{list(shape)}])", task, dtype, shape)
  g.blocking.add(scope.segment)
  x = computed(g, scope, dtype, shape)
  if keyed:
    lines = [
      "put{n} = {h0}.put(tf.constant(5, tf.int64), [{0}], [0])",
      "with tf.control_dependencies([put{n}]):",
      "  {o0} = tf.nest.flatten({h0}.get(tf.constant(5, tf.int64)))[-1]",
    ]
  else:
    lines = ["put{n} = {h0}.put([{0}])", "with tf.control_dependencies([put{n}]):", "  {o0} = tf.nest.flatten({h0}.get())[-1]"]
  g.add(scope, "staging area", lines, [x], [q], outs=[(dtype, shape, {})], task=task, keeps=(0,))
  return True


@statement(2, CHAIN, BRANCH)
def stack(g, scope):
  dtype, shape = kept_type(g, scope)
  x, y = computed(g, scope, dtype, shape), computed(g, scope, dtype, shape)
  lines = [
    f"stack{{n}} = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.{dtype})",
    "first{n} = tf.raw_ops.StackPushV2(handle=stack{n}, elem={0})",
    "with tf.control_dependencies([first{n}]):",
    "  second{n} = tf.raw_ops.StackPushV2(handle=stack{n}, elem={1})",
    "with tf.control_dependencies([second{n}]):",
    f"  {{o0}} = tf.raw_ops.StackPopV2(handle=stack{{n}}, elem_type=tf.{dtype})",
  ]
  g.add(scope, "stack", lines, [x, y], outs=[(dtype, None, {})], task=place(g), keeps=(0, 1))
  return True


@statement(3, CHAIN, BRANCH, FUNCTION)
def array(g, scope):
  """A TensorArray, which is a list where control flow is of the second generation. The client puts it where the first element was
  made; of a resource variable of another task that cannot be.
  """
  dtype, shape = kept_type(g, scope)
  x, y = (g.pick(scope, dtype, shape, computed=True, want=lambda v: not g.is_variable(v)) for _ in range(2))
  task = scope.task or place(g)
  text, made = g.choose(
    [("array{n}.stack()", (2,) + shape), ("array{n}.read(1)", shape), ("array{n}.gather([1, 0, 1])", (3,) + shape)]
    + ([("array{n}.concat()", (2 * shape[0],) + shape[1:])] if shape else [])
  )
  # An array gives an element once, if it is not told otherwise.
  again = ", clear_after_read=False" if "read" in text or "gather" in text else ""
  lines = [f"array{{n}} = tf.TensorArray(tf.{dtype}, 2, element_shape={list(shape)}{again}).write(0, {{0}}).write(1, {{1}})"]
  g.add(scope, "array", lines + ["{o0} = " + text], [x, y], outs=[(dtype, made, {})], task=task, keeps=(0, 1))
  return True


@statement(2, CHAIN, BRANCH, FUNCTION)
def tensor_list(g, scope):
  dtype, shape = kept_type(g, scope)
  x, y = computed(g, scope, dtype, shape), computed(g, scope, dtype, shape)
  common = f"element_dtype=tf.{dtype}"
  lines = [
    f"list{{n}} = tf.raw_ops.EmptyTensorList(element_shape={list(shape) or 'tf.constant([], tf.int32)'}, max_num_elements=5, {common})",
    "list{n} = tf.raw_ops.TensorListPushBack(input_handle=list{n}, tensor={0})",
    "list{n} = tf.raw_ops.TensorListPushBack(input_handle=list{n}, tensor={1})",
  ]
  if g.chance(0.5):
    lines.append(
      f"{{o0}} = tf.raw_ops.TensorListPopBack(input_handle=list{{n}}, element_shape={list(shape) or 'tf.constant([], tf.int32)'}, {common}).tensor"
    )
    made = shape
  else:
    lines.append(
      f"{{o0}} = tf.raw_ops.TensorListStack(input_handle=list{{n}}, element_shape={list(shape) or 'tf.constant([], tf.int32)'}, {common})"
    )
    made = (2,) + shape
  g.add(scope, "list", lines, [x, y], outs=[(dtype, made, {})], task=scope.task or place(g), keeps=(0, 1))
  return True


@statement(3, CHAIN)
def table(g, scope):
  fit = g.of_kind("table")
  if not fit or g.chance(0.3):
    keys, values = g.choose(
      [("int64", "float32"), ("string", "int64"), ("int64", "int64"), ("string", "float32"), ("int64", "string")]
    )
    name = g.choose(["MutableHashTable"] * 2 + ["DenseHashTable"])
    default = Literal(values, (), -1 if values != "string" else 0).text()
    dense = ""
    if name == "DenseHashTable":
      keys, values = "int64", g.choose(["float32", "int64"])
      default, dense = (
        Literal(values, (), -1).text(),
        ", empty_key=tf.constant(-7, tf.int64), deleted_key=tf.constant(-8, tf.int64)",
      )
    q = new(
      g, "table", f"NAME = tf.lookup.experimental.{name}(tf.{keys}, tf.{values}, {default}{dense})", place(g), values, (), (keys,)
    )
  else:
    q = g.choose(fit)
  keys = q.more[0]
  some = Literal(keys, (3,), g.rng.randrange(5), 1)
  x = computed(g, scope, q.dtype, (3,))
  lines = ["put{n} = {h0}.insert({0}, {1})", "with tf.control_dependencies([put{n}]):"]
  other = Literal(keys, (4,), g.rng.randrange(5), 1)
  text, dtype, shape = g.choose([("{h0}.lookup({2})", q.dtype, (4,))] * 3 + [("{h0}.size()", "int64", ())])
  if g.chance(0.2):
    lines = ["put{n} = {h0}.remove({0})", "with tf.control_dependencies([put{n}]):"]
  g.add(scope, "table", lines + ["  {o0} = " + text], [some, x, other], [q], outs=[(dtype, shape, {})], task=q.task, keeps=(1,))
  return True


@statement(2, CHAIN)
def accumulator(g, scope):
  shape = g.choose([(3,), (4, 16), (2, 3)])
  dtype = g.choose(["float32", "float32", "float64", "half"])
  sparse = g.chance(0.3)
  name = "SparseConditionalAccumulator" if sparse else "ConditionalAccumulator"
  task = place(g)
  q = new(
    g,
    "accumulator",
    f"NAME = tf1.{name}(tf.{dtype}, {list(shape)}{g.choose(['', ', reduction_type=%r' % 'SUM'])})",
    task,
    dtype,
    shape,
  )
  g.blocking.add(scope.segment)
  if sparse:
    x, y = computed(g, scope, dtype, (2,) + shape[1:]), computed(g, scope, dtype, (2,) + shape[1:])
    put = "{{h0}}.apply_indexed_slices_grad(tf.IndexedSlices({{{0}}}, tf.constant([0, 1], tf.int64)), 10**6)"
    take, made = "{h0}.take_indexed_slices_grad(2).values", (2,) + shape[1:]
  else:
    x, y = computed(g, scope, dtype, shape), computed(g, scope, dtype, shape)
    put, take, made = "{{h0}}.apply_grad({{{0}}}, 10**6)", "{h0}.take_grad(2)", shape
  lines = [
    "put{n} = " + put.format(0),
    "with tf.control_dependencies([put{n}]):",
    "  more{n} = " + put.format(1),
    "with tf.control_dependencies([more{n}]):",
    "  {o0} = " + take,
  ]
  g.add(scope, "accumulator", lines, [x, y], [q], outs=[(dtype, made, {})], task=task, keeps=(0, 1))
  return True


@statement(1, CHAIN)
def barrier(g, scope):
  """Puts a component, and takes all that there is."""
  dtype, shape = kept_type(g, scope)
  q = new(g, "barrier", f"NAME = data_flow_ops.Barrier([tf.{dtype}], shapes=[{list(shape)}])", place(g), dtype, shape)
  g.blocking.add(scope.segment)
  count = g.choose([1, 2, 3])
  x = computed(g, scope, dtype, (count,) + shape)
  keys = [f"k{i}" for i in range(count)]
  lines = [
    f"put{{n}} = {{h0}}.insert_many(0, {keys}, {{0}})",
    "with tf.control_dependencies([put{n}]):",
    f"  {{o0}} = tf.nest.flatten({{h0}}.take_many({count})[2])[0]",
  ]
  g.add(scope, "barrier", lines, [x], [q], outs=[(dtype, (count,) + shape, {})], task=q.task, keeps=(0,))
  return True
