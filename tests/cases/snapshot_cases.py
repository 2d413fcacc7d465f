"""Cases of which each input is the snapshot of a reference variable, with an update behind the nodes.

  variable -> Identity -> the case's nodes -> fetched when the step has ended
     Assign of another value, behind the nodes that the run names

Which kernels hand on the buffer of an input, so that a fetch shows the update, is the same on stock and on Millrace;
so such a step gives the same on both.
"""

import numpy as np
import stock_cases
import tensorflow as tf
from stock_values import as_array, difference

NOT_ASKED = "stock "  # begins what says that stock does not run the case like this
WITHOUT_ASSIGN = (tf.qint16.as_datatype_enum,)  # in stock
VARIABLE, FIRST, INIT, SECOND, UPDATE = "/variable", "/first", "/init", "/second", "/update"


def other(value, salt):
  """Differs in every element by more than tolerances allow; with another salt from that too, if the type has so many."""
  value = as_array(value)
  if value.dtype.names:  # quantized: a structure of one integer
    out = value.copy()
    out[value.dtype.names[0]] ^= 1
    return out
  if value.dtype.kind in "OSU":
    return np.vectorize(lambda s: (s if isinstance(s, bytes) else str(s).encode()) + b"~%d" % salt, otypes=[object])(value)
  if value.dtype == bool:
    return ~value
  if value.dtype.kind in "iu":
    return value ^ 1
  wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
  with np.errstate(all="ignore"):
    return np.where(np.abs(wide) < 100, wide + 1 + salt % 8, 0.25 + salt % 8).astype(value.dtype)


def runs_well(case):
  return not (
    case["no_stock"] or case["build_error"] or "our_error" in case or any(run["code"] or run["our_code"] for run in case["runs"])
  )


class Steps:
  """What is run of a case. A snapshot is updated in the first run that needs it."""

  def __init__(self, case, inputs_of, fed):
    self.fetches = [
      [name for name, constant, ignored in run["fetches"] if constant is not None and not ignored] for run in case["runs"]
    ]
    self.targets = [live_targets(run) for run in case["runs"]]
    self.updates = []
    left = set(fed)
    for fetches, targets in zip(self.fetches, self.targets):
      here = left & needed_nodes(inputs_of, fetches + targets)
      left -= here
      self.updates.append(sorted(here))

  def updated(self):
    return [name for updates in self.updates for name in updates]


def is_new(item, seen):
  if item in seen:
    return False
  seen.add(item)
  return True


def live_targets(run):
  """Nodes of a run that are not dead: nothing is updated behind one that is."""
  dead = {name.split(":")[0] for name, constant, _ in run["fetches"] if constant is None}
  live = {name.split(":")[0] for name, constant, _ in run["fetches"] if constant is not None}
  return [t for t in run["targets"] if t not in dead or t in live]


def needed_nodes(inputs_of, names):
  seen, left = set(), [n.split(":")[0] for n in names]
  while left:
    name = left.pop()
    if name not in seen:
      seen.add(name)
      left += inputs_of.get(name, ())
  return seen


class SnapshotChunk(stock_cases.Chunk):
  """One exported graph with those of its cases that give values. target: a server of Millrace."""

  def __init__(self, stem, target, seen=None):
    """seen: a set of kinds of cases, of each of which only the first is run."""
    super().__init__(stem)
    self.target, self.ours = target, None
    self.cases = [dict(c, shapes=[]) for c in self.cases if runs_well(c)]
    nodes_of = {c["id"]: [] for c in self.cases}
    for node in self.graph_def.node:  # without the copies whose shapes are compared
      nodes_of.get(node.name.split("/", 1)[0], []).append(node)
    if seen is not None:
      self.cases = [c for c in self.cases if is_new(self.kind(c, nodes_of[c["id"]]), seen)]
    self.graph_def = tf.compat.v1.GraphDef(versions=self.graph_def.versions)
    self.steps = {c["id"]: self.add_case(c, nodes_of[c["id"]]) for c in self.cases}

  def kind(self, case, nodes):
    """What is the same for cases that differ in types alone, and in values that are not sizes, axes or indices."""
    parts = [case["id"]] if len(case["runs"]) > 1 else []
    for node in nodes:
      parts.append(node.op)
      parts += [
        "%s %s" % (name, attr)
        for name, attr in sorted(node.attr.items())
        if attr.WhichOneof("value") not in ("type", "tensor") and not attr.list.type and name != "shared_name"
      ]
    for constant in [self.constants[k] for k in case["feeds"].values() if k is not None]:
      small = tf.as_dtype(constant.dtype).name in ("int32", "int64", "bool") and len(constant.tensor_content) <= 64
      parts.append(str(constant) if small else str(constant.tensor_shape))
    return "\n".join(parts)

  def add_case(self, case, nodes):
    """Puts a variable with its snapshot in the place of each node that is fed."""
    inputs_of = {n.name: [i.lstrip("^").split(":")[0] for i in n.input] for n in nodes}
    fed = []
    for node in nodes:
      constant = self.constants.get(case["feeds"].get(node.name + ":0"))
      if constant is not None and constant.dtype not in WITHOUT_ASSIGN:
        fed.append(node.name)
    steps = Steps(case, inputs_of, fed)
    behind = {name: targets for targets, updates in zip(steps.targets, steps.updates) for name in updates}
    for node in nodes:
      if node.name in behind:
        self.add_variable(node, behind[node.name])
      else:
        self.graph_def.node.append(node)
    return steps

  def add_variable(self, fed, behind):
    """behind: names of the nodes after which it is updated."""
    name, dtype, shape = fed.name, fed.attr["dtype"], fed.attr["shape"]

    def add(name, op, inputs, **attrs):
      node = self.graph_def.node.add(name=name, op=op, input=inputs)
      for attr, value in attrs.items():
        node.attr[attr].CopyFrom(value)
      return node

    variable = add(name + VARIABLE, "VariableV2", [], dtype=dtype, shape=shape)
    variable.attr["shared_name"].s = variable.name.encode()
    add(name, "Identity", [variable.name], T=dtype)
    add(name + FIRST, "Placeholder", [], dtype=dtype)
    add(name + SECOND, "Placeholder", [], dtype=dtype)
    for assign in (
      add(name + INIT, "Assign", [variable.name, name + FIRST], T=dtype),
      add(name + UPDATE, "Assign", [variable.name, name + SECOND] + ["^" + n for n in behind], T=dtype),
    ):
      assign.attr["validate_shape"].b = False

  def values(self, session, cases, change):
    """{case id: [(fetched name, value)]}, of cases of one run, or of one case. If there is a change, snapshots get
    another value behind what reads them."""
    options = tf.compat.v1.RunOptions(timeout_in_ms=stock_cases.STEP_MS)
    find = session.graph.get_operation_by_name
    init, first, second = [], {}, {}
    for case in cases:
      for salt, name in enumerate(self.steps[case["id"]].updated()):
        value = self.value(case["feeds"][name + ":0"])
        first[name + FIRST + ":0"] = value
        second[name + SECOND + ":0"] = other(value, salt) if change else value
        init.append(find(name + INIT))
      second.update(
        {name: self.value(k) for name, k in case["feeds"].items() if k is not None and name[:-2] + FIRST + ":0" not in first}
      )
      init += [find(name) for name in case["init"]]
    if init:
      session.run(init, first, options=options)
    out = {case["id"]: [] for case in cases}
    for number in range(max(len(case["runs"]) for case in cases)):
      fetches, nodes = {}, []
      for case in cases:
        steps = self.steps[case["id"]]
        fetches[case["id"]] = steps.fetches[number]
        nodes += steps.targets[number] + [name + UPDATE for name in steps.updates[number]]
      values, _ = session.run([fetches, [find(n) for n in nodes]], second, options=options)
      for name, of_case in values.items():
        out[name] += zip(fetches[name], [np.array(as_array(v)) for v in of_case])
    return out

  def run(self, cases, tell):
    wanted = {case["id"] for case in cases}
    cases = [c for c in self.cases if c["id"] in wanted]
    together = [c for c in cases if len(c["runs"]) == 1 and not c["deprecated"]]
    try:
      if len(together) > 1 and self.run_together(together, tell):
        cases = [c for c in cases if not any(c is done for done in together)]
      super().run(cases, tell)
    finally:
      self.close()

  def close(self):
    ours, self.ours = self.ours, None
    try:
      if ours is not None:
        ours.close()
    except tf.errors.OpError:  # its server has ended
      pass

  def run_together(self, cases, tell):
    """In one step, which takes a fraction of the time. False: one of them fails, so they have to be run one by one."""
    try:
      graph = stock_cases.import_graph(self.graph_def)
      with stock_cases.new_session(graph) as session:
        self.ours = stock_cases.new_session(graph, self.target)
        stock, ours = self.values(session, cases, True), self.values(self.ours, cases, True)
        for case in cases:
          tell(case["id"], None)
          tell(case["id"], self.problems(session, case, ours[case["id"]], stock[case["id"]]))
      return True
    except (tf.errors.OpError, ValueError, TypeError):
      return False
    finally:
      self.close()

  def run_case(self, graph, session, case):
    if self.ours is None:
      self.ours = stock_cases.new_session(graph, self.target)
    try:
      stock = self.values(session, [case], True)
    except (tf.errors.OpError, ValueError, TypeError) as e:
      return [NOT_ASKED + "fails: " + stock_cases.first_lines(str(e))]
    try:
      ours = self.values(self.ours, [case], True)
    except (tf.errors.UnavailableError, tf.errors.AbortedError) as e:
      self.close()  # the next case has a session of the server that is started next
      return ["Millrace's server ends: " + stock_cases.first_lines(str(e))]
    except (tf.errors.OpError, ValueError, TypeError) as e:
      return ["Millrace fails: " + stock_cases.first_lines(str(e))]
    return self.problems(session, case, ours[case["id"]], stock[case["id"]])

  def problems(self, session, case, ours, stock):
    found = differences(case, ours, stock)
    if found and len(case["runs"]) == 1:  # after several, state is no longer as it was
      plain = differences(case, *[self.values(s, [case], False)[case["id"]] for s in (self.ours, session)])
      found = [] if plain else found  # plain: it is no matter of snapshots
    return found


def differences(case, ours, stock):
  found = [(name, difference(case, mine, theirs)) for (name, mine), (_, theirs) in zip(ours, stock)]
  return ["%s: %s" % (name.split("/", 1)[1], problem) for name, problem in found if problem]
