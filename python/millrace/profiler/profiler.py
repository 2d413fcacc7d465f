"""tf.profiler.profile and Profiler: views of a graph and of its steps."""

import millrace as tf
from millrace.framework import errors
from millrace.profiler import facts, messages, option_builder, printing, results, selecting, trees

# What `options` is if it was not given.
_DEFAULT = 0

_MISSING = {
  "max_depth": 10,
  "min_bytes": 0,
  "min_peak_bytes": 0,
  "min_residual_bytes": 0,
  "min_output_bytes": 0,
  "min_micros": 0,
  "min_accelerator_micros": 0,
  "min_cpu_micros": 0,
  "min_params": 0,
  "min_float_ops": 0,
  "min_occurrence": 0,
  "step": -1,
  "order_by": "name",
  "account_type_regexes": [],
  "start_name_regexes": [],
  "trim_name_regexes": [],
  "show_name_regexes": [],
  "hide_name_regexes": [],
  "account_displayed_op_only": False,
  "select": [],
  "output": "stdout",
}
VIEWS = ("scope", "graph", "op", "code")
_OUTPUTS = ("file", "none", "pprof", "stdout", "timeline")


def profile(graph=None, run_meta=None, op_log=None, cmd="scope", options=_DEFAULT):
  """Returns a view of a graph (by default the default one) and prints it, as `options` of ProfileOptionBuilder say.

  `cmd` is "scope" or "graph", which return a GraphNodeProto, "op" or "code", which return a MultiGraphNodeProto. `run_meta`, the
  RunMetadata of a traced step, has time and memory; an OpLogProto has types and float operations of nodes. By default the parameters of
  trainable variables are shown. Raises InvalidArgumentError for another view.
  """
  if cmd not in VIEWS:
    raise errors.InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
  if options is _DEFAULT or options == _DEFAULT:
    options = option_builder.ProfileOptionBuilder.trainable_variables_parameter()
  profiler = Profiler(graph, op_log)
  if run_meta is not None:
    profiler.add_step(0, run_meta)
  return profiler.profile_as(cmd, options)


def advise(graph=None, run_meta=None, options=None):
  """Not offered: raises UnimplementedError."""
  raise errors.UnimplementedError(None, None, "tf.profiler.advise is not part of Millrace; use tf.profiler.profile")


class Profiler:
  """Takes several steps of a graph (by default the default one), and shows views of one of them, or of their average."""

  def __init__(self, graph=None, op_log=None):
    self._graph = tf.get_default_graph() if graph is None else graph
    self._nodes, unknown = facts.nodes_of(self._graph)
    if op_log is not None:
      facts.add_log(self._nodes, op_log)
    self._steps = {}
    if unknown:
      tf.logging.info("%d ops no flops stats due to incomplete shapes.", unknown)

  def add_step(self, step, run_meta):
    """Adds the RunMetadata of a step that was traced, under a number."""
    self._steps[step] = run_meta
    facts.add_step(self._nodes, step, run_meta.step_stats)

  def profile_name_scope(self, options):
    """Shows the tree of names; returns a GraphNodeProto."""
    return self.profile_as("scope", options)

  def profile_graph(self, options):
    """Shows the tree from results to what they are made of; returns a GraphNodeProto."""
    return self.profile_as("graph", options)

  def profile_operations(self, options):
    """Shows the list of op types; returns a MultiGraphNodeProto."""
    return self.profile_as("op", options)

  def profile_python(self, options):
    """Shows the tree of the lines of Python that made the nodes; returns a MultiGraphNodeProto."""
    return self.profile_as("code", options)

  def advise(self, options):
    """Not offered: raises UnimplementedError."""
    del options
    advise()

  def serialize_to_string(self):
    """Returns a serialized ProfileProto: the nodes with all that is known of them."""
    from millrace.profiler import op_log

    return op_log.profile_message(self._nodes, self._steps).SerializeToString()

  def profile_as(self, cmd, options):
    """Shows the view "scope", "graph", "op" or "code" and returns its message."""
    options = {**_MISSING, **options}
    kind, _, arguments = options["output"].partition(":")
    path = dict(part.partition("=")[::2] for part in arguments.split(",")).get("outfile")
    message = results.graph_node if cmd in ("scope", "graph") else results.type_list if cmd == "op" else results.code_node
    if kind not in _OUTPUTS:
      tf.logging.error("Unknown output type: %s, Valid types: %s", kind, ",".join(_OUTPUTS))
      return (messages.GraphNodeProto if cmd in ("scope", "graph") else messages.MultiGraphNodeProto)()
    if kind == "pprof":
      raise errors.UnimplementedError(
        None, None, "tf.profiler: output for pprof is not part of Millrace; use a file or a timeline"
      )
    step = options["step"]
    if step >= 0 and step not in self._steps:
      tf.logging.error("Options -step=%d not found.\nAvailable steps: %s", step, " ".join(map(str, sorted(self._steps))))
    root = getattr(trees, "by_" + cmd)(self._nodes, options)
    if cmd == "op":
      root = selecting.selected_types(root, options)
    else:
      root = selecting.selected(root, options, totals_count=cmd == "code")
    if kind == "timeline":
      self._write_timelines(path, step)
    elif kind == "file":
      with tf.gfile.GFile(path, "w") as file:
        file.write(printing.text_of(cmd, root, options))
    elif kind == "stdout":
      print(_report(printing.text_of(cmd, root, options), options))
    return message(root)

  def _write_timelines(self, path, step):
    from millrace.client import timeline

    for number, run_meta in sorted(self._steps.items()):
      if step in (-1, number):
        name = f"{path}_{number}"
        with tf.gfile.GFile(name, "w") as file:
          file.write(timeline.Timeline(run_meta.step_stats).generate_chrome_trace_format())
        print(
          f"Timeline file is written to {name}.\nOpen a Chrome browser, enter URL chrome://tracing and load the timeline file."
        )


def _report(text, options):
  """The text of a view below its options."""
  lines = ["", "Options".center(61, "=")]
  for name in _MISSING:
    value = options[name]
    if isinstance(value, bool):
      value = str(value).lower()
    elif isinstance(value, (list, tuple)):
      value = ",".join(value)
    lines.append(f"{'-' + name:<28}{value}")
  lines += ["", "Model Analysis Report".center(61, "="), text, "End of Report".center(61, "=")]
  return "\n".join(lines)
