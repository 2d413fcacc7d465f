// Plan: a partition of a graph compiled for running, immutable.
//
// Built once for a registered partition (one device), run by many steps at
// once. Nodes, edges and input slots are dense arrays. Each node belongs to one
// static frame: the root, or a while loop; a step keeps pending counts and
// slots per iteration of a frame.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/base/threads/thread.h"
#include "millrace/exec/memory_spaces.h"
#include "millrace/exec/step_stats.h"
#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel.h"

namespace millrace {

// The executor's special handling of a node.
enum class NodeKind : uint8_t {
  kPlain,
  kNoOp,      // nothing to run
  kConstant,  // value known when the plan is built
  kArg,       // value given with the run
  kRetval,    // value handed out by the run
  kSwitch,    // may make outputs dead
  kMerge,     // ready with its first live input
  kEnter,
  kExit,
  kNextIteration,
  kControlTrigger,  // alive even if its inputs are dead
  kTransfer,        // _Send and _Recv: run with dead inputs, too
};

struct PlanEdge {
  int32_t dst = 0;
  int32_t slot = kControlPort;  // input slot in the frame of `dst`
  int32_t src_port = kControlPort;
  bool last = false;  // last consumer of the port: takes the value
};

struct PlanNode {
  NodeKind kind = NodeKind::kPlain;
  bool is_async = false;
  bool cheap = false;              // always inline
  bool single_dependency = false;  // one in-edge: ready when it arrives
  bool constant_enter = false;
  bool checks_refs = true;  // reference inputs must be initialized
  // The inputs that its kernel takes as views of variables; usually none.
  int32_t first_view = 0;
  int32_t num_views = 0;
  int32_t frame = 0;  // static frame
  int32_t index_in_frame = 0;
  int32_t first_slot = 0;  // in the frame
  int32_t num_inputs = 0;
  int32_t num_outputs = 0;
  int32_t first_edge = 0;
  int32_t num_edges = 0;
  // Depends on `kind`; unused for other kinds.
  union {
    int32_t constant = 0;  // kConstant: index of its value in the plan
    int32_t arg;           // kArg: index of the run's argument
    int32_t retval;        // kRetval: index of the run's result
    int32_t merge;         // kMerge: index among the merges of its frame
    int32_t child_frame;   // kEnter: static frame that it leads into
  };
  const Kernel* kernel = nullptr;
  const NodeInfo* info = nullptr;

  bool TakesView(int input) const {
    return static_cast<uint32_t>(input - first_view) <
           static_cast<uint32_t>(num_views);
  }
};
static_assert(sizeof(PlanNode) <= 64);  // one cache line

// A while loop, identified by the frame_name of its Enters (0: the root).
struct PlanFrame {
  std::string name;
  int32_t parent = 0;
  int32_t num_nodes = 0;
  int32_t num_slots = 0;
  int32_t num_enters = 0;
  int32_t parallel_iterations = 1;
  // The initial value of IterationStorage::pending, by index_in_frame.
  std::vector<uint64_t> initial_pending;
  int32_t num_merges = 0;
};

// Makes or finds the kernel of a node; the plans of a session share stateful
// kernels.
struct SharedKernel {
  std::shared_ptr<const Kernel> kernel;
  std::shared_ptr<const NodeInfo> info;  // the object that the kernel refers to
  bool cheap = false;
  const char* views = "";  // as KernelEntry::views
};
using KernelSource = absl::FunctionRef<StatusOr<SharedKernel>(
    std::shared_ptr<const NodeInfo>, Device&)>;

struct PlanOptions {
  // Where `kernels` come from; a device with memory of its own needs it.
  const KernelTable* table = nullptr;
  SlotMemory slots = SlotMemory::kHost;
};

class Plan {
 public:
  // `graph` is one device's partition: every node is on `device` (assigned
  // names are ignored), its only feeds are _Arg, its only fetches _Retval.
  // Errors name the node: INVALID_ARGUMENT for a node in two frames or an Exit
  // outside a loop; the error of `kernels` if there is no kernel (NOT_FOUND) or
  // the kernel refuses the attributes. For a device with memory of its own,
  // nodes that copy are added (memory_spaces.h).
  static StatusOr<std::shared_ptr<const Plan>> Build(
      const Graph& graph, Device& device, KernelSource kernels,
      const PlanOptions& options = {});
  ~Plan();

  Device& device() const { return device_; }
  absl::Span<const PlanNode> nodes() const { return nodes_; }
  const PlanNode& node(int32_t i) const { return nodes_[i]; }
  absl::Span<const PlanEdge> edges(const PlanNode& n) const {
    return absl::MakeConstSpan(edges_).subspan(n.first_edge, n.num_edges);
  }
  const PlanFrame& frame(int32_t i) const { return frames_[i]; }
  bool has_loops() const { return frames_.size() > 1; }
  // Returns the nodes without inputs.
  absl::Span<const int32_t> roots() const { return roots_; }
  int num_args() const { return num_args_; }
  int num_retvals() const { return num_retvals_; }
  // Returns whether every node is cheap, so that a run never occupies a thread
  // for long.
  bool all_cheap() const { return all_cheap_; }
  const Tensor& constant(const PlanNode& n) const {
    return constants_[n.constant];
  }

  // Returns the measured cost of a node in nanoseconds, a moving average, which
  // determines the nodes that run inline. Relaxed memory order: it is a hint.
  int64_t cost_nanos(const PlanNode& n) const {
    return costs_[&n - nodes_.data()].load(std::memory_order_relaxed);
  }
  void RecordCost(const PlanNode& n, int64_t nanos) const {
    auto& cost = costs_[&n - nodes_.data()];
    const int64_t old = cost.load(std::memory_order_relaxed);
    cost.store(old - old / 8 + nanos / 8, std::memory_order_relaxed);
  }

  // Returns the names of its nodes, made when first needed.
  std::shared_ptr<const PlanLabels> Labels() const;

  // Pending counts and slots of the root frame, reused from step to step.
  struct RootState;
  std::unique_ptr<RootState> TakeRootState() const;
  void GiveBackRootState(std::unique_ptr<RootState> state) const;

 private:
  friend class PlanBuilder;
  explicit Plan(Device& device) : device_(device) {}

  Device& device_;
  std::vector<PlanNode> nodes_;
  std::vector<PlanEdge> edges_;
  std::vector<PlanFrame> frames_;
  std::vector<int32_t> roots_;
  std::vector<Tensor> constants_;
  std::vector<SharedKernel> kernels_;  // keeps kernels and node infos
  std::vector<std::shared_ptr<const NodeInfo>> infos_;
  std::unique_ptr<std::atomic<int64_t>[]> costs_;
  int num_args_ = 0;
  int num_retvals_ = 0;
  bool all_cheap_ = true;

  mutable Mutex mu_;  // guards all below
  mutable std::vector<std::unique_ptr<RootState>> free_states_;
  mutable std::shared_ptr<const PlanLabels> labels_;
};

// The state of a frame's iteration while it runs.
struct IterationStorage {
  IterationStorage(const PlanFrame& frame);
  // Resets the counts for another run. The slots are empty already.
  void Reset(const PlanFrame& frame);

  // Indexed by index_in_frame: dead inputs << 32 | missing inputs and control
  // inputs. For a merge, the lower half is 1 until a live input has arrived,
  // plus 2 for each missing control input.
  std::unique_ptr<std::atomic<uint64_t>[]> pending;
  std::unique_ptr<EdgeValue[]> slots;
  // Indexed by PlanNode::merge: the live input that arrived first; -1 before
  // one has, -2 if the merge is dead.
  std::unique_ptr<std::atomic<int32_t>[]> winners;
};

struct Plan::RootState {
  explicit RootState(const PlanFrame& frame) : storage(frame) {}
  IterationStorage storage;
};

}  // namespace millrace
