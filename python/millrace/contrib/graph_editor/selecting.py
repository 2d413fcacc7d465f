"""Selects ops and tensors: by patterns of names, by scopes, and by walks along the graph."""

import re

import millrace as tf
from millrace.contrib.graph_editor import elements


def can_be_regex(obj):
  """Whether it is a pattern: a text, or compiled."""
  return isinstance(obj, (str, re.Pattern))


def make_regex(obj):
  """Returns a compiled pattern. Raises ValueError for what can be none."""
  if not can_be_regex(obj):
    raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
  return re.compile(obj) if isinstance(obj, str) else obj


def _filtered(values, positive_filter):
  return [value for value in values if positive_filter is True or positive_filter is None or positive_filter(value)]


def filter_ts(ops, positive_filter):
  """Returns the tensors that ops make and a function says true of; all for True."""
  return _filtered([tensor for op in elements.make_list_of_op(ops) for tensor in op.outputs], positive_filter)


def filter_ts_from_regex(ops, regex):
  """Returns the tensors that ops make in whose names a pattern is found."""
  regex = make_regex(regex)
  return filter_ts(ops, positive_filter=lambda tensor: regex.search(tensor.name))


def filter_ops(ops, positive_filter):
  """Returns the ops that a function says true of; all for True."""
  return _filtered(elements.make_list_of_op(ops), positive_filter)


def filter_ops_from_regex(ops, regex):
  """Returns the ops in whose names a pattern is found."""
  regex = make_regex(regex)
  return filter_ops(ops, lambda op: regex.search(op.name))


def get_name_scope_ops(ops, scope):
  """Returns the ops below a scope."""
  scope = scope.rstrip("/")
  return filter_ops_from_regex(ops, f"^{re.escape(scope)}/.*$")


def check_cios(control_inputs=False, control_outputs=None, control_ios=None):
  """Returns (whether to walk along control inputs, a ControlOutputs or None), of what functions were given for them.

  `control_ios`, a graph or ControlOutputs, stands for both. Raises ValueError for both ways at once, TypeError for other things.
  """
  if control_ios is not None:
    if control_inputs or control_outputs is not None:
      raise ValueError("control_inputs and control_outputs must be None if control_ios is not None")
    control_inputs, control_outputs = True, control_ios
  if isinstance(control_outputs, tf.Graph):
    control_outputs = elements.ControlOutputs(control_outputs)
  if control_outputs is not None and not isinstance(control_outputs, elements.ControlOutputs):
    raise TypeError(f"Expected a ControlOutputs or a graph, got: {type(control_outputs)}")
  return bool(control_inputs), control_outputs


def get_ops_ios(ops, control_inputs=False, control_outputs=None, control_ios=None):
  """Returns the ops that ops read from or are read by, each once."""
  control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
  found = {}
  for op in elements.make_list_of_op(ops):
    for other in _before(op, control_inputs) + _behind(op, control_outputs):
      found.setdefault(other.name, other)
  return list(found.values())


def _before(op, control_inputs):
  return [tensor.op for tensor in op.inputs] + (list(op.control_inputs) if control_inputs else [])


def _behind(op, control_outputs):
  read = [consumer for tensor in op.outputs for consumer in tensor.consumers()]
  return read + (list(control_outputs.get(op)) if control_outputs is not None else [])


def compute_boundary_ts(ops):
  """Returns (tensors from outside that ops read, tensors that others or nobody read, tensors that only they read)."""
  ops = elements.make_list_of_op(ops)
  inside = set(ops)
  inputs, outputs, within = [], [], []
  for op in ops:
    inputs += [tensor for tensor in op.inputs if tensor.op not in inside and tensor not in inputs]
    for tensor in op.outputs:
      consumers = tensor.consumers()
      if any(consumer not in inside for consumer in consumers) or not consumers:
        outputs.append(tensor)
      if any(consumer in inside for consumer in consumers):
        within.append(tensor)
  return inputs, outputs, within


def _walk(seed_ops, inclusive, within, stops, next_ops):
  """Ops from the seeds on, as far as they are `within`, in the order in which they are met."""
  seeds = {op.name: op for op in seed_ops}
  found, waiting = dict(seeds), list(seeds.values())
  while waiting:
    op = waiting.pop(0)
    for other in next_ops(op, stops):
      if other.name not in found and within(other):
        found[other.name] = other
        waiting.append(other)
  return [op for name, op in found.items() if inclusive or name not in seeds]


def _within(within_ops, within_ops_fn):
  inside = None if within_ops is None else set(elements.make_list_of_op(within_ops, allow_graph=False))
  return lambda op: (inside is None or op in inside) and (within_ops_fn is None or within_ops_fn(op))


def _seeds(seed_ops, forward):
  values = list(elements._flat(seed_ops))
  if values and isinstance(values[0], tf.Tensor):
    tensors = elements.make_list_of_t(values, allow_graph=False)
    return elements.get_consuming_ops(tensors) if forward else elements.get_generating_ops(tensors)
  return elements.make_list_of_op(values, allow_graph=False)


def get_forward_walk_ops(seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(), control_outputs=None):
  """Returns the ops that read what ops make, and so on; of tensors, from their readers on.

  With `inclusive` the first ones are among them. The walk stays within `within_ops` and ops that `within_ops_fn` says true of, and does not
  go through `stop_at_ts`; with `control_outputs` it also goes to ops that wait.
  """
  _, control_outputs = check_cios(False, control_outputs)
  stops = set(elements.make_list_of_t(stop_at_ts))

  def next_ops(op, stops):
    read = [consumer for tensor in op.outputs if tensor not in stops for consumer in tensor.consumers()]
    return read + (list(control_outputs.get(op)) if control_outputs is not None else [])

  return _walk(_seeds(seed_ops, True), inclusive, _within(within_ops, within_ops_fn), stops, next_ops)


def get_backward_walk_ops(seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(), control_inputs=False):
  """Returns the ops from which ops read, and so on; of tensors, from their makers on. Arguments are as of get_forward_walk_ops."""
  stops = set(elements.make_list_of_t(stop_at_ts))

  def next_ops(op, stops):
    made = [tensor.op for tensor in op.inputs if tensor not in stops]
    return made + (list(op.control_inputs) if control_inputs else [])

  return _walk(_seeds(seed_ops, False), inclusive, _within(within_ops, within_ops_fn), stops, next_ops)


def _both_walks(
  forward_seed_ops,
  backward_seed_ops,
  forward_inclusive,
  backward_inclusive,
  within_ops,
  within_ops_fn,
  control_inputs,
  control_outputs,
  control_ios,
):
  control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
  forward = get_forward_walk_ops(forward_seed_ops, forward_inclusive, within_ops, within_ops_fn, control_outputs=control_outputs)
  backward = get_backward_walk_ops(
    backward_seed_ops, backward_inclusive, within_ops, within_ops_fn, control_inputs=control_inputs
  )
  return forward, backward


def get_walks_intersection_ops(
  forward_seed_ops,
  backward_seed_ops,
  forward_inclusive=True,
  backward_inclusive=True,
  within_ops=None,
  within_ops_fn=None,
  control_inputs=False,
  control_outputs=None,
  control_ios=None,
):
  """Returns the ops of a forward walk that are of a backward walk, too: those between."""
  forward, backward = _both_walks(
    forward_seed_ops,
    backward_seed_ops,
    forward_inclusive,
    backward_inclusive,
    within_ops,
    within_ops_fn,
    control_inputs,
    control_outputs,
    control_ios,
  )
  return [op for op in forward if op in set(backward)]


def get_walks_union_ops(
  forward_seed_ops,
  backward_seed_ops,
  forward_inclusive=True,
  backward_inclusive=True,
  within_ops=None,
  within_ops_fn=None,
  control_inputs=False,
  control_outputs=None,
  control_ios=None,
):
  """Returns the ops of a forward and of a backward walk."""
  forward, backward = _both_walks(
    forward_seed_ops,
    backward_seed_ops,
    forward_inclusive,
    backward_inclusive,
    within_ops,
    within_ops_fn,
    control_inputs,
    control_outputs,
    control_ios,
  )
  return forward + [op for op in backward if op not in set(forward)]


def get_within_boundary_ops(
  ops, seed_ops, boundary_ops=(), inclusive=True, control_inputs=False, control_outputs=None, control_ios=None
):
  """Returns the ops of `ops` that can be reached from seeds both ways without going beyond the boundary, which is among them if `inclusive`.

  Raises ValueError if a seed is on the boundary.
  """
  control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
  ops = set(elements.make_list_of_op(ops))
  seeds = elements.make_list_of_op(seed_ops, allow_graph=False)
  boundary = set(elements.make_list_of_op(boundary_ops))
  if boundary & set(seeds):
    raise ValueError("Boundary is intersecting with the seeds.")

  def next_ops(op, unused_stops):
    return [] if op in boundary else _before(op, control_inputs) + _behind(op, control_outputs)

  found = _walk(seeds, True, lambda op: op in ops, (), next_ops)
  return [op for op in found if inclusive or op not in boundary]


_OPS = "(?#ops)"
_TENSORS = "(?#ts)"


def _graph_of(args, graph, kwargs):
  if kwargs:
    raise ValueError(f"Unexpected keyword arguments: {', '.join(sorted(kwargs))}")
  if graph is not None:
    if not isinstance(graph, tf.Graph):
      raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    return graph
  return tf.get_default_graph() if any(can_be_regex(arg) for arg in args) else None


def _text(regex):
  return regex if isinstance(regex, str) else regex.pattern


def select_ops(*args, graph=None, restrict_ops_regex=False, positive_filter=None, **kwargs):
  """Returns ops: those given, and those in whose names a pattern is found.

  With `restrict_ops_regex` only patterns that begin with "(?#ops)" count. `graph` is the one that patterns are for, by default the default
  one. Raises TypeError for something else than ops and patterns.
  """
  graph = _graph_of(args, graph, kwargs)
  found = []
  for arg in args:
    if can_be_regex(arg):
      text = _text(arg)
      if text.startswith(_TENSORS) or (restrict_ops_regex and not text.startswith(_OPS)):
        continue
      found += [op for op in filter_ops_from_regex(_filtered(graph.get_operations(), positive_filter), arg) if op not in found]
    else:
      found += [op for op in elements.make_list_of_op(arg, check_graph=False) if op not in found]
  return found


def select_ts(*args, graph=None, restrict_ts_regex=False, positive_filter=None, **kwargs):
  """Returns tensors: those given, and those in whose names a pattern is found; with `restrict_ts_regex` only of patterns that begin with "(?#ts)"."""
  graph = _graph_of(args, graph, kwargs)
  found = []
  for arg in args:
    if can_be_regex(arg):
      text = _text(arg)
      if text.startswith(_OPS) or (restrict_ts_regex and not text.startswith(_TENSORS)):
        continue
      found += [t for t in _filtered(filter_ts_from_regex(graph.get_operations(), arg), positive_filter) if t not in found]
    else:
      found += [tensor for tensor in elements.make_list_of_t(arg, check_graph=False) if tensor not in found]
  return found


def select_ops_and_ts(*args, graph=None, **kwargs):
  """Returns (ops, tensors) of what was given and of patterns that begin with "(?#ops)" or "(?#ts)"."""
  patterns = [arg for arg in args if can_be_regex(arg)]
  rest = [value for arg in args if not can_be_regex(arg) for value in elements._flat(arg)]
  for pattern in patterns:
    if not _text(pattern).startswith((_OPS, _TENSORS)):
      raise ValueError(f"A pattern has to begin with {_OPS} or {_TENSORS}: {_text(pattern)}")
  ops = select_ops(
    [value for value in rest if isinstance(value, tf.Operation)], *patterns, graph=graph, restrict_ops_regex=True, **kwargs
  )
  ts = select_ts(
    [value for value in rest if isinstance(value, tf.Tensor)], *patterns, graph=graph, restrict_ts_regex=True, **kwargs
  )
  return ops, ts
