"""tfprof.model_analyzer: prints the parameters, float operations, time and memory of the nodes of a graph."""

from millrace.profiler import option_builder, profiler

TRAINABLE_VARS_PARAMS_STAT_OPTIONS = option_builder.ProfileOptionBuilder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS = option_builder.ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = option_builder.ProfileOptionBuilder.time_and_memory()


def print_model_analysis(
  graph, run_meta=None, op_log=None, tfprof_cmd="scope", tfprof_options=TRAINABLE_VARS_PARAMS_STAT_OPTIONS
):
  """As tf.profiler.profile. The option `dump_to_file` names a file for the text."""
  options = dict(tfprof_options)
  path = options.pop("dump_to_file", None)
  if path:
    options["output"] = f"file:outfile={path}"
  return profiler.profile(graph, run_meta, op_log, tfprof_cmd, options)
