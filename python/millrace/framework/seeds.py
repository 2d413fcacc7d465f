"""Seeds of random ops: of the graph, and of single ops."""

import weakref

DEFAULT_GRAPH_SEED = 87654321
_LARGEST = 2**31 - 1
# How many random ops without a seed each graph has.
_counts = weakref.WeakKeyDictionary()


def get_seed(op_seed):
  """Returns the pair of seeds for a random op that was given `op_seed` or None: (None, None) means truly random.

  With a graph seed and no op seed, the second seed counts the random ops of the graph that had none.
  """
  from millrace.framework import graph

  current = graph.get_default_graph()
  if current.seed is not None:
    if op_seed is None:
      op_seed = _counts.setdefault(current, 0)
      _counts[current] = op_seed + 1
    seeds = _bounded(current.seed), _bounded(op_seed)
  elif op_seed is not None:
    seeds = DEFAULT_GRAPH_SEED, _bounded(op_seed)
  else:
    return None, None
  # Two zeros would mean truly random to the op.
  return (0, _LARGEST) if seeds == (0, 0) else seeds


def _bounded(seed):
  try:
    return seed % _LARGEST
  except TypeError:  # a tensor
    return seed


def set_random_seed(seed):
  """Sets the seed of the current default graph."""
  from millrace.framework import graph

  graph.get_default_graph().seed = seed
