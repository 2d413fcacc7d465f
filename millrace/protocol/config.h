// ConfigOptions: the options of a session (ConfigProto).
//
// Fields that our sessions read are typed. All others are kept as bytes in
// `unknown_fields` of their message, so passing a config on loses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace millrace {

struct JobDef {
  std::string name;
  std::map<int32_t, std::string> tasks;  // task index to host:port
};
struct ClusterDef {
  std::vector<JobDef> jobs;
};

// One card that is split into several devices.
struct GpuVirtualDevices {
  std::vector<float> memory_limit_mb;
  std::string unknown_fields;
};

struct ExperimentalGpuOptions {
  std::vector<GpuVirtualDevices> virtual_devices;
  std::string unknown_fields;
};

struct GpuOptions {
  double per_process_gpu_memory_fraction = 0;
  bool allow_growth = false;
  std::string visible_device_list;
  ExperimentalGpuOptions experimental;
  std::string unknown_fields;
};

struct OptimizerOptions {
  enum class Level : int32_t { kL1 = 0, kL0 = -1 };
  bool do_common_subexpression_elimination = false;
  bool do_constant_folding = false;
  Level opt_level = Level::kL1;
  bool do_function_inlining = false;
  int64_t max_folded_constant_bytes = 0;
  std::string unknown_fields;
};

enum class RewriterToggle : int32_t {
  kDefault = 0,
  kOn = 1,
  kOff = 2,
  kAggressive = 3
};

struct RewriterOptions {
  bool disable_model_pruning = false;
  RewriterToggle constant_folding = RewriterToggle::kDefault;
  RewriterToggle arithmetic_optimization = RewriterToggle::kDefault;
  RewriterToggle dependency_optimization = RewriterToggle::kDefault;
  RewriterToggle loop_optimization = RewriterToggle::kDefault;
  RewriterToggle function_optimization = RewriterToggle::kDefault;
  RewriterToggle debug_stripper = RewriterToggle::kDefault;
  RewriterToggle shape_optimization = RewriterToggle::kDefault;
  RewriterToggle remapping = RewriterToggle::kDefault;
  RewriterToggle common_subgraph_elimination = RewriterToggle::kDefault;
  int32_t meta_optimizer_iterations = 0;
  int32_t min_graph_nodes = 0;
  bool disable_meta_optimizer = false;
  std::vector<std::string> optimizers;  // named ones run instead of the default
  std::string unknown_fields;
};

struct GraphOptions {
  bool enable_recv_scheduling = false;
  OptimizerOptions optimizer_options;
  int64_t build_cost_model = 0;  // steps between updates; 0: none
  bool infer_shapes = false;
  bool place_pruned_graph = false;
  bool enable_bfloat16_sendrecv = false;
  int32_t timeline_step = 0;
  int64_t build_cost_model_after = 0;
  RewriterOptions rewrite_options;
  std::string unknown_fields;
};

struct SessionThreadPool {
  int32_t num_threads = 0;  // 0: the default number
  std::string global_name;
};

struct RpcOptions {
  bool use_rpc_for_inprocess_master = false;
  std::string compression_algorithm;
  int32_t compression_level = 0;
  bool cache_rpc_response = false;
  std::string unknown_fields;
};

struct SessionMetadata {
  std::string name;
  int64_t version = 0;
};

struct ExperimentalConfig {
  std::string collective_group_leader;
  std::string executor_type;
  int32_t recv_buf_max_chunk = 0;
  bool collective_deterministic_sequential_execution = false;
  bool share_session_state_in_clusterspec_propagation = false;
  bool share_cluster_devices_in_session = false;
  SessionMetadata session_metadata;
  bool optimize_for_static_graph = false;
  bool disable_output_partition_graphs = false;
  std::string unknown_fields;
};

struct ConfigOptions {
  // Applies to the client's machine: it does not limit the devices of servers.
  std::map<std::string, int32_t> device_count;
  int32_t intra_op_parallelism_threads = 0;
  int32_t inter_op_parallelism_threads = 0;
  std::vector<std::string> device_filters;
  GpuOptions gpu_options;
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  bool use_per_session_threads = false;
  GraphOptions graph_options;
  int64_t operation_timeout_ms = 0;  // 0: none
  std::vector<SessionThreadPool> session_inter_op_thread_pools;
  RpcOptions rpc_options;
  ClusterDef cluster_def;  // not empty: cluster propagation
  bool isolate_session_state = false;
  ExperimentalConfig experimental;
  bool share_cluster_devices_in_session = false;
  std::string unknown_fields;
};

}  // namespace millrace
