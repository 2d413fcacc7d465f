// The field numbers of StepStats, CostGraphDef and RunMetadata:
// proto/service/step_stats.proto, cost_graph.proto, run_metadata.proto.
#pragma once

#include "millrace/protocol/config_fields.h"

namespace millrace {

MR_FIELDS(AllocationDescription) {
  f(1, m.requested_bytes);
  f(2, m.allocated_bytes);
  f(3, m.allocator_name);
  f(4, m.allocation_id);
  f(5, m.has_single_reference);
  f(6, m.ptr);
}
MR_FIELDS(TensorDescription) {
  f(1, m.dtype);
  f(2, m.shape);
  f(4, m.allocation_description);
}
MR_FIELDS(AllocationRecord) {
  f(1, m.alloc_micros);
  f(2, m.alloc_bytes);
}
MR_FIELDS(AllocatorMemoryUsed) {
  f(1, m.allocator_name);
  f(2, m.total_bytes);
  f(3, m.peak_bytes);
  f(4, m.live_bytes);
  f(5, m.allocator_bytes_in_use);
  f(6, m.allocation_records);
}
MR_FIELDS(NodeOutputStats) {
  f(1, m.slot);
  f(3, m.tensor_description);
}
MR_FIELDS(NodeMemoryStats) {
  f(1, m.temp_memory_size);
  f(3, m.persistent_memory_size);
  f(5, m.persistent_tensor_alloc_ids);
}
MR_FIELDS(NodeExecStats) {
  f(1, m.node_name);
  f(2, m.all_start_micros);
  f(3, m.op_start_rel_micros);
  f(4, m.op_end_rel_micros);
  f(5, m.all_end_rel_micros);
  f(6, m.memory);
  f(7, m.output);
  f(8, m.timeline_label);
  f(9, m.scheduled_micros);
  f(10, m.thread_id);
  f(11, m.referenced_tensor);
  f(12, m.memory_stats);
  f(13, m.all_start_nanos);
  f(14, m.op_start_rel_nanos);
  f(15, m.op_end_rel_nanos);
  f(16, m.all_end_rel_nanos);
  f(17, m.scheduled_nanos);
}
MR_FIELDS(DeviceStepStats) {
  f(1, m.device);
  f(2, m.node_stats);
  f(3, m.thread_names);
}
MR_FIELDS(StepStats) { f(1, m.dev_stats); }

MR_FIELDS(CostGraph::InputInfo) {
  f(1, m.preceding_node);
  f(2, m.preceding_port);
}
MR_FIELDS(CostGraph::OutputInfo) {
  f(1, m.size_bytes);
  f(2, m.alias_input_port);
  f(3, m.shape);
  f(4, m.dtype);
}
MR_FIELDS(CostGraph::Node) {
  f(1, m.name);
  f(2, m.device);
  f(3, m.id);
  f(4, m.input_info);
  f(5, m.output_info);
  f(6, m.temporary_memory_size);
  f(7, m.is_final);
  f(8, m.control_input);
  f(9, m.compute_cost_micros);
  f(12, m.persistent_memory_size);
  f(14, m.compute_time_nanos);
  f(15, m.memory_time_nanos);
  f(17, m.inaccurate);
}
MR_FIELDS(CostGraph::AggregatedCost) {
  f(1, m.cost);
  f(2, m.dimension);
}
MR_FIELDS(CostGraph) {
  f(1, m.nodes);
  f(2, m.costs);
}

MR_FIELDS(FunctionGraphs) {
  f(1, m.partition_graphs);
  f(2, m.pre_optimization_graph);
  f(3, m.post_optimization_graph);
}
MR_FIELDS(RunMetadata) {
  f(1, m.step_stats);
  f(2, m.cost_graph);
  f(3, m.partition_graphs);
  f(4, m.function_graphs);
  f(5, m.session_metadata);
}

}  // namespace millrace
