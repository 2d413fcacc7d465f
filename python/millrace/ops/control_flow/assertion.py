"""tf.Assert: an op that fails a step."""

from millrace import gen
from millrace.framework import convert, dtypes
from millrace.framework import graph as graphs
from millrace.ops.control_flow import basics, conditional


def Assert(condition, data, summarize=None, name=None):
  """Returns an op that raises InvalidArgumentError in a step in which `condition` is false.

  The message has the tensors `data`, of each `summarize` elements (3 by default). Data of other types than text and int32 are
  computed only if the condition is false.
  """
  with graphs.name_scope(name, "Assert", [condition, data]):
    values = convert.convert_n_to_tensor(data)
    summarize = 3 if summarize is None else summarize
    if all(value.dtype in (dtypes.string, dtypes.int32) for value in values):
      return gen._assert(condition, data, summarize, name="Assert")
    condition = convert.convert_to_tensor(condition, name="Condition")
    check = lambda: gen._assert(condition, data, summarize, name="Assert")
    return conditional.cond(condition, basics.no_op, check, name="AssertGuard").op
