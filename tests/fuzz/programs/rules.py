"""What makes a program have one answer in stock (README.md says why), as far as its text decides."""

import program as p
from program import Run, Statement, Value


def statements_after(items, value, segment):
  """The statements of a segment behind the one that makes a value; all of them if the value has no place."""
  statements = [s for s in items if isinstance(s, Statement) and s.segment == segment]
  for i, s in enumerate(statements):
    if value in s.outs:
      return statements[i + 1 :]
  return statements


def changes_after(items, value, segment):
  """The variables that a segment updates after it has made a value."""
  return {name for s in p.walk(statements_after(items, value, segment)) for name in s.changes}


def waits_before_changes(items, value, segment, master):
  """Whether the master's task has a turn on the chain before the first update of what the value views: by then the value has left."""
  for s in statements_after(items, value, segment):
    if any(value.views & set(inner.changes) for inner in p.walk([s])):
      return False
    # A server may have dropped what changes nothing, if its value is not read.
    if s.task == master and (s.changes or any(h.kind == "queue" for h in s.handles)):
      return True
  return False


def can_fetch(items, variables, value, segment, master):
  """Whether a run of the segment has one answer for a value. What is another task's leaves that soon after it was made; what is the
  master's when all is done. `variables`: handles by name."""
  if segment is None:
    return True
  changes = changes_after(items, value, segment)
  if any(variables[name].is_loose for name in value.views & changes):
    return False  # an assignment of another size: whoever looks before has the old elements
  if value.name in variables and (value.shape is None or not variables[value.name].is_ref):
    return value.name not in changes
  return value.task == master or not value.views & changes or waits_before_changes(items, value, segment, master)


def carries_chain(items, value):
  """Whether a value is all that orders the next statement of its chain behind it: the client makes no control edge where there is an
  edge with a value, which a feed takes away."""
  statements = [s for s in items if isinstance(s, Statement) and s.segment and s.segment == value.segment]
  for s, after in zip(statements, statements[1:]):
    if value in s.outs:
      read = {
        o.name for inner in p.walk([after]) for o in inner.operands + [b.result for b in inner.blocks] if isinstance(o, Value)
      }
      return any(v.name in read for v in s.outs)
  return False


def is_neutral(operand):
  """Whether an operand is all zeros or all ones: stock takes `x * 1` out of functions, whatever the configuration says."""
  if not isinstance(operand, p.Literal) or operand.data or operand.dtype in ("bool", "string"):
    return False
  return operand.start in (0, 1) and (operand.step == 0 or p.elements(operand.shape) <= 1)


def depends_on_place(program):
  """Whether the program says something else where all is on one task: a value that came over from another is a view there, and
  follows later updates; so does what is fetched, which from another task leaves before them."""
  statements = list(p.walk(program.statements()))
  changed = {name for s in statements for name in s.changes}
  read = {o for s in statements for o in s.operands + [b.result for b in s.blocks] if isinstance(o, Value)}
  fetched = {name for run in program.items if isinstance(run, Run) for name in run.fetches}
  read |= {v for s in statements for v in s.outs if v.name in fetched}
  if any((v.moved - v.views) & changed for v in read):
    return True
  values, items = {}, []
  for item in program.items:
    if isinstance(item, Run):
      for v in (values[name] for name in item.fetches if name in values):
        if item.segment and v.task != p.MASTERS[item.session] and v.views & changes_after(items, v, item.segment):
          return True
      continue
    items.append(item)
    for s in p.walk([item]):
      values.update((v.name, v) for v in s.outs)
      values.update((h.name, p.variable_value(h)) for h in s.makes if h.kind == "variable")
  return False


def key_of(run):
  """What stock remembers a kind of run by: the names that it feeds and those that it fetches, in one row."""
  return frozenset([name for name, _ in run.feeds] + run.fetches), run.segment, run.session


def is_taken_for_another(runs, run):
  """Whether stock takes a run for one of those before it: the same names, some of which were fed there and are fetched here."""
  fed = {name for name, _ in run.feeds}
  return any(key_of(r) == key_of(run) and {name for name, _ in r.feeds} != fed for r in runs)


def violation(program):
  """Which rule a program breaks, or None."""
  values, variables, items, runs = {}, {}, [], []
  for item in program.items:
    if isinstance(item, Run):
      if is_taken_for_another(runs, item):
        return "a run that stock takes for another"
      runs.append(item)
      if not item.fetches and not any(s.segment == item.segment for s in items if item.segment):
        return "a run of nothing"
      for name, _ in item.feeds:
        if carries_chain(items, values[name]):
          return f"{name} is fed, and orders what comes next"
      for name in item.fetches:
        if not can_fetch(items, variables, values[name], item.segment, p.MASTERS[item.session]):
          return f"{name} is fetched while it changes"
      continue
    items.append(item)
    for s in p.walk([item]):
      values.update((v.name, v) for v in s.outs)
      for h in s.makes:
        variables[h.name] = h
        if h.kind == "variable":
          values[h.name] = p.variable_value(h)
      called_by_node = s.kind == "function" and len(s.blocks) == 1
      if called_by_node and any(is_neutral(o) for inner in p.walk(s.blocks[0].statements) for o in inner.operands):
        return f"function {s.number} has a constant that stock takes out"
      kept = [s.operands[i] for i in s.keeps]
      if any(isinstance(o, Value) and (o.views or o.moved) for o in kept):
        return f"statement {s.number} stores a view"
      if any(isinstance(o, Value) and (o.views | o.moved) & set(s.changes) for o in (s.operands[i] for i in s.apart)):
        return f"statement {s.number} reads what it writes"
  return None
