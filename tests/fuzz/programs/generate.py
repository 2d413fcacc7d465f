"""Makes a program from a seed. What its statements may be is in the files that `KINDS` names; the rules are in README.md."""

import dataclasses
import random

import program as p
import rules
from program import PS, TASKS, Handle, Literal, Program, Run, Statement, Value

# Places where a statement can stand.
CHAIN, FREE, PURE, BRANCH, FUNCTION = "chain", "free", "pure", "branch", "function"

SHAPES = [(), (3,), (4,), (16,), (32,), (2, 3), (4, 16), (5, 16), (2, 2, 3), (1, 4)]
SHAPE_WEIGHTS = [3, 3, 2, 3, 2, 3, 6, 4, 1, 1]
DTYPES = (
  ["float32"] * 12
  + ["int32"] * 4
  + ["int64", "float64"] * 2
  + ["half", "bfloat16", "complex64", "complex128", "int8", "int16", "uint8", "uint16", "uint32", "uint64"]
)

_makers = []  # (weight, places, function)


def statement(weight, *places):
  def register(make):
    _makers.append((weight, places, make))
    return make

  return register


@dataclasses.dataclass
class Scope:
  """Where statements are added: to the program, or to a block of one. `task` is the only one where ops can be placed, if any;
  `named`: whether it is inside of a function that is called by its name."""

  place: str
  statements: list
  segment: str | None
  values: list
  task: str | None = None
  depth: int = 0
  named: bool = False


class Generator:
  def __init__(self, seed, kinds="both", traces=True):
    """`traces`: whether programs may have a `tf.function`, which Millrace's own client has not."""
    self.traces = traces
    self.rng = random.Random(seed)
    self.references = dict(both=0.7, reference=1, resource=0)[kinds]
    self.handles = []
    self.by_name = {}
    self.values = []
    self.feedable = []  # placeholders: values
    self.count = 0
    self.segments = []
    self.blocking = set()  # segments that wait if something before is cut off
    self.functions = self.rng.random() < 0.4
    self.rewriting = self.rng.choice(["default"] * 4 + ["off"] * 2 + ["all", "L0"])

  # --- chance -------------------------------------------------------------
  def chance(self, probability):
    return self.rng.random() < probability

  def choose(self, choices):
    return self.rng.choice(list(choices))

  def shape(self):
    return self.rng.choices(SHAPES, SHAPE_WEIGHTS)[0]

  def literal(self, dtype, shape):
    rng = self.rng
    if dtype == "bool":
      return Literal(dtype, shape, rng.randrange(2))
    if dtype in p.UNSIGNED or dtype == "string":
      return Literal(dtype, shape, rng.randrange(6), rng.randrange(3))
    if dtype in p.SIGNED:
      return Literal(dtype, shape, rng.randrange(-4, 6), rng.choice([0, 1, 1, 2]))
    if rng.random() < 0.02 and shape and not dtype.startswith("complex"):
      count = p.elements(shape)
      return Literal(dtype, shape, data=f"np.resize([np.nan, np.inf, -np.inf, 1.0], {list(shape)})" if count else "")
    return Literal(dtype, shape, rng.choice([-2.0, -0.5, 0.5, 1.0, 1.5, 3.0]), rng.choice([0, 0.25, 0.5]))

  def positive(self, dtype, shape):
    """A literal without zeros and negative numbers."""
    step = self.rng.choice([0, 1]) if dtype in p.SIGNED + p.UNSIGNED else self.rng.choice([0, 0.25])
    return Literal(
      dtype, shape, self.rng.choice([1, 2, 3]) if dtype in p.SIGNED + p.UNSIGNED else self.rng.choice([0.5, 1.0, 2.0]), step
    )

  def task_for(self, scope, preferred=None):
    if scope.task:
      return scope.task
    if preferred and self.chance(0.7):
      return preferred
    return self.choose([PS, PS, *TASKS])

  # --- what there is ------------------------------------------------------
  def visible(self, scope):
    """Values that a statement of the scope can take."""
    seen = [v for v in self.values if v.segment in (None, scope.segment)] + scope.values
    if scope.place == PURE:
      seen = [v for v in seen if not v.views and not self.is_variable(v)]
    if scope.task:
      seen = [v for v in seen if not v.is_ref and (v.task == scope.task or not v.views and not self.is_variable(v))]
    if scope.place in (CHAIN, BRANCH, FUNCTION):
      # What reads a shape that changes has a place in the chain itself.
      seen = [v for v in seen if not (self.is_variable(v) and v.shape is None)]
    return seen

  def is_variable(self, value):
    return value.name.startswith("v")

  def pick(self, scope, dtype=None, shape=None, computed=False, avoid=(), literals=0.25, want=None):
    """An operand of a type and shape (any where None): a visible value or a literal. `computed`: surely no view; `avoid`: no
    view of these variables."""
    if not self.chance(literals):
      fit = [
        v
        for v in self.visible(scope)
        if (dtype is None or v.dtype == dtype)
        and (shape is None or v.shape == shape)
        and not (computed and (v.views or v.moved or self.is_variable(v) and self.handle(v.name).is_ref))
        and not (set(avoid) & (v.views | v.moved))
        and v.name not in avoid
        and (want is None or want(v))
      ]
      if fit:
        # What came last more often.
        return fit[max(self.rng.randrange(len(fit)), self.rng.randrange(len(fit)))]
    if dtype is None:
      dtype = self.choose(DTYPES)
    if shape is None:
      shape = self.shape()
    return self.literal(dtype, shape)

  def handle(self, name):
    return self.by_name[name]

  def variables(self, scope, want=lambda h: True):
    fit = [h for h in self.handles if h.kind == "variable" and want(h)]
    if scope.task:
      fit = [h for h in fit if h.task == scope.task]
    return fit

  def of_kind(self, kind):
    return [h for h in self.handles if h.kind == kind]

  # --- what is added ------------------------------------------------------
  def number(self):
    self.count += 1
    return self.count

  def add(self, scope, kind, lines, operands=(), handles=(), outs=(), task=None, **more):
    """A statement that makes `outs`, which are tuples: a type, a shape, and what Value has more. Returns the values."""
    n = self.number()
    segment = None if scope.place == PURE else scope.segment
    made = []
    for i, (dtype, shape, rest) in enumerate(outs):
      name = f"x{n}" if len(outs) == 1 else f"x{n}_{i}"
      made.append(Value(name, dtype, shape, task or PS, segment=segment, **rest))
    if isinstance(lines, str):
      lines = [lines]
    chained = segment if scope.place in (CHAIN, BRANCH, FUNCTION) else None
    s = Statement(
      kind, list(lines), list(operands), [h.name for h in handles], made, task=task or PS, segment=chained, number=n, **more
    )
    if not made and not s.tail and chained:
      raise ValueError(f"{kind}: what does the chain go on from?")
    # Handles go as themselves; their names are all that the text needs.
    s.handles = list(handles)
    scope.statements.append(s)
    if scope.depth:
      scope.values.extend(made)
    else:
      self.values.extend(made)
    return made

  def views(self, operands, task):
    """What Value has more, of a value that may be its operands' buffers on this task."""
    views, moved = frozenset(), frozenset()
    for o in operands:
      if isinstance(o, Value):
        own = o.views | (frozenset([o.name]) if self.is_variable(o) and self.handle(o.name).is_ref else frozenset())
        moved |= o.moved | own
        if o.task == task:
          views |= own
    return dict(views=views, moved=moved)

  def one(self, scope):
    """Adds a statement of some kind to the scope. Whether it could."""
    for _ in range(20):
      fit = [(w, m) for w, places, m in _makers if scope.place in places]
      make = self.rng.choices([m for _, m in fit], [w for w, _ in fit])[0]
      if make(self, scope):
        return True
    return False

  # --- a whole program ----------------------------------------------------
  def program(self, seed):
    import variables

    self.items = []
    pure = Scope(PURE, self.items, None, [])
    for _ in range(self.rng.choice([1, 1, 2, 2, 3])):
      variables.variable(self, pure)
    self.segments = ["a"] + (["b"] if self.chance(0.35) else []) + (["r"] if self.chance(0.3) else [])
    for part in range(self.rng.choice([1, 1, 2])):
      for _ in range(self.rng.choice([0, 1, 1, 2])):
        self.one(pure)
      for _ in range(self.rng.choice([3, 4, 5, 6, 8, 10])):
        segment = self.choose(self.segments)
        place = FREE if segment == "r" else CHAIN
        if self.chance(0.1) and part:
          self.one(pure)
        self.one(Scope(place, self.items, segment, []))
      for _ in range(self.rng.choice([2, 3, 4])):
        self.run()
    return Program(seed, self.items, self.functions, self.rewriting)

  def run(self):
    segment = self.choose(self.segments)
    if not any(s.segment == segment for s in self.items if isinstance(s, Statement)) and segment != "r":
      segment = "a"
    session = self.rng.choice([0, 0, 0, 1, 2, 2])
    fetchable = [
      v
      for v in self.values
      if v.segment in (None, segment)
      and rules.can_fetch(self.items, self.by_name, v, None if segment == "r" else segment, p.MASTERS[session])
    ]
    fetches = self.rng.sample(fetchable, min(len(fetchable), self.rng.choice([1, 2, 3, 4, 6])))
    # Placeholders, and sometimes what a statement computes.
    feeds = [(v.name, self.literal(v.dtype, v.shape)) for v in self.feedable]
    inner = [
      v
      for v in fetchable
      if v.shape is not None
      and not v.is_ref
      and v not in self.feedable
      and v not in fetches
      and v.name.startswith("x")
      and not rules.carries_chain(self.items, v)
    ]
    if inner and segment not in self.blocking and self.chance(0.1):
      v = self.choose(inner)
      feeds.append((v.name, self.literal(v.dtype, v.shape)))
    if not fetches and not any(s.segment == segment for s in self.items if isinstance(s, Statement)):
      return
    how = self.rng.choice(["run"] * 6 + ["callable", "options"] + ["partial"] * (2 if self.feedable else 0))
    if how == "partial":
      # What does not need the last feed runs before it comes: the fetches are what no time changes.
      fetches = [v for v in fetches if not v.views and not v.is_ref and not self.is_variable(v) and v not in self.feedable]
      feeds = [(name, value) for name, value in feeds if name in {v.name for v in self.feedable}]
      if not fetches or not feeds:
        return
    run = Run([v.name for v in fetches], None if segment == "r" else segment, feeds, session, how)
    if not rules.is_taken_for_another([r for r in self.items if isinstance(r, Run)], run):
      self.items.append(run)


def program(seed, index, variables="both", traces=True):
  """The program of this index of a seed, with variables of one kind or both, and with traced functions or not."""
  import kinds  # noqa: F401

  return Generator(f"{seed}:{index}", variables, traces).program(f"{seed}:{index}")


__all__ = ["Handle", "program"]
