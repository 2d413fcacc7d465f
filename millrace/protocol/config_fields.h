// The field numbers of ConfigProto, RunOptions, ServerDef and their parts:
// proto/service/config.proto, rewriter_config.proto, cluster.proto.
#pragma once

#include "millrace/protocol/message_decoder.h"

namespace millrace {

MR_FIELDS(JobDef) {
  f(1, m.name);
  f(2, m.tasks);
}
MR_FIELDS(ClusterDef) { f(1, m.jobs); }
MR_FIELDS(TaskDeviceFilters) { f(1, m.device_filters); }
MR_FIELDS(JobDeviceFilters) {
  f(1, m.name);
  f(2, m.tasks);
}
MR_FIELDS(ClusterDeviceFilters) { f(1, m.jobs); }

MR_FIELDS(GpuVirtualDevices) { f(1, m.memory_limit_mb); }
MR_FIELDS(ExperimentalGpuOptions) { f(1, m.virtual_devices); }
MR_FIELDS(GpuOptions) {
  f(1, m.per_process_gpu_memory_fraction);
  f(4, m.allow_growth);
  f(5, m.visible_device_list);
  f(9, m.experimental);
}

MR_FIELDS(OptimizerOptions) {
  f(1, m.do_common_subexpression_elimination);
  f(2, m.do_constant_folding);
  f(3, m.opt_level);
  f(4, m.do_function_inlining);
  f(6, m.max_folded_constant_bytes);
}

MR_FIELDS(RewriterOptions) {
  f(2, m.disable_model_pruning);
  f(3, m.constant_folding);
  f(7, m.arithmetic_optimization);
  f(8, m.dependency_optimization);
  f(9, m.loop_optimization);
  f(10, m.function_optimization);
  f(11, m.debug_stripper);
  f(12, m.meta_optimizer_iterations);
  f(13, m.shape_optimization);
  f(14, m.remapping);
  f(17, m.min_graph_nodes);
  f(19, m.disable_meta_optimizer);
  f(24, m.common_subgraph_elimination);
  f(100, m.optimizers);
}

MR_FIELDS(GraphOptions) {
  f(2, m.enable_recv_scheduling);
  f(3, m.optimizer_options);
  f(4, m.build_cost_model);
  f(5, m.infer_shapes);
  f(6, m.place_pruned_graph);
  f(7, m.enable_bfloat16_sendrecv);
  f(8, m.timeline_step);
  f(9, m.build_cost_model_after);
  f(10, m.rewrite_options);
}

MR_FIELDS(SessionThreadPool) {
  f(1, m.num_threads);
  f(2, m.global_name);
}

MR_FIELDS(RpcOptions) {
  f(1, m.use_rpc_for_inprocess_master);
  f(2, m.compression_algorithm);
  f(3, m.compression_level);
  f(4, m.cache_rpc_response);
}

MR_FIELDS(SessionMetadata) {
  f(1, m.name);
  f(2, m.version);
}

MR_FIELDS(ExperimentalConfig) {
  f(1, m.collective_group_leader);
  f(3, m.executor_type);
  f(4, m.recv_buf_max_chunk);
  f(6, m.collective_deterministic_sequential_execution);
  f(8, m.share_session_state_in_clusterspec_propagation);
  f(10, m.share_cluster_devices_in_session);
  f(11, m.session_metadata);
  f(12, m.optimize_for_static_graph);
  f(14, m.disable_output_partition_graphs);
}

MR_FIELDS(ConfigOptions) {
  f(1, m.device_count);
  f(2, m.intra_op_parallelism_threads);
  f(4, m.device_filters);
  f(5, m.inter_op_parallelism_threads);
  f(6, m.gpu_options);
  f(7, m.allow_soft_placement);
  f(8, m.log_device_placement);
  f(9, m.use_per_session_threads);
  f(10, m.graph_options);
  f(11, m.operation_timeout_ms);
  f(12, m.session_inter_op_thread_pools);
  f(13, m.rpc_options);
  f(14, m.cluster_def);
  f(15, m.isolate_session_state);
  f(16, m.experimental);
  f(17, m.share_cluster_devices_in_session);
}

MR_FIELDS(ServerDef) {
  f(1, m.cluster);
  f(2, m.job_name);
  f(3, m.task_index);
  f(4, m.default_session_config);
  f(5, m.protocol);
  f(6, m.port);
  f(7, m.cluster_device_filters);
  f(8, m.replica);
}

MR_FIELDS(RunHandlerPoolOptions) { f(1, m.priority); }
MR_FIELDS(ExperimentalRunOptions) {
  f(1, m.collective_graph_key);
  f(2, m.use_run_handler_pool);
  f(3, m.run_handler_pool_options);
}
MR_FIELDS(RunOptions) {
  f(1, m.trace_level);
  f(2, m.timeout_ms);
  f(3, m.inter_op_thread_pool);
  f(5, m.output_partition_graphs);
  f(6, m.debug_options);
  f(7, m.report_tensor_allocations_upon_oom);
  f(8, m.experimental);
}
MR_FIELDS(TensorConnection) {
  f(1, m.from_tensor);
  f(2, m.to_tensor);
}
MR_FIELDS(CallableOptions) {
  f(1, m.feeds);
  f(2, m.fetches);
  f(3, m.targets);
  f(4, m.run_options);
  f(5, m.tensor_connections);
  f(6, m.feed_devices);
  f(7, m.fetch_devices);
  f(8, m.fetch_skip_sync);
}

}  // namespace millrace
