"""Views of tf.profiler as text: a line a node, with the columns that are selected."""

_COLUMNS = {
  "params": "# parameters",
  "float_ops": "# float_ops",
  "bytes": "requested bytes",
  "peak_bytes": "peak bytes",
  "residual_bytes": "residual bytes",
  "output_bytes": "output bytes",
  "micros": "total execution time",
  "accelerator_micros": "accelerator execution time",
  "cpu_micros": "cpu execution time",
  "device": "assigned devices",
  "op_types": "op types",
  "occurrence": "op count (run|defined)",
  "input_shapes": "input shapes",
}
_BYTES = {
  "bytes": "requested_bytes",
  "peak_bytes": "peak_bytes",
  "residual_bytes": "residual_bytes",
  "output_bytes": "output_bytes",
}
_TIMES = {"micros": "exec_micros", "accelerator_micros": "accelerator_exec_micros", "cpu_micros": "cpu_exec_micros"}
_EXPLAINED = {
  "params": "elements of variables and placeholders",
  "float_ops": "float operations, by formulas of the shapes",
  "bytes": "memory that ops asked for",
  "peak_bytes": "the most memory that ops held at a time",
  "residual_bytes": "memory that is still held when an op has ended",
  "output_bytes": "memory of results",
  "micros": "time on accelerators and CPUs together",
  "accelerator_micros": "time on accelerators",
  "cpu_micros": "time on CPUs, from an op's start to its end",
  "device": "where an op ran",
  "op_types": "op type, device and types of the op log",
  "occurrence": "how often ops ran, and how many there are",
  "input_shapes": "shapes of what ops read",
}
_VIEWS = {
  "scope": "a tree of the names of nodes",
  "graph": "a tree from results to what they are made of",
  "op": "a list of op types",
  "code": "a tree of the lines of Python that made the nodes",
}


def count_text(value):
  """A number with k, m or b for thousands, millions and billions."""
  if value < 1000:
    return str(value)
  for size, letter in ((1e3, "k"), (1e6, "m")):
    if value < size * 1000:
      return f"{value / size:.2f}{letter}"
  return f"{value / 1e9:.2f}b"


def bytes_text(value):
  if value < 1000:
    return f"{value}B"
  return f"{value / 1e3:.2f}KB" if value < 1e6 else f"{value / 1e6:.2f}MB"


def time_text(micros):
  if micros < 1000:
    return f"{micros}us"
  return f"{micros / 1e3:.2f}ms" if micros < 1e6 else f"{micros / 1e6:.2f}sec"


def _dims_text(dims):
  return "unknown" if dims is None else "x".join(str(size) for size in dims)


def _selected(options):
  """The selected columns in their order; the whole time comes with its parts."""
  chosen = set(options["select"])
  if "micros" in chosen:
    chosen |= {"accelerator_micros", "cpu_micros"}
  return [name for name in _COLUMNS if name in chosen]


def text_of(view, root, options):
  """Returns the whole text of a view."""
  columns = _selected(options)
  if view in ("op", "code"):
    columns = [name for name in columns if name in _BYTES or name in _TIMES] + [
      name for name in columns if name not in _BYTES and name not in _TIMES
    ]
  lines = ["", "Doc:", f"{view}: {_VIEWS[view]}"]
  lines += [f"{name}: {_EXPLAINED[name]}" for name in columns]
  titles = [_COLUMNS[name] for name in columns]
  if view in ("op", "code"):
    titles = ["op occurrence (run|defined)" if title == _COLUMNS["occurrence"] else title for title in titles]
  lines += ["", "Profile:", f"node name | {' | '.join(titles)}"]
  text = "\n".join(lines) + "\n"
  if view == "op":
    for one in root.children:
      cells = ", ".join(_type_cell(name, one, root) for name in columns if name != "input_shapes")
      text += f"{one.name:<25}{cells}{_input_types(one) if 'input_shapes' in columns else ''}\n"
  else:
    text += "".join(_tree_lines(view, root, columns, 0, is_root=True))
  return text


def _tree_lines(view, one, columns, depth, is_root=False):
  cells = []
  for name in columns:
    cell = _cell(view, name, one, is_root)
    if cell is not None:
      cells.append(cell)
  yield f"{'  ' * depth}{one.name} ({', '.join(cells)})\n"
  for child in one.children:
    yield from _tree_lines(view, child, columns, depth + 1)


def _cell(view, name, one, is_root):
  """The text of a column of a node in a tree, or None if it has none."""
  hidden = is_root or not one.accounted

  def own_and_total(key, shown):
    return f"{'--' if hidden else shown(one.own[key])}/{shown(one.total[key])}"

  if name == "params":
    shape = one.node.shape if one.node is not None else None
    before = f"{_dims_text(shape)}, " if shape is not None else ""
    return f"{before}{own_and_total('parameters', count_text)} params"
  if name == "float_ops":
    return f"{own_and_total('float_ops', count_text)} flops"
  if name in _BYTES:
    return own_and_total(_BYTES[name], bytes_text)
  if name in _TIMES:
    return own_and_total(_TIMES[name], time_text)
  if name == "device":
    return one.node.device if one.node is not None and one.node.device else None
  if name == "op_types":
    return "|".join(sorted(one.types))
  if view == "code":
    return f"{name} N/A in code view"
  if name == "occurrence":
    return f"{own_and_total('run_count', str)}|{own_and_total('definition_count', str)}"
  return "|".join(f"{index}:{_dims_text(dims)}" for index, dims in sorted(one.node.input_shapes.items())) if one.node else ""


def _type_cell(name, one, root):
  """The text of a column of an op type, with the shares of its total and of its own in the whole."""

  def with_shares(key, shown, counted=True):
    whole = root.total[key]
    shares = [100.0 * value / whole if whole and counted else 0.0 for value in (one.total[key], one.own[key])]
    return f"{shown} ({shares[0]:.2f}%, {shares[1]:.2f}%)".rjust(30)

  if name == "params":
    return with_shares("parameters", count_text(one.own["parameters"]) + " params")
  if name == "float_ops":
    return with_shares("float_ops", count_text(one.own["float_ops"]) + " float_ops")
  if name in _BYTES:
    # What needs no memory has no share in it.
    own = one.own[_BYTES[name]]
    return with_shares(_BYTES[name], bytes_text(own), counted=own > 0)
  if name in _TIMES:
    return with_shares(_TIMES[name], time_text(one.own[_TIMES[name]]))
  if name == "device":
    return "|".join(sorted({node.device for node in one.graph_nodes if node.device}))
  if name == "op_types":
    return "|".join(sorted(one.types))
  return f"{one.own['run_count']}|{len(one.graph_nodes)}".rjust(10)


def _input_types(one):
  """A line for each combination of shapes of inputs, the ones that ran most often first."""
  groups = {}
  for node in one.graph_nodes:
    text = ",\t".join(f"{index}:{_dims_text(dims)}" for index, dims in sorted(node.input_shapes.items()))
    groups.setdefault(text, []).append(node.taken(-1))
  lines = []
  for text, taken in sorted(groups.items(), key=lambda group: (-sum(one["run_count"] for one in group[1]), group[0])):
    runs, micros = sum(one["run_count"] for one in taken), sum(one["exec_micros"] for one in taken)
    lines.append(f"input_type: {text}\t(run*{runs}|defined*{len(taken)})\texec_time: {time_text(micros)}\n")
  return "\n\n" + "".join(lines)
