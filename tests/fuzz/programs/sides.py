"""Runs the text of a program on two clusters, run by run, and tells the first difference.

The graph is built once; each side has its sessions on it.
"""

import contextlib
import itertools
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow as tf
from compare import Failure, differences
from tensorflow.python.framework import function
from tensorflow.python.ops import data_flow_ops, functional_ops

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "conformance"))
import task_servers  # noqa: E402

tf1 = tf.compat.v1
TIMEOUT_MS = 20_000
TASKS = {"ps": 1, "worker": 2}
MASTERS = [("worker", 0), ("worker", 1), ("ps", 0)]


def config(rewriting):
  made = tf1.ConfigProto(operation_timeout_in_ms=TIMEOUT_MS)
  options = made.graph_options
  if rewriting in ("off", "L0"):
    options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
  if rewriting == "off":
    options.rewrite_options.disable_meta_optimizer = True
  if rewriting == "all":
    rewrites = options.rewrite_options
    rewrites.min_graph_nodes = -1
    rewrites.meta_optimizer_iterations = rewrites.TWO
    for name in (
      "constant_folding",
      "arithmetic_optimization",
      "dependency_optimization",
      "loop_optimization",
      "shape_optimization",
    ):
      setattr(rewrites, name, rewrites.AGGRESSIVE)
  return made


class Side:
  """A cluster and the sessions that the program at hand has on it."""

  def __init__(self, kind, tasks=None, masters=MASTERS, environment=None, flags=()):
    """`masters`: of sessions 0, 1 and 2; `environment` and `flags`: of the servers, beside what they have anyway."""
    self.kind, self.tasks, self.masters = kind, tasks or TASKS, masters
    self.environment, self.flags = environment, flags
    self.cluster, self.sessions = None, {}

  def start(self):
    self.cluster = task_servers.Cluster(self.tasks, kind=self.kind, environment=self.environment, flags=self.flags)

  def stop(self):
    if self.cluster:
      self.cluster.stop()

  def processes(self):
    return self.cluster.processes.values()

  def restart(self):
    self.stop()
    self.start()

  def restart_if_dead(self):
    """Whether a task had ended."""
    if all(process.poll() is None for process in self.processes()):
      return False
    self.restart()
    return True

  def session(self, number, graph, rewriting):
    if number not in self.sessions:
      self.sessions[number] = tf1.Session(self.cluster.target(*self.masters[number]), graph=graph, config=config(rewriting))
    return self.sessions[number]

  def close(self):
    for session in self.sessions.values():
      with contextlib.suppress(tf.errors.OpError):
        session.close()
    self.sessions = {}


class Skipped(Exception):
  """The program says nothing, and why. `word`: of a verdict; `kind`: of the side whose failure says so, if it was one."""

  def __init__(self, text, word="skipped", kind=None):
    super().__init__(text)
    self.word, self.kind = word, kind


class Stage:
  """What the text of a program calls: `run`. `records` holds, by side, what each run gave: where, names and results."""

  def __init__(self, sides, rewriting):
    self.sides, self.rewriting = sides, rewriting
    self.graph = tf.Graph()
    self.initialized = set()
    self.runs = 0
    self.records = [[] for _ in sides]

  def run(self, fetches, feeds=(), also=(), session=0, how="run"):
    self.runs += 1
    self._initialize(session)
    names = [getattr(f, "name", str(f)) for f in fetches]
    nodes, fed = list(fetches) + [getattr(a, "op", a) for a in also], list(feeds)
    self._on_all(f"run {self.runs}", names, session, lambda open_one: _call(open_one, nodes, fed, how)[: len(fetches)])
    variables = self._variables()
    self._on_all(
      f"variables after run {self.runs}", [v.name for v in variables], session, lambda open_one: open_one.run(variables)
    )

  def _variables(self):
    return self.graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES)

  def _initialize(self, session):
    made = [v.initializer for v in self._variables()] + self.graph.get_collection(tf1.GraphKeys.TABLE_INITIALIZERS)
    fresh = [op for op in made if op.name not in self.initialized]
    self.initialized.update(op.name for op in fresh)
    # Some of what the client makes starts from the program's variables.
    for ours in (True, False):
      ops = [op for op in fresh if bool(re.match(r"v\d+/Assign$", op.name)) == ours]
      if ops:
        self._on_all("initialization", [op.name for op in ops], session, lambda open_one, ops=ops: open_one.run(ops))

  def _on_all(self, where, names, number, call):
    def on(side):
      try:
        return call(side.session(number, self.graph, self.rewriting))
      except tf.errors.OpError as e:
        return Failure(e)

    with ThreadPoolExecutor(len(self.sides)) as pool:
      results = list(pool.map(on, self.sides))
    for side, result, record in zip(self.sides, results, self.records):
      if isinstance(result, Failure):
        why = _says_nothing(side, result)
        if why:
          raise Skipped(why, *(("skipped", "stock") if side.kind == "stock" else ("missing",)))
      record.append((where, names, result))


def _says_nothing(side, failure):
  """Why a failure tells nothing of the program, or None."""
  if side.kind == "stock":
    return f"stock ends with {failure.code}" if failure.code in ("DeadlineExceededError", "AbortedError") else None
  return _missing(failure.text)


# What stock says of programs that have a meaning, by what it means. It ties nodes of functions and branches to nodes of other tasks,
# does not take resources of others as arguments of functions, and takes some fetches of a partial run for such as need a feed from
# which no edge of the graph leads to them.
LIMITS = {
  "Cannot colocate nodes": "stock cannot place it",
  "does not match any device": "stock cannot place it",
  "but available devices are": "stock cannot place it",
  "can't be computed from the feeds that have been fed so far": "stock waits for a feed that a fetch does not need",
}


def limit_of_stock(ours, stock):
  """Why stock refuses what ours runs where two records differ first; None if it does not."""
  for (_, names, a), (_, _, b) in zip(ours, stock):
    if differences(names, a, b):
      if isinstance(b, Failure) and not isinstance(a, Failure):
        return next((why for text, why in LIMITS.items() if text in b.text), None)
      return None
  return None


def first_difference(ours, stock, relative=None):
  """Of two records, in words; None if there is none."""
  for (where, names, a), (_, _, b) in zip(ours, stock):
    found = differences(names, a, b, relative)
    if found:
      return f"{where}: " + "\n".join(found)
  return None


def _missing(text):
  """What a server of ours says that it does not have."""
  for line in text.splitlines():
    if re.search(r"there is no op type|no op is called|not registered|no kernel|variant tensors of type", line):
      return line[:140]
  return None


def _call(session, nodes, feeds, how):
  if how == "run":
    return session.run(nodes, dict(feeds))
  if how == "callable":
    return session.make_callable(nodes, [t for t, _ in feeds])(*[np.asarray(v, t.dtype.as_numpy_dtype) for t, v in feeds])
  if how == "partial":
    return _partial_run(session, nodes, feeds)
  options = tf1.CallableOptions() if hasattr(tf1, "CallableOptions") else _callable_options()
  graph = session.graph
  elements = [graph.as_graph_element(n) for n in nodes]
  tensors = [e for e in elements if isinstance(e, tf.Tensor)]
  options.fetch.extend(t.name for t in tensors)
  options.target.extend(e.name for e in elements if not isinstance(e, tf.Tensor))
  options.feed.extend(t.name for t, _ in feeds)
  call = session._make_callable_from_options(options)  # pylint: disable=protected-access
  values = iter(call(*[np.asarray(v, t.dtype.as_numpy_dtype) for t, v in feeds]))
  return [next(values) if isinstance(e, tf.Tensor) else None for e in elements]


def _partial_run(session, nodes, feeds):
  """In two calls: what needs the last feed comes with it in the second one."""
  elements = [session.graph.as_graph_element(n) for n in nodes]
  tensors = [e for e in elements if isinstance(e, tf.Tensor)]
  needing = _needs(feeds[-1][0].op, session.graph)
  first = [t for t in tensors if t.op not in needing]
  handle = session.partial_run_setup(elements, [t for t, _ in feeds])
  values = {}
  for some, fed in ((first, feeds[:-1]), ([t for t in tensors if t.op in needing], feeds[-1:])):
    if some or fed:
      values.update(zip([t.name for t in some], session.partial_run(handle, some, dict(fed))))
  return [values[e.name] if isinstance(e, tf.Tensor) else None for e in elements]


def _needs(op, graph):
  """An op and all that runs after it."""
  found = {op}
  while True:
    before = len(found)
    found.update(
      o
      for o in graph.get_operations()
      if o not in found and (any(t.op in found for t in o.inputs) or any(c in found for c in o.control_inputs))
    )
    if len(found) == before:
      return found


def _callable_options():
  from tensorflow.core.protobuf import config_pb2

  return config_pb2.CallableOptions()


_containers = itertools.count()


def _build(texts, stage, functions):
  (tf1.enable_control_flow_v2 if functions else tf1.disable_control_flow_v2)()
  names = dict(
    tf=tf, tf1=tf1, np=np, data_flow_ops=data_flow_ops, function=function, functional_ops=functional_ops, run=stage.run
  )
  with stage.graph.as_default(), stage.graph.container(f"program{next(_containers)}"):
    tf1.set_random_seed(1234)
    for text in texts:
      exec(compile(text, "program", "exec"), names)  # pylint: disable=exec-used


def execute(texts, sides, functions, rewriting):
  """Builds a program and runs it on sides at once; gives their records. Raises Skipped."""
  stage = Stage(sides, rewriting)
  try:
    _build(texts, stage, functions)
  finally:
    for side in sides:
      side.close()
  return stage.records


def graph_of(texts, functions):
  """The graph that a program has at its end; nothing runs."""
  stage = Stage([], "off")
  stage.run = lambda *unused, **more: None
  _build(texts, stage, functions)
  return stage.graph
