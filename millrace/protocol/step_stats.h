// StepStats, CostGraph, RunMetadata: the statistics that a run reports besides
// its values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "millrace/graph/graph_def.h"
#include "millrace/protocol/config.h"

namespace millrace {

struct AllocationDescription {
  int64_t requested_bytes = 0;
  int64_t allocated_bytes = 0;
  std::string allocator_name;
  int64_t allocation_id = 0;
  bool has_single_reference = false;
  uint64_t ptr = 0;
};

// A tensor without its values.
struct TensorDescription {
  DataType dtype = DataType::kInvalid;
  PartialShape shape = PartialShape({});
  AllocationDescription allocation_description;
};

struct AllocationRecord {
  int64_t alloc_micros = 0;
  int64_t alloc_bytes = 0;  // negative: freed
};

struct AllocatorMemoryUsed {
  std::string allocator_name;
  int64_t total_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t live_bytes = 0;
  int64_t allocator_bytes_in_use = 0;
  std::vector<AllocationRecord> allocation_records;
};

struct NodeOutputStats {
  int32_t slot = 0;
  TensorDescription tensor_description;
};

struct NodeMemoryStats {
  int64_t temp_memory_size = 0;
  int64_t persistent_memory_size = 0;
  std::vector<int64_t> persistent_tensor_alloc_ids;
};

// One execution of a node. The start is the time since 1970, all other times
// are relative to it; micros and nanos are the same times.
struct NodeExecStats {
  std::string node_name;
  int64_t all_start_micros = 0;
  int64_t op_start_rel_micros = 0;
  int64_t op_end_rel_micros = 0;
  int64_t all_end_rel_micros = 0;
  std::vector<AllocatorMemoryUsed> memory;
  std::vector<NodeOutputStats> output;
  std::string timeline_label;  // "mul = Mul(x, y)"
  int64_t scheduled_micros = 0;
  uint32_t thread_id = 0;
  std::vector<AllocationDescription> referenced_tensor;
  std::optional<NodeMemoryStats> memory_stats;  // of nodes that have a kernel
  int64_t all_start_nanos = 0;
  int64_t op_start_rel_nanos = 0;
  int64_t op_end_rel_nanos = 0;
  int64_t all_end_rel_nanos = 0;
  int64_t scheduled_nanos = 0;
};

struct DeviceStepStats {
  std::string device;
  std::vector<NodeExecStats> node_stats;
  std::map<uint32_t, std::string> thread_names;
};

struct StepStats {
  std::vector<DeviceStepStats> dev_stats;
};

struct CostGraph {
  struct InputInfo {
    int32_t preceding_node = 0;
    int32_t preceding_port = 0;
  };
  struct OutputInfo {
    int64_t size_bytes = 0;
    int64_t alias_input_port = 0;  // -1: memory of its own
    PartialShape shape = PartialShape({});
    DataType dtype = DataType::kInvalid;
  };
  struct Node {
    std::string name;
    std::string device;
    int32_t id = 0;
    std::vector<InputInfo> input_info;
    std::vector<OutputInfo> output_info;
    int64_t temporary_memory_size = 0;
    bool is_final = false;
    std::vector<int32_t> control_input;
    int64_t compute_cost_micros = 0;
    int64_t persistent_memory_size = 0;
    int64_t compute_time_nanos = 0;
    int64_t memory_time_nanos = 0;
    bool inaccurate = false;
  };
  struct AggregatedCost {
    float cost = 0;
    std::string dimension;
  };
  std::vector<Node> nodes;
  std::vector<AggregatedCost> costs;
};

struct FunctionGraphs {
  std::vector<GraphDef> partition_graphs;
  std::optional<GraphDef> pre_optimization_graph;
  std::optional<GraphDef> post_optimization_graph;
};

struct RunMetadata {
  StepStats step_stats;
  CostGraph cost_graph;
  std::vector<GraphDef> partition_graphs;
  std::vector<FunctionGraphs> function_graphs;
  SessionMetadata session_metadata;
};

}  // namespace millrace
