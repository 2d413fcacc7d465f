"""Lists of tensors, also such as go from task to task, and stacks of the first generation."""

from branching import begin
from generate import BRANCH, CHAIN, FREE, FUNCTION, statement
from program import TASKS
from storing import computed, kept_type, place


def _shape(shape):
  return str(list(shape) or "tf.constant([], tf.int32)")


def _read(g, dtype, shape):
  """What is read of a list of two elements."""
  common = f"element_shape={_shape(shape)}, element_dtype=tf.{dtype}"
  choices = [
    (f"tf.raw_ops.TensorListStack(input_handle=list{{n}}, {common})", dtype, (2,) + shape),
    (f"tf.raw_ops.TensorListGetItem(input_handle=list{{n}}, index=1, {common})", dtype, shape),
    (f"tf.raw_ops.TensorListGather(input_handle=list{{n}}, indices=[1, 0, 1], {common})", dtype, (3,) + shape),
    (f"tf.raw_ops.TensorListPopBack(input_handle=list{{n}}, {common}).tensor", dtype, shape),
    ("tf.raw_ops.TensorListLength(input_handle=list{n})", "int32", ()),
  ]
  if shape:
    rest = f"element_shape={[-1] + list(shape[1:])}, leading_dims=tf.constant([], tf.int64), element_dtype=tf.{dtype}"
    choices.append((f"tf.raw_ops.TensorListConcatV2(input_handle=list{{n}}, {rest})[0]", dtype, (2 * shape[0],) + shape[1:]))
  return g.choose(choices)


def _made(g, dtype, shape):
  """Lines that make a list of one or two elements, and the number."""
  common = f"element_shape={_shape(shape)}"
  empty = f"list{{n}} = tf.raw_ops.EmptyTensorList({common}, max_num_elements=5, element_dtype=tf.{dtype})"
  push = "list{n} = tf.raw_ops.TensorListPushBack(input_handle=list{n}, tensor={0})"
  return g.choose(
    [
      ([empty, push], 1),
      ([f"list{{n}} = tf.raw_ops.TensorListFromTensor(tensor=tf.stack([{{0}}, {{1}}]), {common})"], 2),
      ([f"list{{n}} = tf.raw_ops.TensorListFromTensor(tensor=tf.stack([{{1}}]), {common})"], 1),
      (
        [
          f"list{{n}} = tf.raw_ops.TensorListReserve({common}, num_elements=2, element_dtype=tf.{dtype})",
          "list{n} = tf.raw_ops.TensorListSetItem(input_handle=list{n}, index=0, item={1})",
          "list{n} = tf.raw_ops.TensorListSetItem(input_handle=list{n}, index=1, item={0})",
        ],
        2,
      ),
    ]
  )


@statement(2, CHAIN, FREE, BRANCH, FUNCTION)
def list_of_tensors(g, scope):
  """A list that is made, lengthened and read; outside of functions each on a task of its own."""
  dtype, shape = kept_type(g, scope)
  x, y = computed(g, scope, dtype, shape), computed(g, scope, dtype, shape)
  lines, count = _made(g, dtype, shape)
  task = scope.task or place(g)
  moves = scope.place != FUNCTION and g.chance(0.7)
  here, there = (f'with tf.device("{g.choose(TASKS)}"):' if moves else "if True:" for _ in range(2))
  if count == 1:
    lines += [here, "  list{n} = tf.raw_ops.TensorListPushBack(input_handle=list{n}, tensor={1})"]
  elif g.chance(0.5):
    lines += [here, "  list{n} = tf.raw_ops.TensorListSetItem(input_handle=list{n}, index=0, item={1})"]
  text, made_dtype, made = _read(g, dtype, shape)
  if moves:
    # What gives the list's element is on the statement's own task.
    lines += [there, "  list{n} = tf.identity(list{n})"]
  g.add(scope, "list", lines + ["{o0} = " + text], [x, y], outs=[(made_dtype, made, {})], task=task, keeps=(0, 1))
  return True


@statement(1, CHAIN)
def list_in_loop(g, scope):
  """A loop that lengthens a list on other tasks than its own."""
  if g.functions:
    return False  # stock does not place what is inside of functions on other tasks
  dtype, shape = kept_type(g, scope)
  x, y = (g.pick(scope, dtype, shape, computed=True, want=lambda v: not g.is_variable(v)) for _ in range(2))
  task, other, turns = place(g), g.choose(TASKS), g.choose([1, 2, 3])
  begin(g, scope, task)
  lines = [
    f"list{{n}} = tf.raw_ops.EmptyTensorList(element_shape={_shape(shape)}, max_num_elements=9, element_dtype=tf.{dtype})",
    "list{n} = tf.raw_ops.TensorListPushBack(input_handle=list{n}, tensor={0})",
    "def body{n}(i, some):",
    f'  with tf.device("{other}"):',
    "    return i + 1, tf.raw_ops.TensorListPushBack(input_handle=some, tensor={1})",
    f"list{{n}} = tf1.while_loop(lambda i, _: i < {turns}, body{{n}}, [tf.constant(0), list{{n}}])[1]",
    f"{{o0}} = tf.raw_ops.TensorListStack(input_handle=list{{n}}, element_shape={_shape(shape)}, element_dtype=tf.{dtype})",
  ]
  g.add(scope, "list", lines, [x, y], outs=[(dtype, (turns + 1,) + shape, {})], task=task, keeps=(0, 1))
  return True


@statement(0.5, CHAIN)
def old_stack(g, scope):
  """A stack whose handle is a reference."""
  dtype, shape = kept_type(g, scope)
  x, y = computed(g, scope, dtype, shape), computed(g, scope, dtype, shape)
  lines = [
    f"stack{{n}} = tf.raw_ops.Stack(elem_type=tf.{dtype}, stack_name='stack{{n}}')",
    "first{n} = tf.raw_ops.StackPush(handle=stack{n}, elem={0})",
    "with tf.control_dependencies([first{n}]):",
    "  second{n} = tf.raw_ops.StackPush(handle=stack{n}, elem={1})",
    "with tf.control_dependencies([second{n}]):",
    f"  {{o0}} = tf.raw_ops.StackPop(handle=stack{{n}}, elem_type=tf.{dtype})",
    f"{{o0}}.set_shape({list(shape)})",
  ]
  g.add(scope, "stack", lines, [x, y], outs=[(dtype, shape, {})], task=place(g), keeps=(0, 1))
  return True
