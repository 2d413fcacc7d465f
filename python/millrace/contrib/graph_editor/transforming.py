"""Copies views into their graph or another one, with what the copies read in the place of inputs."""

import millrace as tf
from millrace.contrib.graph_editor import elements, selecting, subgraph
from millrace.framework import protos


def replace_t_with_placeholder_handler(info, t):
  """Gives a placeholder for a tensor from outside that a copy reads."""
  with info.graph_.as_default():
    return elements.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info, t):
  """Gives the tensor itself if the copy is in its graph, otherwise a placeholder."""
  return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info, elem, elem_):
  """Puts the copy of an op or tensor into the collections, of the copy's graph, that have the original; scopes in their names change along."""
  known = {key: info.graph.get_collection(key) for key in info.graph.get_all_collection_keys()}
  for name, values in known.items():
    if any(value is elem for value in values):
      target = name
      if isinstance(name, str) and name.startswith(info.scope) and info.scope:
        target = info.scope_ + name[len(info.scope) :]
      info.graph_.add_to_collection(target, elem_)


def transform_op_if_inside_handler(info, op, keep_if_possible=True):
  """Gives the copy of an op of the view; the op itself if it is outside and `keep_if_possible` in one graph, else None."""
  if op in info.sgv.ops:
    return info.transformed_ops.get(op)
  return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(info, op, new_inputs, copy_shape=False, nodedef_fn=None):
  """Makes the copy of an op; returns (the op, its outputs). `nodedef_fn` changes its NodeDef; with `copy_shape`, outputs have the old shapes."""
  node_def = protos.NodeDef()
  node_def.CopyFrom(op.node_def)
  node_def.name = info.graph_.unique_name(info.new_name(op.name))
  if nodedef_fn is not None:
    node_def = nodedef_fn(node_def)
  if "_class" in node_def.attr:
    _rename_colocation(info, node_def)
  made = tf.Operation(node_def, info.graph_, list(new_inputs))
  if node_def.device:
    made._set_device(node_def.device)
  for tensor, before in zip(made.outputs, op.outputs):
    if copy_shape:
      tensor.set_shape(before.shape)
  return made, made.outputs


def _rename_colocation(info, node_def):
  """Lets a copy be placed with copies; with what is not copied only in the same graph."""
  kept = []
  for text in node_def.attr["_class"].list.s:
    name = text.decode()[len("loc:@") :]
    if text.startswith(b"loc:@") and name in info.names:
      kept.append(b"loc:@" + info.new_name(name).encode())
    elif info.graph is info.graph_:
      kept.append(text)
  del node_def.attr["_class"]
  if kept:
    node_def.attr["_class"].list.s.extend(kept)


class TransformerInfo:
  """What became of the elements of a view."""

  def __init__(self, info):
    self._graph = info.graph
    self._scope = info.scope
    self._graph_ = info.graph_
    self._scope_ = info.scope_
    self._transformed_ops = info.transformed_ops
    self._transformed_ts = info.transformed_ts

  def _key(self, top):
    return top

  def transformed(self, original, missing_fn=None):
    """Returns the copies of ops, tensors, views, or structures of them; where there is none, `missing_fn(original)` or None."""
    return self._mapped(original, missing_fn, self._transformed_ops, self._transformed_ts)

  def original(self, transformed, missing_fn=None):
    """Returns that of which something is the copy, as `transformed`."""
    ops = {copy: op for op, copy in self._transformed_ops.items()}
    ts = {copy: tensor for tensor, copy in self._transformed_ts.items()}
    return self._mapped(transformed, missing_fn, ops, ts)

  def _mapped(self, value, missing_fn, ops, ts):
    if isinstance(value, dict):
      return {key: self._mapped(one, missing_fn, ops, ts) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
      return type(value)(self._mapped(one, missing_fn, ops, ts) for one in value)
    if isinstance(value, subgraph.SubGraphView):
      made = subgraph.SubGraphView(self._mapped(value.ops, missing_fn, ops, ts))
      made._input_ts = self._mapped(value.inputs, missing_fn, ops, ts)
      made._output_ts = self._mapped(value.outputs, missing_fn, ops, ts)
      return made
    name = value if isinstance(value, str) else None
    if name is not None:
      value = self._graph.as_graph_element(name)
    found = ops.get(value) if isinstance(value, tf.Operation) else ts.get(value)
    if found is None and missing_fn is not None:
      return missing_fn(value)
    return found.name if name is not None and found is not None else found

  def __str__(self):
    lines = ["Transformer result info:", f"  Graph:   {self._graph}", f"  Scope:   {self._scope} -> {self._scope_}"]
    lines += [f"  {op.name} -> {copy.name}" for op, copy in self._transformed_ops.items()]
    return "\n".join(lines)


class _Info:
  """The state of one copying."""

  def __init__(self, sgv, dst_graph, dst_scope, src_scope):
    self.sgv = sgv
    self.ops = set(sgv.ops)
    self.names = {op.name for op in sgv.ops}
    self.graph = sgv.graph
    self.scope = src_scope
    self.graph_ = dst_graph
    self.scope_ = dst_scope
    self.transformed_ops = {}
    self.transformed_ts = {}

  def new_name(self, name):
    """The name of a copy: the scope of the originals is replaced by that of the copies."""
    if not name.startswith(self.scope):
      raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
    return self.scope_ + name[len(self.scope) :]


class Transformer:
  """Copies views; its handlers, functions of what is being copied, say how.

  `transform_op_handler(info, op, new_inputs)` returns the new op and its outputs, `transform_external_input_handler(info, tensor)` what is
  read in place of an input, `transform_control_input_handler(info, op)` what is waited for, `assign_collections_handler(info, old, new)`
  deals with collections, `transform_original_op_handler(info, op)` with the op that an op says it was made for.
  """

  def __init__(self):
    self.transform_op_handler = copy_op_handler
    self.transform_control_input_handler = transform_op_if_inside_handler
    self.transform_original_op_handler = transform_op_if_inside_handler
    self.assign_collections_handler = assign_renamed_collections_handler
    self.transform_external_input_handler = keep_t_if_possible_handler
    self.transform_external_hidden_input_handler = keep_t_if_possible_handler

  def __call__(self, sgv, dst_graph, dst_scope, src_scope="", reuse_dst_scope=False):
    """Copies a view into a scope of a graph; returns (view of the copy, TransformerInfo).

    The scope gets a name of its own unless `reuse_dst_scope`. `src_scope` is left out of the names. Raises TypeError for no graph, ValueError
    for an op outside of `src_scope`.
    """
    sgv = subgraph.make_view(sgv)
    if not isinstance(dst_graph, tf.Graph):
      raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
    src_scope = _with_slash(src_scope)
    dst_scope = _with_slash(dst_scope)
    if dst_scope and not reuse_dst_scope:
      dst_scope = _with_slash(dst_graph.unique_name(dst_scope.rstrip("/")))
    if sgv.graph is dst_graph and not dst_scope:
      tf.logging.warning("The source and the destination are the same! The copies get names of their own.")
    info = _Info(sgv, dst_graph, dst_scope, src_scope)
    self._copy_ops(info)
    result = TransformerInfo(info)

    def external(tensor):
      return info.transformed_ts.get(tensor)

    made = subgraph.SubGraphView(list(info.transformed_ops.values()))
    made._input_ts = [external(tensor) for tensor in sgv.inputs if external(tensor) is not None]
    made._output_ts = [external(tensor) for tensor in sgv.outputs if external(tensor) is not None]
    return made, result

  def _copy_ops(self, info):
    with info.graph_.as_default():
      for tensor in info.sgv.inputs:
        info.transformed_ts[tensor] = self.transform_external_input_handler(info, tensor)
      waiting = []
      for op in _in_order(info.sgv.ops):
        inputs = []
        for index, tensor in enumerate(op.inputs):
          found = self._input(info, tensor)
          if found is None:
            # A loop: its end is connected when it is there.
            waiting.append((op, index))
            found = next(made for made in map(lambda t: self._input(info, t), op.inputs) if made is not None)
          inputs.append(found)
        made, outputs = self.transform_op_handler(info, op, inputs)
        info.transformed_ops[op] = made
        self.assign_collections_handler(info, op, made)
        for before, after in zip(op.outputs, outputs):
          info.transformed_ts[before] = after
          self.assign_collections_handler(info, before, after)
      for op, index in waiting:
        info.transformed_ops[op]._update_input(index, info.transformed_ts[op.inputs[index]])
      for op, made in info.transformed_ops.items():
        before = [self.transform_control_input_handler(info, one) for one in op.control_inputs]
        made._add_control_inputs([one for one in before if one is not None])

  def _input(self, info, tensor):
    if tensor in info.transformed_ts:
      return info.transformed_ts[tensor]
    if tensor.op in info.ops:
      return None
    # An input of an op that is none of the view's inputs.
    info.transformed_ts[tensor] = self.transform_external_hidden_input_handler(info, tensor)
    return info.transformed_ts[tensor]


def _with_slash(scope):
  return scope if not scope or scope.endswith("/") else scope + "/"


def _in_order(ops):
  """Ops in an order in which what they read comes before them, but for the ends of loops."""
  inside, done, order = set(ops), set(), []
  for first in ops:
    stack = [(first, False)]
    while stack:
      op, ready = stack.pop()
      if ready:
        order.append(op)
      elif op not in done:
        done.add(op)
        stack.append((op, True))
        before = [tensor.op for tensor in op.inputs if op.type not in ("Merge", "RefMerge") or tensor.op.type != "NextIteration"]
        stack += [(one, False) for one in reversed([*before, *op.control_inputs]) if one in inside and one not in done]
  return order


def copy(sgv, dst_graph=None, dst_scope="", src_scope="", reuse_dst_scope=False):
  """Copies a view into a graph (by default its own) and scope; returns (view of the copy, TransformerInfo).

  In another graph it reads placeholders. In its own graph without a scope, copies have the names of the originals with numbers.
  """
  sgv = subgraph.make_view(sgv)
  dst_graph = sgv.graph if dst_graph is None else dst_graph
  if not isinstance(dst_graph, tf.Graph):
    raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
  return Transformer()(sgv, dst_graph, dst_scope, src_scope=src_scope, reuse_dst_scope=reuse_dst_scope)


def copy_with_input_replacements(sgv, replacement_ts, dst_graph=None, dst_scope="", src_scope="", reuse_dst_scope=False):
  """As copy; inputs that `replacement_ts`, a dictionary of tensors, has are read as its values."""
  sgv = subgraph.make_view(sgv)
  dst_graph = sgv.graph if dst_graph is None else dst_graph
  if not isinstance(dst_graph, tf.Graph):
    raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
  transformer = Transformer()

  def replaced(info, tensor):
    found = replacement_ts.get(tensor)
    return keep_t_if_possible_handler(info, tensor) if found is None else found

  transformer.transform_external_input_handler = replaced
  return transformer(sgv, dst_graph, dst_scope, src_scope=src_scope, reuse_dst_scope=reuse_dst_scope)


def graph_replace(target_ts, replacement_ts, dst_scope="", src_scope="", reuse_dst_scope=False):
  """Returns copies of tensors, or structures of them, that are made of others in the place of some: `replacement_ts` is {old: new}.

  Only ops between are copied, next to the originals if there is no scope. Raises ValueError if the targets do not depend on any.
  """
  from millrace.framework import nest

  flat = [tf.convert_to_tensor(target) for target in nest.flatten(target_ts)]
  graph = elements.check_one_graph(elements.make_list_of_t(flat))
  replacement_ts = {tf.convert_to_tensor(old): tf.convert_to_tensor(new) for old, new in replacement_ts.items()}
  ops = selecting.get_walks_intersection_ops(
    list(replacement_ts), flat, forward_inclusive=True, backward_inclusive=True, control_ios=graph
  )
  ops = [op for op in ops if not any(tensor in replacement_ts for tensor in op.outputs)]
  if not ops:
    raise ValueError("Targets and replacements are not connected!")
  view = subgraph.SubGraphView(ops)
  transformer = Transformer()
  transformer.transform_external_input_handler = lambda info, tensor: replacement_ts.get(tensor, tensor)
  if not dst_scope and not src_scope:
    # The copies stand beside the originals, with names that are free.
    info = _Info(view, graph, "", "")
    transformer._copy_ops(info)
    made = TransformerInfo(info)
  else:
    _, made = transformer(view, graph, dst_scope, src_scope=src_scope, reuse_dst_scope=reuse_dst_scope)
  copies = [made.transformed(target, lambda missing: missing) for target in flat]
  return nest.pack_sequence_as(target_ts, copies)
