"""Makes a program smaller while its verdict stays."""

import copy
import dataclasses
import time

import program as p
import rules
from program import Literal, Run, Statement, Value


def without(program, numbers, same_typed=True):
  """The program without the statements of these numbers and those that use handles that they make. What they made is replaced by an
  operand of theirs of the same type, or by a literal."""
  made = copy.deepcopy(program)
  gone, handles, replaced = set(numbers), set(), {}
  while True:
    before = len(gone)
    for s in p.walk(made.items):
      if s.number in gone or handles & {h.name for h in s.handles}:
        gone.add(s.number)
        handles |= {h.name for h in s.makes}
        for b in s.blocks:
          gone |= {inner.number for inner in p.walk(b.statements)}
    if len(gone) == before:
      break
  for s in p.walk(made.items):
    if s.number in gone:
      for v in s.outs:
        replaced[v.name] = _stand_in(v, s.operands if same_typed else (), replaced, handles)

  def substitute(operand):
    if isinstance(operand, Value) and operand.name in replaced:
      return replaced[operand.name]
    if isinstance(operand, Value) and operand.name in handles:
      return plain(operand.dtype, operand.shape)
    return operand

  def cleaned(statements):
    kept = []
    for s in statements:
      if isinstance(s, Run):
        names = {n: replaced.get(n) for n in s.fetches}
        s.fetches = [n if v is None else v.name for n, v in names.items() if n not in handles and not isinstance(v, Literal)]
        s.feeds = [(n, v) for n, v in s.feeds if n not in replaced and n not in handles]
        kept.append(s)
      elif s.number not in gone:
        s.operands = [substitute(o) for o in s.operands]
        for b in s.blocks:
          b.statements = cleaned(b.statements)
          b.result = substitute(b.result)
        kept.append(s)
    return kept

  made.items = cleaned(made.items)
  return made


def _stand_in(value, operands, replaced, gone):
  for o in operands:
    if isinstance(o, Value) and o.name in replaced:
      o = replaced[o.name]
    if (
      isinstance(o, Value) and o.name not in gone and o.dtype == value.dtype and o.shape == value.shape and o.views <= value.views
    ):
      return o
  return plain(value.dtype, value.shape)


def plain(dtype, shape):
  return Literal(dtype, shape or (), 1, 1 if dtype in ("string", "int32", "int64") else 0)


def _with(program, change):
  made = copy.deepcopy(program)
  return made if change(made) else None


def _runs(program):
  return [i for i, item in enumerate(program.items) if isinstance(item, Run)]


def _candidates(program):
  """Smaller programs, the boldest first. Functions of no argument, since each is asked for only when its turn comes."""
  runs = _runs(program)
  for i in runs[:-1]:
    yield lambda i=i: _drop_items(program, set(range(i + 1, len(program.items))))
  for i in reversed(runs):
    if len(runs) > 1:
      yield lambda i=i: _drop_items(program, {i})
  numbers = [s.number for s in p.walk(program.items)]
  size = len(numbers) // 2
  while size >= 1:
    for start in range(len(numbers) - size, -1, -size):
      chunk = numbers[start : start + size]
      yield lambda chunk=chunk: without(program, chunk)
      if size == 1:
        yield lambda chunk=chunk: without(program, chunk, same_typed=False)
    size //= 2
  for i in runs:
    if len(program.items[i].fetches) > 1:
      for name in program.items[i].fetches:
        yield lambda i=i, name=name: _with(program, lambda made: _set(made.items[i], fetches=[name]))
      yield lambda i=i: _with(program, lambda made: _set(made.items[i], fetches=[]))
    for field, value in (("how", "run"), ("session", 0), ("session", 2), ("feeds", [])):
      if getattr(program.items[i], field) != value and (field, value, program.items[i].session) != ("session", 2, 0):
        yield lambda i=i, field=field, value=value: _with(program, lambda made: _set(made.items[i], **{field: value}))
  if program.rewriting != "off":
    yield lambda: dataclasses.replace(program, rewriting="off")
  if program.functions:
    yield lambda: dataclasses.replace(program, functions=False)
  for task in (p.W1, p.W0):
    yield lambda task=task: _moved(program, task, p.PS)
  for s in p.walk(program.items):
    for k, o in enumerate(s.operands):
      if isinstance(o, Value):
        yield lambda n=s.number, k=k, o=o: _with_operand(program, n, k, plain(o.dtype, o.shape))
      elif isinstance(o, Literal) and not o.data and (o.start, o.step) != (1, 0) and o.dtype in p.NUMBERS:
        yield lambda n=s.number, k=k, o=o: _with_operand(program, n, k, Literal(o.dtype, o.shape, 1, 0))


def _drop_items(program, indices):
  made = copy.deepcopy(program)
  made.items = [item for i, item in enumerate(made.items) if i not in indices]
  return made


def _set(run, **fields):
  for name, value in fields.items():
    setattr(run, name, value)
  return True


def _with_operand(program, number, k, operand):
  def change(made):
    for s in p.walk(made.items):
      if s.number == number:
        s.operands[k] = operand
    return True

  return _with(program, change)


def _moved(program, old, new):
  """The program with what is on one task on another; None if there is nothing."""
  moved = []
  there = {h.name for s in p.walk(program.items) for h in s.makes if h.task in (old, new)}

  def value(v):
    if isinstance(v, Value) and v.task in (old, new):
      moved.extend([v] if v.task == old else [])
      return dataclasses.replace(v, task=new, views=v.views | v.moved & there)
    return v

  def change(made):
    for s in p.walk(made.items):
      if s.task == old:
        moved.append(s)
        s.task = new
      s.operands, s.outs = [value(o) for o in s.operands], [value(o) for o in s.outs]
      s.makes, s.handles = (
        [dataclasses.replace(h, task=new) if h.task == old else h for h in some] for some in (s.makes, s.handles)
      )
      for b in s.blocks:
        b.result = value(b.result)
    return bool(moved)

  return _with(program, change)


def _weight(program):
  operands = [o for s in p.walk(program.items) for o in s.operands]
  runs = [r for r in program.items if isinstance(r, Run)]
  return (
    p.size(program),
    len(runs),
    sum(len(r.fetches) + len(r.feeds) + bool(r.session) + (r.how != "run") for r in runs),
    program.rewriting != "off",
    program.functions,
    sum(s.task != p.PS for s in p.walk(program.items)),
    sum(isinstance(o, Value) for o in operands),
    sum(isinstance(o, Literal) and (o.start, o.step) != (1, 0) for o in operands),
  )


def shrink(program, fails, seconds=90):
  """`fails(program)`: whether its verdict is still the one. Gives the smallest program found in this time."""
  end = time.monotonic() + seconds
  progress = True
  while progress and time.monotonic() < end:
    progress = False
    for candidate in _candidates(program):
      made = candidate()
      if made is None or _weight(made) >= _weight(program) or not _runs(made) or rules.violation(made):
        continue
      if fails(made):
        program, progress = made, True
        break
      if time.monotonic() > end:
        break
  return program


__all__ = ["shrink", "without", "Statement"]
