"""What a random program is: a list of statements, each of which adds nodes to a graph or runs it.

A statement is its text with gaps, and what stands in the gaps: operands, which are values of earlier statements or literals, and
handles of variables, queues and their like. So it can be printed (source.py), and a statement that goes away leaves literals
behind where its values were used (shrink.py).
"""

import dataclasses

PS, W0, W1 = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"
TASKS = (PS, W0, W1)
MASTERS = (W0, W1, PS)  # of sessions 0, 1 and 2

FLOATS = ("float32", "float64", "half", "bfloat16")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
NUMBERS = FLOATS + COMPLEX + SIGNED + UNSIGNED


def elements(shape):
  count = 1
  for size in shape:
    count *= size
  return count


@dataclasses.dataclass(frozen=True)
class Literal:
  """A constant: `start`, `start + step`, and so on; or `data`, text that NumPy can take."""

  dtype: str
  shape: tuple
  start: float = 0
  step: float = 0
  data: str = ""

  def array(self):
    """Text of the constant as NumPy's array, or as something that tf.constant makes one of."""
    count = elements(self.shape)
    if self.data:
      return self.data
    if self.dtype == "string":
      words = [f"s{int(self.start + i * self.step)}" for i in range(count)]
      return repr(words[0]) if self.shape == () else f"np.reshape({words}, {list(self.shape)})"
    if self.dtype == "bool":
      if self.shape == ():
        return str(int(self.start) % 2 == 0)
      return f"np.reshape(np.arange({count}) % 2 == {int(self.start) % 2}, {list(self.shape)})"
    start, step = (self.start, self.step) if self.dtype in FLOATS + COMPLEX else (int(self.start), int(self.step))
    if self.shape == ():
      return repr(start)
    if count <= 4:
      return repr(_nested([start + i * step for i in range(count)], self.shape))
    if not step:
      return f"np.full({list(self.shape)}, {start})"
    return f"np.reshape({start} + {step} * np.arange({count}), {list(self.shape)})"

  def text(self):
    return f"tf.constant({self.array()}, tf.{self.dtype})"


def _nested(flat, shape):
  if len(shape) <= 1:
    return flat
  size = elements(shape[1:])
  return [_nested(flat[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]


@dataclasses.dataclass(frozen=True)
class Value:
  """A tensor of the program. `shape` is None where runs differ.

  `views` are the variables whose cells it may be a view of, on the task where it is; `moved` those of which it would be one if
  all tasks were one. `segment` is the chain that it lies on, if any.
  """

  name: str
  dtype: str
  shape: tuple | None
  task: str
  views: frozenset = frozenset()
  moved: frozenset = frozenset()
  segment: str | None = None
  is_ref: bool = False


@dataclasses.dataclass(frozen=True)
class Handle:
  """A variable, queue, table ... `is_ref`, `is_loose`: of variables, the kind and whether assignments change the shape."""

  name: str
  kind: str
  dtype: str = ""
  shape: tuple | None = ()
  task: str = PS
  is_ref: bool = False
  is_loose: bool = False
  more: tuple = ()  # of its kind


def variable_value(handle):
  """A variable as an operand."""
  shape = None if handle.is_loose else handle.shape
  return Value(handle.name, handle.dtype, shape, handle.task, frozenset([handle.name]) if handle.is_ref else frozenset())


@dataclasses.dataclass
class Statement:
  """`lines` are templates: {0} an operand, {h0} a handle, {o0} a value made, {n} the statement's number; a number instead of a
  line is the block of this number, indented as the line before, and two more."""

  kind: str
  lines: list
  operands: list = dataclasses.field(default_factory=list)
  handles: list = dataclasses.field(default_factory=list)
  outs: list = dataclasses.field(default_factory=list)
  makes: list = dataclasses.field(default_factory=list)  # handles
  tail: str = ""  # template of what the chain goes on from; default {o0}
  task: str = PS
  segment: str | None = None  # the chain that it lies on; None: it is ordered by its operands alone
  changes: tuple = ()  # names of the variables that it updates
  blocks: list = dataclasses.field(default_factory=list)
  number: int = 0
  keeps: tuple = ()  # operands that are stored, which must be nobody's buffer
  apart: tuple = ()  # operands that must not be views of what it changes


@dataclasses.dataclass
class Block:
  """Statements of a branch, a body or a function, and the operand that it gives. `turn` is a loop's counter, which it gives too."""

  statements: list
  result: Value | Literal
  turn: str = ""


@dataclasses.dataclass
class Run:
  """A call of a session: `segments` run to their ends, as far as the graph has them."""

  fetches: list  # names of values and of reference variables
  segment: str | None
  feeds: list  # pairs of a name and a Literal
  session: int = 0
  how: str = "run"
  kind: str = "run"


@dataclasses.dataclass
class Program:
  seed: int
  items: list  # statements and runs
  functions: bool = False  # control flow of the second generation
  rewriting: str = "default"
  placement_matters: bool = False

  def statements(self):
    return [s for s in self.items if isinstance(s, Statement)]


def walk(statements):
  """All statements, with those of blocks."""
  for s in statements:
    if isinstance(s, Statement):
      yield s
      for block in s.blocks:
        yield from walk(block.statements)


def size(program):
  return sum(1 for _ in walk(program.items))
