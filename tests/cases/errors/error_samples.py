"""A good sample of each op, from what `cases_tests --export` writes: where the cases of errors begin."""

import collections
import dataclasses
import glob
import json
import os

import raw_client as raw

MOST_BYTES = 20_000  # of the fed values
# Plain cases of one node for which a sample in hand is not given back.
GOOD_ENOUGH = (False, False, False, False, False, False, 1, 2)
# Of a case's names the first part. Servers get another one of the same length for each case, which needs no parsing.
PREFIX = "case000000"


@dataclasses.dataclass
class Sample:
  op: str
  nodes: dict  # name: NodeDef, in the graph's order; names begin with PREFIX
  feeds: dict  # name of a Placeholder: TensorProto
  steps: list  # of lists of names: what is run, one step after the other
  producer: int
  known_shapes: bool  # where inputs are fed
  library: object = None  # functions, a FunctionDefLibrary

  def tested(self):
    """The node of the op."""
    return next(n for n in self.nodes.values() if n.op == self.op)


def graph_of(path):
  graph = raw.new("GraphDef")
  with open(path, "rb") as f:
    graph.ParseFromString(f.read())
  return graph


def is_good(case):
  return not (case["no_stock"] or case["build_error"] or "our_error" in case)


def needed(nodes, names):
  """The names of these nodes and of all that they need."""
  found, left = set(), list(names)
  while left:
    name = left.pop().lstrip("^").split(":")[0]
    if name in nodes and name not in found:
      found.add(name)
      left += nodes[name].input
  return found


def steps_of(case, nodes, op):
  """([[name]], whether all end well): the case's runs, with their names in the file, up to the first that runs the op; without
  those before it that end with an error. None if none runs it."""
  steps = [case["init"]] if case["init"] else []
  failing = None
  for run in case["runs"]:
    runs_it = any(nodes[name].op == op for name in needed(nodes, run["targets"]))
    if run["code"] == 0 and run["our_code"] == 0:
      steps.append(run["targets"])
      if runs_it:
        return steps, True
    elif runs_it and failing is None:
      failing = steps + [run["targets"]]
  return (failing, False) if failing else None


def renamed(name, old):
  """A node's name or input with PREFIX in the place of the case's id."""
  mark = "^" if name.startswith("^") else ""
  rest = name[len(mark) :]
  return mark + PREFIX + rest[len(old) :] if rest.startswith(old + "/") else name


def sample_of(case, whole, values, producer, op):
  """A sample of an op from a case, and what it costs to take it; None if the case does not run the op, or a fed value has no
  bytes. whole: {name: node}; values: {name: tensor}."""
  found = steps_of(case, whole, op)
  if found is None:
    return None
  steps, well = found
  kept = needed(whole, [name for names in steps for name in names])
  feeds = {name[: -len(":0")]: values.get(k) for name, k in case["feeds"].items() if name[: -len(":0")] in kept}
  if None in feeds.values():
    return None
  empty = any(any(d.size == 0 for d in v.tensor_shape.dim) for v in feeds.values())
  scalars = bool(feeds) and all(not v.tensor_shape.dim for v in feeds.values())
  big = sum(v.ByteSize() for v in feeds.values()) > MOST_BYTES
  cost = (not well, bool(case["deviates"]), big, empty, scalars, op != case["op"], len(kept) - len(feeds), len(steps))

  def make():
    old, nodes = case["id"], {}
    for name in (n for n in whole if n in kept):
      made = raw.new("NodeDef")
      made.CopyFrom(whole[name])
      made.name = renamed(name, old)
      made.input[:] = [renamed(i, old) for i in made.input]
      if "shared_name" in made.attr:
        made.attr["shared_name"].s = renamed(made.attr["shared_name"].s.decode(), old).encode()
      nodes[made.name] = made
    return Sample(
      op,
      nodes,
      {renamed(name, old): value for name, value in feeds.items()},
      [[renamed(n, old) for n in names] for names in steps],
      min(producer, (case["deprecated"] or 1 << 30) - 1),
      any(not whole[name].attr["shape"].shape.unknown_rank for name in feeds),
    )

  return cost, make


def samples_of(folder):
  """({op: its sample}, {op: its family}) of an exported folder; ops that have cases and no sample are in the second alone. A
  case is a sample also of other ops of its family that it runs. Of samples that are alike the first is taken."""
  best, families, samples = {}, {}, {}
  chunks = []
  for stem in sorted(p[: -len(".json")] for p in glob.glob(os.path.join(folder, "*.json"))):
    with open(stem + ".json", encoding="utf-8") as f:
      chunks.append((stem, json.load(f)))
    families.update({c["op"]: c["family"] for c in chunks[-1][1]})
  for stem, cases in chunks:
    graph = graph_of(stem + ".graph")
    values = {n.name: n.attr["value"].tensor for n in graph_of(stem + ".values").node}
    by_case = collections.defaultdict(dict)
    for node in graph.node:
      by_case[node.name.split("/", 1)[0]][node.name] = node
    for case in filter(is_good, cases):
      nodes = by_case[case["id"]]
      for op in sorted({n.op for n in nodes.values()}):
        if families.get(op) != case["family"] or op in best and best[op] < GOOD_ENOUGH:
          continue
        found = sample_of(case, nodes, values, graph.versions.producer, op)
        if found is not None and (op not in best or found[0] < best[op]):
          best[op], samples[op] = found[0], found[1]()
  return samples, families
