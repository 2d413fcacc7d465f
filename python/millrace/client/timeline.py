"""Timeline: what a step did, from the StepStats of its RunMetadata, as a file for chrome://tracing or Perfetto."""

import json
import re

_LABEL = re.compile(r"^(?P<name>.*?) = (?P<op>[^(]+)\((?P<inputs>.*)\)")


class _Events:
  """The trace's events: first what names processes, then the others."""

  def __init__(self):
    self._names = []
    self._events = []

  def name_process(self, name, pid):
    self._names.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}})

  def add(self, ph, category, name, pid, tid, timestamp, **more):
    self._events.append({"ph": ph, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": timestamp, **more})

  def text(self, pretty):
    trace = {"traceEvents": self._names + self._events}
    return json.dumps(trace, indent=4) if pretty else json.dumps(trace, separators=(",", ":"))


class _Tensor:
  """A tensor of the trace: its number, when it was made, and when it was read last."""

  def __init__(self, number, pid, made):
    self.number = number
    self.pid = pid
    self.made = made
    self.read = []


class Timeline:
  """The trace of one step. `graph` is not needed: StepStats says what each node read."""

  def __init__(self, step_stats, graph=None):
    self._step_stats = step_stats
    self._graph = graph

  def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False):
    """Returns the trace as JSON: a process for each device with its ops in lanes.

    With `show_dataflow`, arrows lead from an op to those that read its result; with `show_memory`, the bytes of each allocator are
    drawn over time, and tensors with the time that they live.
    """
    events = _Events()
    allocators_pid = 0
    if show_memory:
      events.name_process("Allocators", allocators_pid)
    tensors, rows = self._devices(events, show_memory)
    for device, pid, lanes in rows:
      for stats, lane in lanes:
        self._op(events, device, stats, pid, lane)
    if show_dataflow or show_memory:
      self._reads(events, rows, tensors, show_dataflow)
    if show_memory:
      for name, tensor in tensors.items():
        if tensor.read:
          events.add("D", "Tensor", name, tensor.pid, 0, max(tensor.read), id=tensor.number)
      self._allocators(events, allocators_pid)
    return events.text(pretty=True)

  def _devices(self, events, show_memory):
    """Names the devices' processes. Returns ({tensor's name: _Tensor}, [(device, pid, [(node's stats, lane)])])."""
    pid = 0
    tensors, rows = {}, []
    for device in self._step_stats.dev_stats:
      pid += 1
      compute = pid
      events.name_process("%s Compute" % device.device, compute)
      pid += 1
      events.name_process("%s Tensors" % device.device, pid)
      rows.append((device.device, compute, _in_lanes(device.node_stats)))
      if "stream" in device.device and "gpu" in device.device.lower():
        continue  # the same nodes again
      for stats in device.node_stats:
        for output in stats.output:
          name = stats.node_name + (":%d" % output.slot if output.slot else "")
          if name in tensors:
            continue
          made = stats.all_start_micros
          tensors[name] = tensor = _Tensor(len(tensors), pid, made)
          if show_memory:
            events.add("N", "Tensor", name, pid, 0, made, id=tensor.number)
            shown = str(output.tensor_description).replace('"', "")
            end = made + stats.op_end_rel_micros
            events.add("O", "Tensor", name, pid, 0, end, id=tensor.number, args={"snapshot": {"tensor_description": shown}})
    return tensors, rows

  def _op(self, events, device, stats, pid, lane):
    name, op, inputs = _parse(stats, "/stream" in device)
    args = {"name": name, "op": op}
    args.update({"input%d" % index: value for index, value in enumerate(inputs)})
    events.add("X", "Op", op, pid, lane, stats.all_start_micros, dur=max(stats.all_end_rel_micros, 1), args=args)

  def _reads(self, events, rows, tensors, show_dataflow):
    """Notes who reads which tensor, and draws an arrow for each."""
    places = {stats.node_name: (pid, lane, stats) for _, pid, lanes in rows for stats, lane in lanes}
    flows = 0
    for device, pid, lanes in rows:
      for stats, lane in lanes:
        _, _, inputs = _parse(stats, "/stream" in device)
        for name in inputs:
          tensor = tensors.get(name)
          node = name.split(":")[0]
          if tensor is None or node not in places:
            continue
          tensor.read.append(stats.all_start_micros)
          from_pid, from_lane, source = places[node]
          if show_dataflow and (from_pid, from_lane) != (pid, lane):
            end = source.all_start_micros + source.all_end_rel_micros
            events.add("s", "DataFlow", name, from_pid, from_lane, end, id=flows)
            events.add("t", "DataFlow", name, pid, lane, stats.all_start_micros, id=flows)
            flows += 1

  def _allocators(self, events, pid):
    """Counters of the bytes that each allocator had given."""
    changes = {}
    for device in self._step_stats.dev_stats:
      for stats in device.node_stats:
        for memory in stats.memory:
          for record in memory.allocation_records:
            changes.setdefault(memory.allocator_name, []).append((record.alloc_micros, record.alloc_bytes))
    for allocator in sorted(changes):
      total = 0
      for when, size in sorted(changes[allocator]):
        total += size
        events.add("C", "Memory", allocator, pid, 0, when, args={allocator: total})


def _in_lanes(node_stats):
  """Nodes in the order of their starts, each in the first lane that is free then."""
  ends, placed = [], []
  for stats in sorted(node_stats, key=lambda stats: stats.all_start_micros):
    end = stats.all_start_micros + stats.all_end_rel_micros
    lane = next((index for index, busy_until in enumerate(ends) if busy_until < stats.all_start_micros), None)
    if lane is None:
      lane = len(ends)
      ends.append(0)
    ends[lane] = end
    placed.append((stats, lane))
  return placed


def _parse(stats, is_stream):
  """Returns (name, op type, names of inputs) of a node."""
  label = stats.timeline_label
  if stats.node_name == "RecvTensor" and not is_stream:
    return stats.node_name, stats.node_name, []  # the label says how much came from where
  found = _LABEL.match(label)
  if found is None:
    return stats.node_name, label or stats.node_name, []
  inputs = [] if not found.group("inputs") else [name.strip() for name in found.group("inputs").split(",")]
  name = stats.node_name if not is_stream else found.group("name")
  return name, found.group("op"), [value for value in inputs if value]
