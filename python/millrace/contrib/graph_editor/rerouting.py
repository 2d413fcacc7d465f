"""Connects the readers of tensors with other tensors."""

import millrace as tf
from millrace.contrib.graph_editor import elements, subgraph


def _pairs(ts0, ts1):
  ts0 = elements.make_list_of_t(ts0, allow_graph=False)
  ts1 = elements.make_list_of_t(ts1, allow_graph=False)
  if len(ts0) != len(ts1):
    raise ValueError("ts0 and ts1 have different sizes")
  elements.check_one_graph(ts0 + ts1)
  return list(zip(ts0, ts1))


def _modifiable(can_modify, cannot_modify):
  allowed = None if can_modify is None else set(elements.make_list_of_op(can_modify))
  forbidden = set() if cannot_modify is None else set(elements.make_list_of_op(cannot_modify))
  return lambda op: (allowed is None or op in allowed) and op not in forbidden


def _reads(tensor, may):
  """The places (op, index) at which a tensor is read by ops that may be changed."""
  return [
    (op, index)
    for op in elements.get_consuming_ops([tensor])
    if may(op)
    for index, read in enumerate(op.inputs)
    if read is tensor
  ]


def _connect(places, tensor):
  for op, index in places:
    op._update_input(index, tensor)
  return len(places)


def swap_ts(ts0, ts1, can_modify=None, cannot_modify=None):
  """Lets the readers of each tensor of a list read that of the other list, and the other way round; returns how many inputs were changed.

  Only ops of `can_modify` are changed, if it is given, and none of `cannot_modify`.
  """
  may = _modifiable(can_modify, cannot_modify)
  changed = 0
  for one, other in _pairs(ts0, ts1):
    first, second = _reads(one, may), _reads(other, may)
    changed += _connect(first, other) + _connect(second, one)
  return changed


def reroute_ts(ts0, ts1, can_modify=None, cannot_modify=None):
  """Lets the readers of tensors `ts1` read those of `ts0`, too; returns how many inputs were changed."""
  may = _modifiable(can_modify, cannot_modify)
  return sum(_connect(_reads(other, may), one) for one, other in _pairs(ts0, ts1))


def _reroute_inputs(sgv0, sgv1, both):
  sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
  elements.check_one_graph(sgv0.ops + sgv1.ops)
  inputs0, inputs1 = sgv0.inputs, sgv1.inputs
  pairs = _pairs(inputs0, inputs1)
  places0 = [_reads(tensor, _modifiable(sgv0.ops, None)) for tensor, _ in pairs]
  places1 = [_reads(tensor, _modifiable(sgv1.ops, None)) for _, tensor in pairs]
  for (one, other), first, second in zip(pairs, places0, places1):
    _connect(second, one)
    if both:
      _connect(first, other)
  return _refreshed(sgv0, inputs1 if both else inputs0, None), _refreshed(sgv1, inputs0, None)


def _refreshed(sgv, inputs, outputs):
  made = sgv.copy()
  if inputs is not None:
    made._input_ts = list(inputs)
    made._passthrough_ts = [tensor for tensor in made._passthrough_ts if tensor in made._input_ts]
  if outputs is not None:
    made._output_ts = list(outputs)
  return made


def swap_inputs(sgv0, sgv1):
  """Lets each view read what the other one reads; returns both views."""
  return _reroute_inputs(sgv0, sgv1, both=True)


def reroute_inputs(sgv0, sgv1):
  """Lets the second view read what the first one reads; returns both views."""
  return _reroute_inputs(sgv0, sgv1, both=False)


def _reroute_outputs(sgv0, sgv1, both):
  sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
  inside = sgv0.ops + sgv1.ops
  elements.check_one_graph(inside)
  (swap_ts if both else reroute_ts)(sgv0.outputs, sgv1.outputs, cannot_modify=inside)
  return sgv0, sgv1


def swap_outputs(sgv0, sgv1):
  """Lets those that read the outputs of each view read those of the other one; returns both views."""
  return _reroute_outputs(sgv0, sgv1, both=True)


def reroute_outputs(sgv0, sgv1):
  """Lets those that read the outputs of the second view read those of the first one; returns both views."""
  return _reroute_outputs(sgv0, sgv1, both=False)


def swap_ios(sgv0, sgv1):
  """Puts each view in the place of the other one; returns both views."""
  swap_outputs(sgv0, sgv1)
  return swap_inputs(sgv0, sgv1)


def reroute_ios(sgv0, sgv1):
  """Puts the first view in the place of the second one; returns both views."""
  reroute_outputs(sgv0, sgv1)
  return reroute_inputs(sgv1, sgv0)[::-1]


def add_control_inputs(op, cops):
  """Lets an op wait for others. Raises TypeError for no op, ValueError if it waits for one already."""
  if not isinstance(op, tf.Operation):
    raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
  cops = elements.make_list_of_op(cops, allow_graph=False)
  for before in cops:
    if before in op.control_inputs:
      raise ValueError(f"{before.name} is already a control_input of {op.name}")
  op._add_control_inputs(cops)


def remove_control_inputs(op, cops):
  """Lets an op wait for others no more. Raises TypeError for no op, ValueError if it did not wait for one."""
  if not isinstance(op, tf.Operation):
    raise TypeError(f"Expected a tf.Operation, got: {type(op)}")
  cops = elements.make_list_of_op(cops, allow_graph=False)
  for before in cops:
    if before not in op.control_inputs:
      raise ValueError(f"{before.name} is not a control_input of {op.name}")
  left = [before for before in op.control_inputs if before not in cops]
  op._remove_all_control_inputs()
  op._add_control_inputs(left)
