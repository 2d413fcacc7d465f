"""tf.case: the first of several functions whose condition is true."""

import collections
import functools

from millrace import gen
from millrace.framework import constants, dtypes, tensor
from millrace.framework import graph as graphs
from millrace.ops.control_flow import assertion, conditional


def _checked(pred_fn_pairs, allow_python_preds):
  """Returns the predicates and their functions. Raises TypeError for what is none."""
  if not isinstance(pred_fn_pairs, (list, tuple, dict)):
    raise TypeError("'pred_fn_pairs' must be a list, tuple, or dict. Received: %s" % type(pred_fn_pairs))
  if isinstance(pred_fn_pairs, collections.OrderedDict):
    pairs = list(pred_fn_pairs.items())
  elif isinstance(pred_fn_pairs, dict):
    pairs = list(pred_fn_pairs.items())
    try:
      pairs = sorted(pairs, key=lambda pair: pair[0].name)
    except AttributeError:
      pass
  else:
    pairs = pred_fn_pairs
  for pair in pairs:
    if not isinstance(pair, tuple) or len(pair) != 2:
      raise TypeError("Each entry in 'pred_fn_pairs' must be a 2-tuple. Received %s." % (pair,))
    pred, function = pair
    if not (allow_python_preds and isinstance(pred, bool)):
      if not isinstance(pred, tensor.Tensor):
        raise TypeError("pred must be a Tensor, got: %s" % (pred,))
      if pred.dtype != dtypes.bool:
        raise TypeError("pred must be Tensor of type bool: %s" % pred.name)
    if not callable(function):
      raise TypeError("fn for pred %s must be callable." % getattr(pred, "name", pred))
  predicates, functions = zip(*pairs)
  return list(predicates), list(functions)


def _at_most(predicates, number, message):
  """Returns an op that fails a step in which more than `number` of the predicates are true."""
  from millrace.ops.array import joining
  from millrace.ops.math import casts, reductions

  values = joining.stack(predicates, name="preds_c")
  true = reductions.reduce_sum(casts.cast(values, dtypes.int32), name="num_true_conds")
  condition = gen.less_equal(true, constants.constant(number, name="n_true_conds"))
  names = ", ".join(getattr(predicate, "name", str(predicate)) for predicate in predicates)
  text = "%s: more than %d conditions (%s) evaluated as True:" % (message, number, names)
  return assertion.Assert(condition, data=[text, values], summarize=len(predicates))


def _last_by_default(predicates, functions):
  """Without a default, the last function is it: it asserts that its condition, and no other one, is true."""
  from millrace.ops.array import joining

  last = len(predicates) - 1
  others = predicates[:-1]
  message = "Implementation error: selected default action #%d was called, but some of other predicates are True: " % last

  def default():
    values = joining.stack(predicates, name="preds_c")
    none_other = _at_most(others, 0, message)
    mine = assertion.Assert(predicates[-1], data=["Input error: None of conditions evaluated as True:", values])
    with graphs.control_dependencies([none_other, mine]):
      return functions[-1]()

  return default, others, functions[:-1]


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
  """Returns what the first function returns whose condition is true; that of `default` if none is.

  `pred_fn_pairs` is a list of pairs (bool scalar, function without arguments), or a dict, which is taken in the order of the
  tensors' names. With `exclusive`, a step in which several conditions are true fails; without `default`, one in which none is.
  Lists of one element are returned as that element unless `strict`. Raises TypeError for pairs of other kinds.
  """
  return case_by(conditional.cond, pred_fn_pairs, default, exclusive, name, strict=strict)


def case_by(cond_fn, pred_fn_pairs, default, exclusive, name, allow_python_preds=False, **cond_kwargs):
  """The same by another function than tf.cond, to which `cond_kwargs` are given, too."""
  predicates, functions = _checked(pred_fn_pairs, allow_python_preds)
  with graphs.name_scope(name, "case", [predicates]):
    if default is None:
      default, predicates, functions = _last_by_default(predicates, functions)
    build = default
    for predicate, function in reversed(list(zip(predicates, functions))):
      build = functools.partial(cond_fn, predicate, function, build, **cond_kwargs)
    if not exclusive:
      return build()
    with graphs.control_dependencies([_at_most(predicates, 1, "Input error: exclusive=True")]):
      return build()
