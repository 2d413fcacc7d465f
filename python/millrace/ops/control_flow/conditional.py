"""tf.cond: one of two functions is computed."""

from millrace import _binding, gen
from millrace.framework import composite, convert, nest, operation, tensor
from millrace.framework import graph as graphs
from millrace.ops.control_flow import basics, contexts, flows


def _functions(true_fn, false_fn, fn1, fn2):
  """The two functions, which older programs pass as fn1 and fn2."""
  for new, old, name, old_name in ((true_fn, fn1, "true_fn", "fn1"), (false_fn, fn2, "false_fn", "fn2")):
    if old is not None and new is not None:
      raise TypeError("cond(): '%s' and '%s' may not be set simultaneously." % (name, old_name))
  true_fn = fn1 if fn1 is not None else true_fn
  false_fn = fn2 if fn2 is not None else false_fn
  if true_fn is None:
    raise TypeError("cond(): 'true_fn' argument required")
  if false_fn is None:
    raise TypeError("cond(): 'false_fn' argument required")
  if not callable(true_fn):
    raise TypeError("'true_fn' must be callable.")
  if not callable(false_fn):
    raise TypeError("'false_fn' must be callable.")
  return true_fn, false_fn


def _unpacked(structure):
  """The only element of a list or tuple of one."""
  return structure[0] if isinstance(structure, (list, tuple)) and len(structure) == 1 else structure


class _Branch:
  """One function as built in its branch: what it returned, and the tensors that leave the branch."""

  def __init__(self, context, function, name, strict):
    self.context = context
    with context.entered():
      returned = function()
      if returned is None:
        raise ValueError("'%s' must have a return value." % name)
      self.result = returned if strict else _unpacked(returned)
      parts = nest.map_structure(self._leave, flows.without_arrays(returned), expand_composites=True)
      self.tensors = nest.flatten(parts, expand_composites=True)
      context.ExitResult(self.tensors)

  def _leave(self, value):
    if isinstance(value, operation.Operation):
      return basics.with_dependencies([value], self.context.pivot)
    return self.context.AddResult(convert.convert_to_tensor(value))


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
  """Returns true_fn() if `pred` is true, else false_fn(); only what belongs to one of them is computed.

  Both take no arguments and return tensors, or structures of them, of the same types. A list or tuple of one element is returned
  as that element unless `strict`. What the functions use of outside is computed in any case.

  Raises TypeError for what is not callable, and for a Python bool as `pred`; ValueError if the functions return nothing, or
  values of different types or structures.
  """
  true_fn, false_fn = _functions(true_fn, false_fn, fn1, fn2)
  with graphs.name_scope(name, "cond", [pred]):
    if isinstance(pred, bool):
      raise TypeError("'pred' must not be a Python bool.")
    on_false, on_true = basics.switch(pred, pred)
    pivot_true = basics.identity(on_true, name="switch_t")
    pivot_false = basics.identity(on_false, name="switch_f")
    pred = gen.identity(pred, name="pred_id")
    for value in (on_true, on_false, pivot_true, pivot_false, pred):
      _binding.prevent_fetching(value.op)
    taken = _Branch(contexts.CondContext(pred, pivot_true, branch=1), true_fn, "true_fn", strict)
    other = _Branch(contexts.CondContext(pred, pivot_false, branch=0), false_fn, "false_fn", strict)
    _match_index_types(taken, other)
    nest.assert_same_structure(taken.result, other.result, expand_composites=True)
    if not taken.tensors:
      raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
    for x, y in zip(taken.tensors, other.tensors):
      if x.dtype.base_dtype != y.dtype.base_dtype:
        raise ValueError(
          "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received %s from 'true_fn' and %s from 'false_fn'."
          % (x.dtype.name, y.dtype.name)
        )
    merges = [basics.merge(pair)[0] for pair in zip(other.tensors, taken.tensors)]
    if taken.context.outer_context is None:
      graphs.add_to_collection(graphs.GraphKeys.COND_CONTEXT, taken.context)
      graphs.add_to_collection(graphs.GraphKeys.COND_CONTEXT, other.context)
    merges = flows.with_arrays(nest.flatten(taken.result, expand_composites=True), merges)
    return nest.pack_sequence_as(taken.result, merges, expand_composites=True)


def _match_index_types(taken, other):
  """Rows that one branch numbers by int32 and the other by int64 become int64 in both."""
  kinds = lambda branch: [type(part) for part in nest.flatten(branch.result)]
  if composite.IndexedSlices not in kinds(taken) or kinds(taken) != kinds(other):
    return
  pairs = list(zip(nest.flatten(taken.result), nest.flatten(other.result)))
  if all(not isinstance(x, composite.IndexedSlices) or x.indices.dtype == y.indices.dtype for x, y in pairs):
    return
  for branch, side in ((taken, 0), (other, 1)):
    parts = [basics.wide_indices(pair[side]) if _differ(*pair) else pair[side] for pair in pairs]
    branch.result = nest.pack_sequence_as(branch.result, parts)
  flat = iter(list(zip(taken.tensors, other.tensors)))
  new_pairs = []
  for x, y in pairs:
    count = len(nest.flatten(x, expand_composites=True))
    parts = [next(flat) for _ in range(count)]
    if _differ(x, y):
      parts[1] = tuple(basics.as_int64(part) for part in parts[1])
    new_pairs.extend(parts)
  taken.tensors, other.tensors = [list(side) for side in zip(*new_pairs)]


def _differ(x, y):
  return isinstance(x, composite.IndexedSlices) and x.indices.dtype != y.indices.dtype


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
  """Does the same, but calls just one of the functions if the value of `pred` is known."""
  if not callable(true_fn):
    raise TypeError("Argument `true_fn` must be callable. Received %s" % (true_fn,))
  if not callable(false_fn):
    raise TypeError("Argument `false_fn` must be callable. Received %s" % (false_fn,))
  value = smart_constant_value(pred)
  if value is None:
    return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
  return true_fn() if value else false_fn()


def smart_constant_value(pred):
  """The bool that `pred` is known to be, None if it is not known. Raises TypeError for what cannot be a condition."""
  from millrace.framework import constant_values

  if isinstance(pred, tensor.Tensor):
    return constant_values.value_while_building(pred)
  if pred in (0, 1):
    return bool(pred)
  if isinstance(pred, bool):
    return pred
  raise TypeError("`pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred=%s of type %s" % (pred, type(pred)))
