"""Which nodes of a view are shown: those that options ask for, with what is below others moved up."""

from millrace.profiler import trees

_TIME_AND_MEMORY = {
  "min_bytes": "requested_bytes",
  "min_peak_bytes": "peak_bytes",
  "min_residual_bytes": "residual_bytes",
  "min_output_bytes": "output_bytes",
  "min_micros": "exec_micros",
  "min_accelerator_micros": "accelerator_exec_micros",
  "min_cpu_micros": "cpu_exec_micros",
}
_COUNTS = {"min_params": "parameters", "min_float_ops": "float_ops"}


def selected(root, options, totals_count):
  """Returns the root with only the nodes below it that are shown.

  Time and memory are compared with totals, parameters and float operations with a node's own, or with totals if `totals_count`.
  """
  shown = _below(_started(root.children, options), options, 2, totals_count)
  if options["account_displayed_op_only"]:
    root.sum_up(shown)
  root.children = shown
  return root


def _started(nodes, options):
  """The nodes from which on the view begins."""
  patterns = options["start_name_regexes"]
  if ".*" in patterns:
    return nodes
  found = []
  for node in nodes:
    found += [node] if trees.matches(patterns, [node.name]) else _started(node.children, options)
  return found


def _below(nodes, options, depth, totals_count):
  if depth > options["max_depth"]:
    return []
  found = []
  for node in nodes:
    trimmed = trees.matches(options["trim_name_regexes"], [node.name])
    children = [] if trimmed else _below(node.children, options, depth + 1, totals_count)
    if _is_shown(node, options, totals_count):
      if options["account_displayed_op_only"]:
        node.sum_up(children)
      node.children = children
      found.append(node)
    else:
      found += children
  return trees.ordered(found, options["order_by"])


def _is_shown(node, options, totals_count):
  for minimum, name in _TIME_AND_MEMORY.items():
    if node.total[name] < options.get(minimum, 0):
      return False
  for minimum, name in _COUNTS.items():
    if (node.total if totals_count else node.own)[name] < options[minimum]:
      return False
  if not trees.matches(options["show_name_regexes"], [node.name]):
    return False
  return not trees.matches(options["hide_name_regexes"], [node.name])


def selected_types(root, options):
  """As `selected`, for the list of op types."""
  listed = root.children
  patterns = options["start_name_regexes"]
  first = next((index for index, one in enumerate(listed) if trees.matches(patterns, [one.name])), len(listed))
  shown = []
  for depth, one in enumerate(listed[first:]):
    if depth > options["max_depth"]:
      break
    if _is_shown(one, options, totals_count=True) and len(one.graph_nodes) >= options["min_occurrence"]:
      shown.append(one)
    if trees.matches(options["trim_name_regexes"], [one.name]):
      break
  if options["account_displayed_op_only"]:
    for index in range(len(shown) - 1, -1, -1):
      shown[index].sum_up(shown[index + 1 : index + 2])
    root.total = dict.fromkeys(trees.SUMMED, 0)
    if shown:
      root.add(shown[0])
  root.children = shown
  return root
