// StepStatsCollector: what nodes of one step took, for traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/base/thread.h"
#include "millrace/kernel/kernel.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

struct NodeStats {
  std::string node_name;
  std::string timeline_label;   // "mul = Mul(a, b)"
  int64_t scheduled_nanos = 0;  // NowNanos() when it became ready
  int64_t start_nanos = 0;
  int64_t end_nanos = 0;
  int64_t thread_id = 0;
  struct Output {
    int slot = 0;
    DataType dtype = DataType::kInvalid;
    TensorShape shape;
    int64_t bytes = 0;
  };
  std::vector<Output> outputs;
};

// "mul = Mul()"; of a fused node also what it runs: "y =
// _FusedElementwise[Mul,AddV2,Relu]()".
std::string TimelineLabel(const NodeInfo& node);

// Thread-safe.
class StepStatsCollector {
 public:
  void Record(const std::string& device, NodeStats stats);
  struct DeviceStats {
    std::string device;
    std::vector<NodeStats> nodes;
  };
  std::vector<DeviceStats> Take();
  // Wall time that corresponds to NowNanos() = 0, in microseconds.
  int64_t wall_offset_micros() const { return wall_offset_micros_; }

  StepStatsCollector();

 private:
  int64_t wall_offset_micros_;
  Mutex mu_;
  std::vector<DeviceStats> devices_;
};

}  // namespace millrace
