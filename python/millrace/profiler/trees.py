"""The views of tf.profiler as trees, before they are shown: by scope, by graph, by line of code, and the list of op types."""

import os
import re

from millrace.profiler import facts

SUMMED = (*facts.SUMMED, "parameters", "float_ops", "definition_count")
ROOT = "_TFProfRoot"
_LONGEST_FUNCTION = 20


class Shown:
  """A node of a view: `own` and `total` numbers by name; `node` is that of the graph, or None."""

  def __init__(self, name, types=(), node=None, own=None):
    self.name = name
    self.types = set(types)
    self.node = node
    self.graph_nodes = []
    self.own = dict.fromkeys(SUMMED, 0)
    if own is not None:
      self.own.update(own)
    self.total = dict.fromkeys(SUMMED, 0)
    self.children = []
    self.accounted = False

  def add_own(self):
    for name in SUMMED:
      self.total[name] += self.own[name]

  def add(self, child):
    for name in SUMMED:
      self.total[name] += child.total[name]

  def sum_up(self, children):
    """Makes the totals those of this node and of `children`."""
    self.total = dict.fromkeys(SUMMED, 0)
    self.add_own()
    for child in children:
      self.add(child)


def matches(patterns, texts):
  """Whether one of the patterns is the whole of one of the texts."""
  return any(pattern == ".*" or any(re.fullmatch(pattern, text) for text in texts) for pattern in patterns)


def _shown(node, step):
  return Shown(node.name, node.types, node, dict(node.taken(step), definition_count=1))


def _account(candidates, patterns, children_of):
  """Returns the nodes that are accounted or have others below them that are, with their totals and children."""
  kept = []
  for candidate in candidates:
    candidate.children = _account(children_of(candidate), patterns, children_of)
    candidate.accounted = matches(patterns, candidate.types)
    if candidate.accounted or candidate.children:
      candidate.sum_up(candidate.children)
      kept.append(candidate)
  return kept


def _rooted(kept, types):
  root = Shown(ROOT, types)
  root.own["definition_count"] = 1
  root.children = kept
  for child in kept:
    root.add(child)
  return root


def by_scope(nodes, options):
  """The tree of names: what stands before a slash is above what stands behind it."""
  shown, top = {}, []
  below = {}

  def place(name, made):
    shown[name] = made
    outer = name.rpartition("/")[0]
    if not outer:
      top.append(made)
      return
    if outer not in shown:
      place(outer, Shown(outer, ["_kTFScopeParent"], own={"definition_count": 1}))
    below.setdefault(outer, []).append(made)

  for name in sorted(nodes):
    if name in shown:
      continue
    place(name, _shown(nodes[name], options["step"]))
  kept = _account(top, options["account_type_regexes"], lambda one: below.get(one.name, []))
  return _rooted(kept, ["_kTFScopeParent"])


def by_graph(nodes, options):
  """The tree from results to what they were made of; a node is below the first that reads it."""
  read = {source.name for node in nodes.values() for source in node.inputs}
  seen = set()

  def fresh(sources):
    for source in sources:
      if source.name not in seen:
        seen.add(source.name)
        yield _shown(source, options["step"])

  roots = fresh(nodes[name] for name in sorted(nodes) if name not in read)
  kept = _account(roots, options["account_type_regexes"], lambda one: fresh(one.node.inputs))
  return _rooted(kept, ["_TFGraphParent"])


def by_code(nodes, options):
  """The tree of lines of Python, the outermost first, whose ops were made below them."""
  root = Shown(ROOT)
  for node in nodes.values():
    if not node.frames or not matches(options["account_type_regexes"], node.types):
      continue
    place = root
    for frame in node.frames:
      name = _title(frame)
      below = next((child for child in place.children if child.name == name), None)
      if below is None:
        below = Shown(name)
        place.children.append(below)
      place = below
    place.accounted = True
    place.types |= node.types
    place.graph_nodes.append(node)
    for name, value in node.taken(options["step"]).items():
      place.own[name] += value

  def sum_up(one):
    for child in one.children:
      sum_up(child)
    one.sum_up(one.children)

  sum_up(root)
  if matches(options["account_type_regexes"], [""]):
    _mark(root)
  root.accounted = False
  return root


def _mark(one):
  one.accounted = True
  for child in one.children:
    _mark(child)


def _title(frame):
  file, line, function = frame[:3]
  if len(function) > _LONGEST_FUNCTION:
    function = function[: _LONGEST_FUNCTION - 3] + "..."
  return f"{os.path.basename(file)}:{line}:{function}"


def by_op(nodes, options):
  """The op types, in their order; the total of each is that of itself and of all behind it."""
  kinds = {}
  for name in sorted(nodes):
    node = nodes[name]
    if not matches(options["account_type_regexes"], node.types):
      continue
    kind = kinds.setdefault(node.op, Shown(node.op))
    kind.accounted = True
    kind.types |= node.types
    kind.graph_nodes.append(node)
    for key, value in node.taken(options["step"]).items():
      kind.own[key] += value
    kind.own["definition_count"] += 1
  listed = ordered(list(kinds.values()), options["order_by"], totals=False)
  for index in range(len(listed) - 1, -1, -1):
    listed[index].sum_up(listed[index + 1 : index + 2])
  root = Shown(ROOT)
  root.children = listed
  if listed:
    root.add(listed[0])
  return root


_ORDERS = {
  "bytes": "requested_bytes",
  "peak_bytes": "peak_bytes",
  "residual_bytes": "residual_bytes",
  "output_bytes": "output_bytes",
  "micros": "exec_micros",
  "accelerator_micros": "accelerator_exec_micros",
  "cpu_micros": "cpu_exec_micros",
  "params": "parameters",
  "float_ops": "float_ops",
  "occurrence": "definition_count",
}


def ordered(shown, order, totals=True):
  """Nodes by name, or by a number with the greatest first."""
  by_name = sorted(shown, key=lambda one: one.name)
  if order not in _ORDERS:
    return by_name
  return sorted(by_name, key=lambda one: -(one.total if totals else one.own)[_ORDERS[order]])
