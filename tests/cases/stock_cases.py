"""Runs the cases of an exported file in one session of stock TensorFlow, without graph rewriting."""

import copy
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
# Left to itself, stock uses oneDNN's ops on some processors: other numbers, and formats that it does not have otherwise.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

import processor  # noqa: E402
import tensorflow as tf  # noqa: E402
from exported_cases import exceptions  # noqa: E402
from stock_values import difference  # noqa: E402

MARKS = ("/", "v/", "s/")  # between a case's id and the rest of a node's name: what is run, and two copies for shapes
STEP_MS = 25_000  # for one step (stock tries for 10 s to get memory); then the case waits for what does not come


class Blocked(Exception):
  """A step did not end by itself, so the case's later steps mean nothing."""


def type_name(number):
  return tf.as_dtype(number).name


# The family whose sums saturate in stock on some processors.
SATURATES = "quantize_fused"


def succeeds(case):
  return not case["build_error"] and all(run["code"] == 0 for run in case["runs"])


def load_cases(stem):
  """The cases of an exported file; those of ops that stock lacks, those that this processor cannot run on it, and those that stock
  computes wrongly on it say so."""
  with open(stem + ".json", encoding="utf-8") as f:
    cases = json.load(f)
  flags, own = processor.flags(), exceptions("own_ops.txt")
  for case in cases:
    needs = case.get("stock_needs", "")
    if case["no_stock"]:
      continue
    if case["op"] in own:
      case["no_stock"] = "stock has no such op, which is " + own[case["op"]]
    elif needs and needs not in flags:
      case["no_stock"] = "%s; this processor has no %s" % (case["stock_needs_why"], needs)
    elif case["family"] == SATURATES and processor.sums_of_bytes_saturate(flags) and succeeds(case) and not case["deviates"]:
      case["deviates"] = "stock's sums of products of 8 bits saturate on processors without instructions for them"
  return cases


def load_graph(path):
  graph_def = tf.compat.v1.GraphDef()
  with open(path, "rb") as f:
    graph_def.ParseFromString(f.read())
  return graph_def


def import_graph(graph_def):
  graph = tf.Graph()
  with graph.as_default():
    tf.import_graph_def(graph_def, name="")
  return graph


def new_session(graph, target=""):
  """Of stock in this process, or of a server."""
  config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  config.graph_options.optimizer_options.opt_level = -1
  return tf.compat.v1.Session(target, graph=graph, config=config)


class Chunk:
  """One exported graph with its cases."""

  def __init__(self, stem):
    self.cases = load_cases(stem)
    self.graph_def = load_graph(stem + ".graph")
    self.constants = {n.name: n.attr["value"].tensor for n in load_graph(stem + ".values").node}
    # One op that stock does not have would take the whole graph with it.
    asked = [c for c in self.cases if not c["no_stock"]]
    if len(asked) < len(self.cases):
      self.select(asked)

  def value(self, name):
    return tf.make_ndarray(self.constants[name])

  def run(self, cases, tell):
    """tell(id, None) before each case, tell(id, [problem]) after it."""
    if not cases:
      return
    if len(cases) == 1:
      tell(cases[0]["id"], None)
    if cases[0]["deprecated"]:
      self.graph_def.versions.producer = min(self.graph_def.versions.producer, cases[0]["deprecated"] - 1)
    if cases[0]["build_error"]:
      return tell(cases[0]["id"], list(self.run_build_error(cases[0])))
    try:
      graph = import_graph(self.graph_def)
    except (ValueError, tf.errors.OpError) as e:
      if len(cases) > 1:
        return self.run_apart(cases, tell)
      if not cases[0].get("shapes"):
        own = "; list it in tests/cases/own_ops.txt if it is Millrace's own" if "Op type not registered" in str(e) else ""
        return tell(cases[0]["id"], ["stock does not take the graph: %s%s" % (e, own)])
      return self.run_without_shapes(cases[0], e, tell)
    with new_session(graph) as session:
      for case in cases:
        tell(case["id"], None)
        tell(case["id"], list(self.run_case(graph, session, case)))

  def run_apart(self, cases, tell):
    """Stock refused the whole: each case gets a graph of its own."""
    for case in cases:
      part = copy.copy(self)
      part.cases = [case]
      part.select([case])
      part.run([case], tell)

  def run_without_shapes(self, case, error, tell):
    """Stock refuses the nodes once it knows values or shapes, which we do not."""
    self.select([case], MARKS[:1])
    case["shapes"] = []
    found = ["stock does not build the graph with known values: %s" % error]
    self.run([case], lambda what, problems: tell(what, problems if problems is None else found + problems))

  def select(self, cases, marks=MARKS):
    """Leaves the nodes of these cases alone in the graph."""
    prefixes = tuple(case["id"] + mark for case in cases for mark in marks)
    kept = [n for n in self.graph_def.node if n.name.startswith(prefixes)]
    self.graph_def = tf.compat.v1.GraphDef(versions=self.graph_def.versions)
    self.graph_def.node.extend(kept)

  def run_build_error(self, case):
    try:
      import_graph(self.graph_def)
    except (ValueError, tf.errors.OpError, TypeError) as e:
      if case["build_words"] not in str(e):
        yield "stock's message lacks %r: %s" % (case["build_words"], e)
      return
    yield "stock builds the graph without an error"

  def run_case(self, graph, session, case):
    if "our_error" in case:
      yield "the case does not fit the schema: " + case["our_error"]
      return
    for tensor, ours in case["shapes"]:
      yield from check_static_shape(graph.get_tensor_by_name(tensor), ours)
    feeds = {name: self.value(k) for name, k in case["feeds"].items()}
    options = tf.compat.v1.RunOptions(timeout_in_ms=STEP_MS)
    try:
      if case["init"]:
        session.run([graph.get_operation_by_name(n) for n in case["init"]], options=options)
    except tf.errors.OpError as e:
      yield "stock cannot set the variables: %s" % e.message
      return
    for number, run in enumerate(case["runs"]):
      where = "" if len(case["runs"]) == 1 else "run %d: " % number
      try:
        for problem in self.run_once(graph, session, case, run, feeds, options):
          yield where + problem
      except Blocked as e:
        yield where + str(e)
        return
    for read, k in case["variables"]:
      yield from self.check_variable(session, case, read, k, options)

  def run_once(self, graph, session, case, run, feeds, options):
    live = [f for f in run["fetches"] if f[1] is not None] if run["code"] == 0 else run["fetches"]
    dead = [f for f in run["fetches"] if f[1] is None] if run["code"] == 0 else []
    targets = [graph.get_operation_by_name(n) for n in run["targets"]]
    try:
      # A dead output has no value to fetch, so its node is no target either.
      stock = session.run([f[0] for f in live], feed_dict=feeds, options=options) if live else []
      if not live:
        session.run(targets, feed_dict=feeds, options=options)
    except tf.errors.OpError as e:
      if e.error_code == tf.errors.DEADLINE_EXCEEDED and run["code"] != e.error_code:
        names = ", ".join(n.split("/", 1)[1] for n in run["targets"])
        raise Blocked(
          "stock blocks for more than %d ms in a step of %s; ours gave %s"
          % (STEP_MS, names, first_lines(run["our_message"]) or "a result")
        ) from e
      if run["code"] == 0:
        yield "stock fails: %s" % first_lines(e.message)
      elif e.error_code != run["code"]:
        yield "stock's error code is %d, ours %d: %s" % (e.error_code, run["code"], first_lines(e.message))
      elif run["words"] not in e.message.replace(case["id"] + "/", ""):
        yield "stock's message lacks %r: %s" % (run["words"], first_lines(e.message))
      return
    except (TypeError, ValueError) as e:
      yield "the client refuses the run: %s" % e
      return
    if run["code"] != 0:
      yield "stock gives no error, ours is %s" % first_lines(run["our_message"])
      return
    if run["our_code"] != 0:
      yield "we fail, stock does not: %s" % first_lines(run["our_message"])
      return
    for (name, k, ignored), value in zip(live, stock):
      if not ignored:
        problem = difference(case, self.value(k), value)
        if problem:
          yield "%s: %s" % (name.split("/", 1)[1], problem)
    for name, _, _ in dead:
      try:
        session.run(name, feed_dict=feeds, options=options)
        yield "%s: stock has a value, ours is dead" % name
      except tf.errors.InvalidArgumentError as e:
        if "does not have value" not in e.message:
          yield "%s: %s" % (name, first_lines(e.message))

  def check_variable(self, session, case, read, k, options):
    try:
      stock = session.run(read, options=options)
    except tf.errors.OpError as e:
      if k is not None:
        yield "variable %s: stock cannot read it: %s" % (read, first_lines(e.message))
      return
    if k is None:
      yield "variable %s: stock has a value, ours has none" % read
      return
    problem = difference(case, self.value(k), stock)
    if problem:
      yield "variable %s afterwards: %s" % (read, problem)


def first_lines(message):
  """Of an error, without the client's preface about the place in the graph."""
  at = message.rfind("\nNode: '")
  if at >= 0:
    message = message[at + 1 :].split("\n", 1)[-1]
  return " | ".join(message.split("\n")[:4])[:500]


# Outputs, by op and number, of which stock's shape function says what its kernel does not give.
WRONG_SHAPES = {
  ("FractionalAvgPool", 1): "a sequence has an element more than there are windows",
  ("FractionalAvgPool", 2): "as the one before",
  ("FractionalMaxPool", 1): "as that of FractionalAvgPool",
  ("FractionalMaxPool", 2): "as that of FractionalAvgPool",
  ("LSTMBlockCellGrad", 2): "the gradient of a peephole has the size of the peephole, which nobody checks",
}


def check_static_shape(tensor, ours):
  """Ours must know all that stock knows, and agree."""
  if (tensor.op.type, tensor.value_index) in WRONG_SHAPES:
    return
  try:
    stock = tensor.shape
  except ValueError as e:
    yield "static shape of %s is %s, stock has none: %s" % (tensor.name, ours, e)
    return
  if stock.rank is None:
    return
  known = [-1 if d is None else d for d in stock.as_list()]
  if ours is None or len(ours) != len(known) or any(s >= 0 and s != o for o, s in zip(ours, known)):
    yield "static shape of %s is %s, stock's is %s" % (tensor.name, ours, known)
