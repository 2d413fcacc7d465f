"""A program as a script of its own, which runs on either kind of server."""

import source

HEAD = '''"""{title}

usage: script.py TARGET [TARGET [TARGET]]
Targets (grpc://host:port) are those of worker 0, worker 1 and the ps of a cluster of one ps and two workers; with one target all
sessions are there.

{found}
"""

import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function
from tensorflow.python.ops import data_flow_ops, functional_ops

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
tf1.{generation}_control_flow_v2()
tf1.set_random_seed(1234)

config = tf1.ConfigProto(operation_timeout_in_ms=20_000)
{config}sessions, initialized = {{}}, set()


def needs(op, other, seen):
  seen.add(op)
  before = [t.op for t in op.inputs] + op.control_inputs
  return op == other or any(needs(b, other, seen) for b in before if b not in seen)


def run(fetches, feeds=(), also=(), session=0, how="run"):
  """A run of a session, and the values of all variables after it."""
  if session not in sessions:
    targets = sys.argv[1:]
    sessions[session] = tf1.Session(targets[session] if session < len(targets) else targets[0], config=config)
  made = [v.initializer for v in tf1.global_variables()] + tf1.get_collection(tf1.GraphKeys.TABLE_INITIALIZERS)
  for op in made:
    if op.name not in initialized:
      sessions[session].run(op)
  initialized.update(op.name for op in made)
  nodes, values = list(fetches) + [getattr(a, "op", a) for a in also], dict(feeds)
  try:
    if how == "run":
      results = sessions[session].run(nodes, values)
    elif how == "partial":
      # In two calls: what needs the last feed comes with it in the second one.
      handle, results, last = sessions[session].partial_run_setup(nodes, list(values)), {{}}, list(values)[-1:]
      later = [f for f in fetches if last and needs(f.op, last[0].op, set())]
      for some, fed in ([f for f in fetches if f not in later], list(values)[:-1]), (later, last):
        if some or fed:
          results.update(zip(some, sessions[session].partial_run(handle, some, {{t: values[t] for t in fed}})))
      results = [results[f] for f in fetches]
    else:
      results = sessions[session].make_callable(nodes, list(values))(*[np.array(v, t.dtype.as_numpy_dtype) for t, v in values.items()])
    for f, result in zip(fetches, results):
      print(f.name, np.asarray(result).tolist())
  except tf.errors.OpError as e:
    print(type(e).__name__, e.message)
  for v in tf1.global_variables():
    print(" ", v.name, np.asarray(sessions[session].run(v)).tolist())


'''

CONFIGS = {
  "default": "",
  "L0": "config.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0\n",
  "all": """rewrites = config.graph_options.rewrite_options
rewrites.min_graph_nodes, rewrites.meta_optimizer_iterations = -1, rewrites.TWO
for name in ("constant_folding", "arithmetic_optimization", "dependency_optimization", "loop_optimization", "shape_optimization"):
  setattr(rewrites, name, rewrites.AGGRESSIVE)
""",
}
CONFIGS["off"] = CONFIGS["L0"] + "config.graph_options.rewrite_options.disable_meta_optimizer = True\n"


def script(program, title, found):
  lines = [text for _, text in source.blocks_of(program)]
  return (
    HEAD.format(
      title=title,
      found=found.replace("\\", "/").replace('"""', "'''"),
      generation="enable" if program.functions else "disable",
      config=CONFIGS[program.rewriting],
    )
    + "\n".join(lines)
    + "\n"
  )
