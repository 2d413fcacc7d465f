"""Files with what the profiler knows of a graph: OpLogProto and ProfileProto."""

import os

import millrace as tf
from millrace.profiler import facts, messages


def write_op_log(graph, log_dir, op_log=None, run_meta=None, add_trace=True):
  """Writes the OpLogProto of a graph to the file tfprof_log of a folder that is there: float operations, types, and with `add_trace`, lines of Python.

  `op_log` has types and float operations of the program's own. `run_meta` is not needed: shapes are those of the graph.
  """
  del run_meta
  nodes, _ = facts.nodes_of(tf.get_default_graph() if graph is None else graph)
  if op_log is not None:
    facts.add_log(nodes, op_log)
  log = log_message(nodes, add_trace)
  with tf.gfile.GFile(os.path.join(log_dir, "tfprof_log"), "wb") as file:
    file.write(log.SerializeToString())


class _Texts:
  """Numbers of texts: each is kept once."""

  def __init__(self):
    self.numbers = {"none": 0}

  def number(self, text):
    return self.numbers.setdefault(text or "none", len(self.numbers))

  def write(self, texts):
    for text, number in self.numbers.items():
      texts[number] = text


def _add_frames(traces, frames, texts):
  for file, line, function, *_ in frames:
    traces.add(file_id=texts.number(file), lineno=line, function_id=texts.number(function), func_start_line=-1)


def log_message(nodes, add_trace):
  """The OpLogProto of nodes."""
  log = messages.OpLogProto()
  texts = _Texts()
  for node in nodes.values():
    types = sorted(node.types - {node.op, node.device})
    if not (node.float_ops or types or add_trace):
      continue
    entry = log.log_entries.add(name=node.name, float_ops=node.float_ops, types=types)
    if add_trace:
      _add_frames(entry.code_def.traces, node.frames, texts)
  texts.write(log.id_to_string)
  return log


def profile_message(nodes, steps):
  """The ProfileProto of nodes and steps."""
  made = messages.ProfileProto(steps=sorted(steps))
  texts = _Texts()
  numbers = {name: number for number, name in enumerate(nodes)}
  for name, node in nodes.items():
    message = made.nodes[numbers[name]]
    message.name, message.op, message.id = name, node.op, numbers[name]
    for index, source in enumerate(node.inputs):
      message.inputs[index] = numbers[source.name]
      message.input_shapes[index].int64_values.extend(node.input_shapes[index] or [])
    message.shape.extend(node.shape or [])
    message.op_types.extend(sorted(node.types))
    message.canonical_device = message.host_device = node.device
    message.float_ops = node.float_ops
    _add_frames(message.trace.traces, node.frames, texts)
    for step, taken in node.steps.items():
      exec_profile = message.execs[step]
      exec_profile.run_count = taken["run_count"]
      exec_profile.cpu_execs[node.device].times.add(int64_values=[0, taken["cpu_exec_micros"]])
      memory = {key: taken[key] for key in ("requested_bytes", "peak_bytes", "residual_bytes", "output_bytes")}
      exec_profile.memory_execs.add(**memory)
    made.has_trace = made.has_trace or bool(node.frames)
  texts.write(made.id_to_string)
  return made
