"""The messages of tf.profiler: `messages.GraphNodeProto`, `messages.OpLogProto`, ..."""

_TEXT = """
message CodeDef
1 repeated tensorflow.tfprof.CodeDef.Trace traces
message CodeDef.Trace
1 string file
6 int64 file_id
2 int32 lineno
3 string function
7 int64 function_id
4 string line
8 int64 line_id
5 int32 func_start_line

message OpLogEntry
1 string name
2 int64 float_ops
3 repeated string types
4 tensorflow.tfprof.CodeDef code_def

message OpLogProto
1 repeated tensorflow.tfprof.OpLogEntry log_entries
2 map int64 string id_to_string

message ProfileProto
1 map int64 tensorflow.tfprof.ProfileNode nodes
2 bool has_trace
5 bool miss_accelerator_stream
3 repeated int64 steps
4 map int64 string id_to_string

message ProfileNode
1 string name
9 string op
13 int64 id
2 map int32 int64 inputs
16 map int32 tensorflow.tfprof.Tuple input_shapes
3 map int32 int64 outputs
15 map int32 tensorflow.tfprof.Tuple output_shapes
14 map int64 int32 src_output_index
4 repeated int64 shape
5 repeated string op_types
6 string canonical_device
7 string host_device
8 int64 float_ops
10 tensorflow.tfprof.CodeDef trace
11 map string tensorflow.AttrValue attrs
12 map int64 tensorflow.tfprof.ExecProfile execs

message ExecProfile
1 int64 run_count
2 int64 all_start_micros
3 int64 latest_end_micros
4 map string tensorflow.tfprof.ExecTime accelerator_execs
5 map string tensorflow.tfprof.ExecTime cpu_execs
7 repeated tensorflow.tfprof.ExecMemory memory_execs
11 repeated tensorflow.AllocationRecord allocations
6 repeated string devices

message ExecTime
1 repeated tensorflow.tfprof.Tuple times

message ExecMemory
1 int64 memory_micros
2 int64 host_temp_bytes
3 int64 host_persistent_bytes
4 int64 accelerator_temp_bytes
5 int64 accelerator_persistent_bytes
6 int64 requested_bytes
7 int64 peak_bytes
8 int64 residual_bytes
9 int64 output_bytes
10 int64 allocator_bytes_in_use
11 map int32 tensorflow.tfprof.Memory output_memory

message Tuple
1 repeated int64 int64_values

message Memory
1 int64 bytes
2 uint64 ptr

message TFProfTensorProto
1 int32 dtype
2 repeated double value_double
3 repeated int64 value_int64
4 repeated string value_str

message GraphNodeProto
1 string name
15 tensorflow.tfprof.TFProfTensorProto tensor_value
21 int64 run_count
2 int64 exec_micros
17 int64 accelerator_exec_micros
18 int64 cpu_exec_micros
3 int64 requested_bytes
24 int64 peak_bytes
25 int64 residual_bytes
26 int64 output_bytes
4 int64 parameters
13 int64 float_ops
10 repeated string devices
23 int64 total_definition_count
22 int64 total_run_count
6 int64 total_exec_micros
19 int64 total_accelerator_exec_micros
20 int64 total_cpu_exec_micros
7 int64 total_requested_bytes
27 int64 total_peak_bytes
28 int64 total_residual_bytes
29 int64 total_output_bytes
8 int64 total_parameters
14 int64 total_float_ops
11 repeated tensorflow.TensorShapeProto shapes
16 map int32 tensorflow.TensorShapeProto input_shapes
12 repeated tensorflow.tfprof.GraphNodeProto children

message MultiGraphNodeProto
1 string name
2 int64 exec_micros
12 int64 accelerator_exec_micros
13 int64 cpu_exec_micros
3 int64 requested_bytes
16 int64 peak_bytes
17 int64 residual_bytes
18 int64 output_bytes
4 int64 parameters
5 int64 float_ops
6 int64 total_exec_micros
14 int64 total_accelerator_exec_micros
15 int64 total_cpu_exec_micros
7 int64 total_requested_bytes
19 int64 total_peak_bytes
20 int64 total_residual_bytes
21 int64 total_output_bytes
8 int64 total_parameters
9 int64 total_float_ops
10 repeated tensorflow.tfprof.GraphNodeProto graph_nodes
11 repeated tensorflow.tfprof.MultiGraphNodeProto children

message AdviceProto
1 map string tensorflow.tfprof.AdviceProto.Checker checkers
message AdviceProto.Checker
2 repeated string reports
"""

_classes = None


def __getattr__(name):
  global _classes
  if name.startswith("__"):
    raise AttributeError(name)
  if _classes is None:
    from millrace.framework import declared_messages

    _classes = declared_messages.declare("python/profiler/messages.proto", "tensorflow.tfprof", _TEXT)
  if name not in _classes:
    raise AttributeError("there is no message %s of the profiler" % name)
  return _classes[name]
