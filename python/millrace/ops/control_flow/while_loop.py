"""tf.while_loop."""

from millrace import _binding, gen
from millrace.framework import composite, constants, convert, nest, tensor_shape
from millrace.framework import graph as graphs
from millrace.ops.control_flow import basics, contexts, flows


def while_loop(
  cond,
  body,
  loop_vars,
  shape_invariants=None,
  parallel_iterations=10,
  back_prop=True,
  swap_memory=False,
  name=None,
  maximum_iterations=None,
  return_same_structure=False,
):
  """Repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` is true; returns the last loop_vars.

  `loop_vars` is a list or tuple of tensors, TensorArrays or nested structures. Of a single tensor, the result is that tensor
  unless `return_same_structure`; with `maximum_iterations`, of a single structure it is that structure. Shapes may not change between iterations in what is known of them, unless `shape_invariants`
  (of the same structure; for a SparseTensor the dense shape, for IndexedSlices that of the values) says less. At most
  `parallel_iterations` iterations run at once, and at most `maximum_iterations` at all. `back_prop` says whether gradients go
  back through the loop.

  Raises TypeError for functions that are not callable, ValueError for no variables, and for variables that change their
  structure or shape.
  """
  if not callable(cond):
    raise TypeError("'cond' must be callable.")
  if not callable(body):
    raise TypeError("'body' must be callable.")
  if parallel_iterations < 1:
    raise TypeError("'parallel_iterations' must be a positive integer.")
  with graphs.name_scope(name, "while", loop_vars):
    if not loop_vars:
      raise ValueError("'loop_vars' must be provided.")
    unpack = len(loop_vars) == 1 and not return_same_structure
    if maximum_iterations is not None:
      maximum_iterations = convert.convert_to_tensor(maximum_iterations, name="maximum_iterations")
      if maximum_iterations.shape.ndims != 0:
        raise ValueError("'maximum_iterations' must be a scalar. Received shape: %s" % maximum_iterations.shape)
      cond, body, loop_vars = _limited(cond, body, loop_vars, maximum_iterations, unpack)
      if shape_invariants is not None:
        shape_invariants = (tensor_shape.TensorShape([]), shape_invariants)
    context = contexts.WhileContext(maximum_iterations, parallel_iterations, back_prop, swap_memory)
    if context.outer_context is None:
      graphs.add_to_collection(graphs.GraphKeys.WHILE_CONTEXT, context)
    result = _Loop(context, cond, body, loop_vars, shape_invariants).build()
    if maximum_iterations is not None:
      return result[1]
    # What is of several tensors stays in its list, as in TensorFlow.
    return result[0] if unpack and len(result) == 1 and len(nest.flatten(result, expand_composites=True)) == 1 else result


def _limited(cond, body, loop_vars, limit, unpack):
  """Adds a counter of iterations in front of the variables."""
  counter = constants.constant(0, dtype=limit.dtype, name="iteration_counter")
  if unpack:
    return (
      lambda i, v: gen.logical_and(i < limit, cond(v)),
      lambda i, v: (i + 1, body(v)),
      (counter, loop_vars[0]),
    )
  return (
    lambda i, v: gen.logical_and(i < limit, cond(*v)),
    lambda i, v: (i + 1, body(*v)),
    (counter, loop_vars),
  )


def _is_at_most(shape, limit):
  """Whether all that `limit` says is true of `shape`."""
  if limit.ndims is None:
    return True
  if shape.ndims != limit.ndims:
    return False
  return all(most.value is None or most.value == dim.value for dim, most in zip(shape.dims, limit.dims))


def _invariants_of(value, shape):
  """The shapes of the tensors of one variable, from the shape that a program gives for it."""
  if isinstance(value, composite.SparseTensor):
    if isinstance(shape, composite.TypeSpec):
      return shape._flat_component_specs()
    rank = shape.ndims
    return [tensor_shape.TensorShape([None, rank]), tensor_shape.TensorShape([None]), tensor_shape.TensorShape([rank])]
  if isinstance(value, composite.IndexedSlices):
    rows = tensor_shape.TensorShape(shape).with_rank_at_least(1)
    shapes = [rows, rows[:1]]
    return shapes if value.dense_shape is None else shapes + [tensor_shape.TensorShape([rows.ndims])]
  return [shape.shape if isinstance(shape, composite.TypeSpec) else tensor_shape.as_shape(shape)]


class _Loop:
  """Builds one loop. The nodes are those of TensorFlow: Enter, Merge, Switch, NextIteration and Exit for each tensor."""

  def __init__(self, context, cond, body, loop_vars, shape_invariants):
    self._context = context
    self._graph = context.graph
    self._cond = cond
    self._body = body
    self._structure = loop_vars
    values = nest.flatten(flows.without_arrays(loop_vars))
    self._values = [basics.as_value(value) for value in values]
    if shape_invariants is None:
      self._shapes = None
    else:
      nest.assert_same_structure(loop_vars, shape_invariants, expand_composites=False)
      pairs = zip(self._values, nest.flatten(shape_invariants))
      self._shapes = [shape for value, wanted in pairs for shape in _invariants_of(value, wanted)]
    # The variables with arrays where the program has them, to give them back.
    self._originals = nest.flatten(loop_vars)
    self._tensors = nest.flatten(self._values, expand_composites=True)

  def _pack(self, tensors):
    """The variables as the program's functions take them, from their tensors."""
    values = nest.pack_sequence_as(self._values, tensors, expand_composites=True)
    return nest.pack_sequence_as(self._structure, flows.with_arrays(self._originals, values))

  def build(self):
    """Returns what the body returned, with the values after the loop."""
    with self._context.entered():
      merges = self._begin()
      condition = convert.convert_to_tensor(self._cond(*self._pack(merges)))
      pivot = basics.loop_cond(condition, name="LoopCond")
      self._context._core.set_part("pivot", pivot)
      switches = [basics.switch_ref_or_tensor(merge, pivot) for merge in merges]
      inside = [basics.identity(switch[1]) for switch in switches]
      self._context._core.set_part("pivot_for_body", inside[0])
      returned, tensors = self._call_body(self._pack(inside))
      self._close(merges, tensors)
      exits = [basics.exit(switch[0]) for switch in switches]
      self._context._core.set_exits(exits)
      self._context.ExitResult(exits)
    flat = nest.flatten(returned)
    values = nest.pack_sequence_as(flows.without_arrays(flat), exits, expand_composites=True)
    return nest.pack_sequence_as(returned, flows.with_arrays(flat, values))

  def _begin(self):
    """Makes the Enter and the Merge of each tensor."""
    outer = self._context.outer_context
    values = self._tensors if outer is None else [outer.AddValue(value) for value in self._tensors]
    enters = []
    with self._graph.control_dependencies(None):
      for i, value in enumerate(values):
        shape = None if self._shapes is None else self._shapes[i]
        enter = basics.enter(
          value,
          self._context.name,
          parallel_iterations=self._context.parallel_iterations,
          use_input_shape=shape is None,
        )
        if shape is not None:
          if not _is_at_most(value.get_shape(), shape):
            raise ValueError(
              "The shape invariant specified for %s is not compatible with the initial shape of the loop variable. It enters the "
              "loop with shape %s, but the specified shape invariant is %s." % (value.name, value.get_shape(), shape)
            )
          _binding.replace_shape(enter, shape)
        enters.append(enter)
    self._context._core.begin(self._graph, enters)
    merges = [basics.merge([enter, enter])[0] for enter in enters]
    self._context._core.set_part("pivot_for_pred", merges[0])
    return merges

  def _call_body(self, variables):
    """Returns what the body returns, as a structure and as tensors."""
    returned = self._body(*variables)
    if not nest.is_nested(returned):
      returned = [returned]
    nest.assert_same_structure(list(variables), list(returned), expand_composites=True)
    values = nest.flatten(flows.without_arrays(returned))
    values = [basics.as_value(value) for value in values]
    return returned, nest.flatten(values, expand_composites=True)

  def _close(self, merges, tensors):
    if len(merges) != len(tensors):
      raise ValueError(
        "Number of inputs and outputs of 'body' must match 'loop_vars'. Got %d for the number of inputs/outputs, and %d for "
        "'loop_vars'." % (len(tensors), len(merges))
      )
    for merge, value in zip(merges, tensors):
      following = basics.next_iteration(value)
      if not _is_at_most(following.get_shape(), merge.get_shape()):
        entered = merge.op.inputs[0].op.inputs[0]
        raise ValueError(
          "Input tensor '%s' enters the loop with shape %s, but has shape %s after one iteration. To allow the shape to vary "
          "across iterations, use the `shape_invariants` argument of tf.while_loop to specify a less-specific shape."
          % (entered.name, entered.get_shape(), following.get_shape())
        )
      _binding.close_loop_variable(merge, following)
