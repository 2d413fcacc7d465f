// StepStatsCollector: records the times of the nodes and transfers of one step,
// for traces.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/allocation_log.h"
#include "millrace/kernel/kernel.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// The names, edges and types of the nodes of a plan, for users that outlive the
// plan.
struct PlanLabels {
  struct Input {
    int32_t node = 0;
    int32_t port = 0;  // kControlPort: a control edge
  };
  struct Node {
    std::string name;
    std::string op;             // OpLabel
    std::vector<Input> inputs;  // control edges last
    DataTypeVector output_types;
    // A node of a transfer passes a value to or from another device or the
    // client; TensorFlow's executors do not report those. Feeds and fetches of
    // a server's session are such nodes, although the plan has slots for them.
    enum class Kind : uint8_t { kKernel, kNothingToRun, kSend, kReceive };
    Kind kind = Kind::kKernel;
    // Whether its outputs live longer than a step: constants and variables.
    bool keeps_outputs = false;
    bool is_transfer() const {
      return kind == Kind::kSend || kind == Kind::kReceive;
    }
  };
  std::string device;
  std::string allocator;    // the name of the device's
  std::vector<Node> nodes;  // by their indices in the plan
};

// The number of the node "_SOURCE" of a plan, which TensorFlow's executors
// have: it marks the start of a run.
inline constexpr int32_t kSourceNode = -1;

// One execution of a node. Times are of NowNanos().
struct NodeStats {
  int32_t plan = 0;  // of AddPlan
  int32_t node = 0;  // in the plan, or kSourceNode
  // Whether the executor handles the node itself; recorded for RunMetadata
  // only.
  bool is_light = false;
  // Whether the kernel is asynchronous: it may have ended on another thread
  // than it began on, and its thread did other work meanwhile.
  bool is_async = false;
  int64_t start_nanos = 0;
  int64_t end_nanos = 0;
  int64_t thread_id = 0;  // of the thread on which it ended
  struct Output {
    int slot = 0;
    DataType dtype = DataType::kInvalid;
    TensorShape shape;
    int64_t bytes = 0;
    uintptr_t address = 0;  // 0: the few bytes have no buffer
    bool is_sole = false;   // whether nothing else refers to the buffer
    int alias_input = -1;   // the input with the same memory
  };
  absl::InlinedVector<Output, 1> outputs;
  std::vector<AllocationLog::Entry> allocations;
};

// Returns "Mul"; for a fused node also the original ops:
// "_FusedElementwise[Mul,AddV2,Relu]".
std::string OpLabel(const NodeInfo& node);

// One end of the transfer of a tensor between two tasks. Times are of
// NowNanos().
struct TransferStats {
  std::string key;         // of the rendezvous; names both devices
  int64_t request_id = 0;  // the same at both ends
  bool is_send = false;
  bool is_dead = false;
  // A receive: from the request to the tensor. A send: from the time when the
  // tensor was available and requested until it was passed to the transport.
  int64_t start_nanos = 0;
  int64_t end_nanos = 0;
  int64_t bytes = 0;  // of the elements
  // The sender's wall clock; 0 if unknown.
  int64_t send_start_micros = 0;
};

// The events of a collector. Nodes and transfers are in the order in which they
// ended.
struct StepEvents {
  std::vector<std::shared_ptr<const PlanLabels>> plans;
  std::vector<NodeStats> nodes;
  std::vector<TransferStats> transfers;
  absl::flat_hash_map<int64_t, std::string> threads;  // names by id
  // The wall time that corresponds to NowNanos() = 0, in microseconds.
  int64_t wall_offset_micros = 0;
};

// The number of further events that may be kept; shared by the steps of a
// trace. Thread-safe.
class EventBudget {
 public:
  explicit EventBudget(int64_t events) : left_(events) {}
  // Returns false and counts a dropped event if the budget is spent.
  bool Take() {
    if (left_.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> left_;
  std::atomic<int64_t> dropped_{0};
};

// Thread-safe. Keeps neither plans nor tensors alive, so it may outlive the
// step, its session and its server.
class StepStatsCollector {
 public:
  // Events beyond `budget` are dropped; null: all events are kept.
  explicit StepStatsCollector(std::shared_ptr<EventBudget> budget = nullptr);

  // Makes the plans that run from now on record also the nodes that the
  // executor handles itself (constants, feeds, fetches, nodes without a
  // kernel), and the memory of all nodes, as RunMetadata has them.
  void KeepAll() { keeps_all_.store(true, std::memory_order_relaxed); }
  bool keeps_all() const { return keeps_all_.load(std::memory_order_relaxed); }

  // Returns a number for NodeStats, which is equal for equal labels.
  int32_t AddPlan(const std::shared_ptr<const PlanLabels>& labels);
  // Must be called on the thread on which the node ended.
  void Record(NodeStats node);
  // Returns a number for SetEnd; negative if the transfer was dropped.
  int64_t Record(TransferStats transfer);
  void SetEnd(int64_t transfer, int64_t end_nanos);

  // Returns a copy of the events so far.
  StepEvents Events() const;

 private:
  const std::shared_ptr<EventBudget> budget_;
  std::atomic<bool> keeps_all_{false};
  mutable Mutex mu_;
  StepEvents events_;  // guarded by mu_
};

}  // namespace millrace
