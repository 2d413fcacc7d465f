// RunOptions and CallableOptions: the options of one run, and of a callable.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace millrace {

enum class TraceLevel : int32_t {
  kNone = 0,
  kSoftware = 1,
  kHardware = 2,
  kFull = 3
};

struct RunHandlerPoolOptions {
  int64_t priority = 0;

  friend bool operator==(const RunHandlerPoolOptions&,
                         const RunHandlerPoolOptions&) = default;
};

struct ExperimentalRunOptions {
  int64_t collective_graph_key = 0;
  bool use_run_handler_pool = false;
  RunHandlerPoolOptions run_handler_pool_options;
  std::string unknown_fields;

  friend bool operator==(const ExperimentalRunOptions&,
                         const ExperimentalRunOptions&) = default;
};

struct RunOptions {
  TraceLevel trace_level = TraceLevel::kNone;
  int64_t timeout_ms = 0;  // 0: none
  // The index into the session's pools; -1: the caller's thread.
  int32_t inter_op_thread_pool = 0;
  bool output_partition_graphs = false;
  std::string debug_options;  // a serialized DebugOptions; empty: none
  bool report_tensor_allocations_upon_oom = false;
  ExperimentalRunOptions experimental;
  std::string unknown_fields;  // as in config.h

  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

// Feeds to_tensor with the value of from_tensor.
struct TensorConnection {
  std::string from_tensor;
  std::string to_tensor;
};

struct CallableOptions {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions run_options;
  std::vector<TensorConnection> tensor_connections;
  std::map<std::string, std::string> feed_devices;
  std::map<std::string, std::string> fetch_devices;
  bool fetch_skip_sync = false;
  std::string unknown_fields;
};

}  // namespace millrace
