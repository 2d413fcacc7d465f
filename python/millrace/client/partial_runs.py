"""Steps that are fed and fetched by several calls."""

from millrace.client import feeds as feeding
from millrace.client import fetches as fetching
from millrace.framework.tensor import Tensor


def setup(session, fetches, feeds):
  """Implements Session.partial_run_setup."""
  _check(session)
  tensors = []
  for feed in feeds if isinstance(feeds, (list, tuple)) else [] if feeds is None else [feeds]:
    for part in _parts(feed):
      try:
        tensors.append(session.graph.as_graph_element(part, allow_tensor=True, allow_operation=False))
      except (KeyError, TypeError, ValueError) as error:
        raise type(error)("Cannot interpret feed_list key as Tensor: " + str(error)) from None
  plan = fetching.Plan(session.graph, fetches)
  return session._call(session._core.set_up_partial_run, tensors, plan.tensors, plan.targets)


def run(session, handle, fetches, feed_dict):
  """Implements Session.partial_run."""
  _check(session)
  tensors, values = feeding.tensors_and_values(session.graph, feed_dict) if feed_dict else ([], [])
  plan = fetching.Plan(session.graph, fetches)
  results = []
  if plan.tensors or plan.targets or tensors:
    results = session._call(session._core.run_partially, handle, tensors, values, plan.tensors)
  return plan.build(dict(zip(plan.tensors, results)))


def _check(session):
  if session._closed:
    raise RuntimeError("Attempted to use a closed Session.")
  if session.graph.version == 0:
    raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")


def _parts(feed):
  if isinstance(feed, (Tensor, str)):
    return [feed]
  conversion = fetching.conversion_of(feed)
  if conversion is None:
    return [feed]
  if conversion[3] is None:
    raise TypeError("Feed argument %r has invalid type %r" % (feed, type(feed)))
  return conversion[3](feed)
