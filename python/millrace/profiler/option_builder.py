"""ProfileOptionBuilder: makes the dictionary of options of tf.profiler.profile."""

import copy


def _everything(**options):
  """Options that show all nodes."""
  return {
    "max_depth": 10000,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": True,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
    **options,
  }


class ProfileOptionBuilder:
  """Takes over options and changes them one by one; `build()` returns them."""

  def __init__(self, options=None):
    if options is None:
      options = _everything(max_depth=100, account_displayed_op_only=False)
    self._options = copy.deepcopy(options)

  @staticmethod
  def trainable_variables_parameter():
    """Options for the parameters of trainable variables."""
    return _everything(account_type_regexes=["_trainable_variables"], select=["params"])

  @staticmethod
  def float_operation():
    """Options for float operations."""
    return _everything(min_float_ops=1, order_by="float_ops", select=["float_ops"])

  @staticmethod
  def time_and_memory(
    min_micros=1,
    min_bytes=1,
    min_accelerator_micros=0,
    min_cpu_micros=0,
    min_peak_bytes=0,
    min_residual_bytes=0,
    min_output_bytes=0,
  ):
    """Options for the time and the memory of nodes that need at least so much."""
    return _everything(
      min_bytes=min_bytes,
      min_peak_bytes=min_peak_bytes,
      min_residual_bytes=min_residual_bytes,
      min_output_bytes=min_output_bytes,
      min_micros=min_micros,
      min_accelerator_micros=min_accelerator_micros,
      min_cpu_micros=min_cpu_micros,
      order_by="micros",
      select=["micros", "bytes"],
    )

  def build(self):
    """Returns a copy of the options."""
    return copy.deepcopy(self._options)

  def _with(self, **options):
    self._options.update(options)
    return self

  def with_max_depth(self, max_depth):
    """Shows nodes down to this depth of the tree."""
    return self._with(max_depth=max_depth)

  def with_min_memory(self, min_bytes=0, min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
    """Shows nodes that with those below them need at least this memory, in bytes."""
    return self._with(
      min_bytes=min_bytes,
      min_peak_bytes=min_peak_bytes,
      min_residual_bytes=min_residual_bytes,
      min_output_bytes=min_output_bytes,
    )

  def with_min_execution_time(self, min_micros=0, min_accelerator_micros=0, min_cpu_micros=0):
    """Shows nodes that with those below them need at least this time, in microseconds."""
    return self._with(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros)

  def with_min_parameters(self, min_params):
    return self._with(min_params=min_params)

  def with_min_occurrence(self, min_occurrence):
    """Shows types of ops that come at least so often (view `op`)."""
    return self._with(min_occurrence=min_occurrence)

  def with_min_float_operations(self, min_float_ops):
    return self._with(min_float_ops=min_float_ops)

  def with_accounted_types(self, account_type_regexes):
    """Counts only nodes with a type (op type, device, "_trainable_variables", types of the op log) that one of these patterns fits."""
    return self._with(account_type_regexes=copy.copy(account_type_regexes))

  def with_node_names(self, start_name_regexes=None, show_name_regexes=None, hide_name_regexes=None, trim_name_regexes=None):
    """Shows nodes by patterns of whole names: from which on, which ones, which ones not, and from which on nothing below."""
    given = {
      "start_name_regexes": start_name_regexes,
      "show_name_regexes": show_name_regexes,
      "hide_name_regexes": hide_name_regexes,
      "trim_name_regexes": trim_name_regexes,
    }
    return self._with(**{name: copy.copy(value) for name, value in given.items() if value is not None})

  def account_displayed_op_only(self, is_true):
    """Whether totals count only nodes that are shown."""
    return self._with(account_displayed_op_only=is_true)

  def with_empty_output(self):
    """Prints nothing."""
    return self._with(output="none")

  def with_stdout_output(self):
    return self._with(output="stdout")

  def with_file_output(self, outfile):
    return self._with(output=f"file:outfile={outfile}")

  def with_timeline_output(self, timeline_file):
    """Writes a timeline of each step, for chrome://tracing, to FILE_STEP."""
    return self._with(output=f"timeline:outfile={timeline_file}")

  def with_pprof_output(self, pprof_file):
    return self._with(output=f"pprof:outfile={pprof_file}")

  def order_by(self, attribute):
    """Orders nodes by: name, depth, bytes, peak_bytes, residual_bytes, output_bytes, micros, accelerator_micros, cpu_micros, params, float_ops, occurrence."""
    return self._with(order_by=attribute)

  def select(self, attributes):
    """Shows these: bytes and others, micros and others, params, float_ops, occurrence, tensor_value, device, op_types, input_shapes."""
    return self._with(select=copy.copy(attributes))

  def with_step(self, step):
    """Shows one step; -1 the average of all."""
    return self._with(step=step)
