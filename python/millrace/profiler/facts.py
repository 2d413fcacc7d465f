"""What the profiler knows of nodes: types, shapes, float operations, where they were made, and what steps took."""

import re

from millrace.framework import errors
from millrace.profiler import float_ops

TRAINABLE = "_trainable_variables"
SUMMED = (
  "run_count",
  "exec_micros",
  "accelerator_exec_micros",
  "cpu_exec_micros",
  "requested_bytes",
  "peak_bytes",
  "residual_bytes",
  "output_bytes",
)


class Node:
  """A node: `inputs` are Nodes, in the order of the op's; `shape` is that of a variable or placeholder, as a list, or None."""

  def __init__(self, name, op):
    self.name = name
    self.op = op
    self.types = {op}
    self.inputs = []
    self.input_shapes = {}
    self.shape = None
    self.float_ops = 0
    self.frames = []
    self.device = ""
    self.steps = {}

  @property
  def parameters(self):
    """The number of elements of a variable or placeholder, 0 where it is not known."""
    if self.shape is None or any(size < 0 for size in self.shape):
      return 0
    count = 1
    for size in self.shape:
      count *= size
    return count

  def taken(self, step):
    """What a step took by name, the average of all steps if `step` is -1."""
    if step >= 0:
      found = [self.steps[step]] if step in self.steps else []
    else:
      found = list(self.steps.values())
    taken = {name: sum(one[name] for one in found) // len(found) if found else 0 for name in SUMMED}
    taken["parameters"] = self.parameters
    taken["float_ops"] = self.float_ops * max(1, taken["run_count"])
    return taken


def _dims(shape):
  """The sizes of a shape with -1 for what is not known; [1] of a scalar, None of an unknown rank."""
  if shape.ndims is None:
    return None
  return [-1 if size is None else size for size in shape.as_list()] or [1]


def _frames_of_script(frames):
  """Without the first frames, of what started the script that made the op."""
  frames = list(frames)
  first = 0
  while first < len(frames) and (errors.is_internal_file(frames[first][0]) or frames[first][0].endswith("/runpy.py")):
    first += 1
  return frames[first:]


def nodes_of(graph):
  """Returns ({name: Node} of a graph in the order of its ops, number of ops whose float operations are not known)."""
  nodes, unknown = {}, 0
  if graph is None:
    return nodes, unknown
  for op in graph.get_operations():
    node = nodes[op.name] = Node(op.name, op.type)
    if "shape" in op.node_def.attr:
      shape = op.node_def.attr["shape"]
      if shape.WhichOneof("value") == "shape" and not shape.shape.unknown_rank:
        node.shape = [dim.size for dim in shape.shape.dim] or [1]
    try:
      value = float_ops.get_stats_for_node_def(graph, op.node_def, "flops").value
      node.float_ops = int(value) if value else 0
    except ValueError:
      unknown += 1
    node.frames = _frames_of_script(op.traceback_with_start_lines)
  for op in graph.get_operations():
    node = nodes[op.name]
    for tensor in op.inputs:
      _add_input(node, nodes[tensor.op.name], tensor.shape)
    for control in op.control_inputs:
      _add_input(node, nodes[control.name], control.outputs[0].shape if control.outputs else None)
  for variable in graph.get_collection("trainable_variables"):
    if variable.op.name in nodes:
      nodes[variable.op.name].types.add(TRAINABLE)
  return nodes, unknown


def _add_input(node, source, shape):
  node.input_shapes[len(node.inputs)] = _dims(shape) if shape is not None else None
  node.inputs.append(source)


def add_log(nodes, op_log):
  """Adds the types and float operations of an OpLogProto."""
  for entry in op_log.log_entries:
    node = nodes.get(entry.name)
    if node is not None:
      node.types.update(entry.types)
      if entry.float_ops:
        node.float_ops = entry.float_ops


def add_step(nodes, step, step_stats):
  """Adds what a step took, by its StepStats; nodes that the graph does not have are added."""
  for device_stats in step_stats.dev_stats:
    device = device_stats.device.lower()
    for stats in device_stats.node_stats:
      name = stats.node_name
      node = nodes.get(name)
      if node is None:
        node = nodes[name] = Node(name, name)
      taken = node.steps.setdefault(step, dict.fromkeys(SUMMED, 0))
      micros = max(1, stats.op_end_rel_micros)
      if "stream" in device:
        if "stream:all" in device:
          _add_time(taken, "accelerator_exec_micros", micros)
        continue
      if re.search(r"gpu:\d", device) and node.device:
        continue
      _place(node, device)
      taken["run_count"] += 1
      _add_time(taken, "cpu_exec_micros", micros)
      _add_memory(taken, stats)


def _place(node, device):
  if not node.device:
    node.device = device
    node.types.add(device)


def _add_time(taken, kind, micros):
  taken[kind] += micros
  taken["exec_micros"] += micros


def _add_memory(taken, stats):
  kept = stats.memory_stats.temp_memory_size + stats.memory_stats.persistent_memory_size
  taken["requested_bytes"] += kept + sum(memory.total_bytes for memory in stats.memory)
  taken["peak_bytes"] += kept + sum(memory.peak_bytes for memory in stats.memory)
  taken["residual_bytes"] += stats.memory_stats.persistent_memory_size + sum(memory.live_bytes for memory in stats.memory)
  taken["output_bytes"] += sum(output.tensor_description.allocation_description.allocated_bytes for output in stats.output)
