// ClientTransferStats: the fed and fetched values of a step that go to and from
// other tasks, as RunMetadata has them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millrace/protocol/master.h"
#include "millrace/protocol/step_stats.h"

namespace millrace {

// The values that one part of a step is fed and gives. Not thread-safe.
class PartTransfers {
 public:
  // Notes the values that go to the part; their names are rendezvous keys.
  void Begin(const std::vector<NamedTensor>& feeds);
  // Notes the values that came from the part; nothing without Begin.
  void End(const std::vector<NamedTensor>& fetches);

 private:
  friend class ClientTransferStats;
  struct Value {
    std::string key;
    int64_t bytes = 0;
  };
  std::vector<Value> feeds_;
  std::vector<Value> fetches_;
  int64_t begin_nanos_ = 0;  // of NowNanos(); 0: not noted
  int64_t end_nanos_ = 0;
};

// TensorFlow's masters send fed values from their own device, and receive
// fetched ones there: each such transfer is a node "RecvTensor" of the device
// that receives it. Ours travel in the calls of a step, so all feeds of a task
// arrive when its part begins, and all fetches when it ends.
class ClientTransferStats {
 public:
  // `master_device` is the name of the master's device.
  explicit ClientTransferStats(std::string master_device);

  void Add(const PartTransfers& part);
  // Adds the node "_SOURCE" of the master's device, for a step without parts
  // that began at `nanos` of NowNanos().
  void AddSource(int64_t nanos);
  StepStats Take() { return std::move(stats_); }

 private:
  DeviceStepStats& Of(const std::string& device);
  void Add(const PartTransfers::Value& value, bool is_feed, int64_t nanos);
  void SetStart(int64_t nanos, NodeExecStats* node) const;

  const std::string master_device_;
  const int64_t wall_offset_micros_;
  StepStats stats_;
};

}  // namespace millrace
