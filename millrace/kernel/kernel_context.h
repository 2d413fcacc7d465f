// KernelContext: one run of a kernel within a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/base/clock.h"
#include "millrace/base/files/file.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/variable.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class AllocationLog;
class FunctionRunner;
class Rendezvous;
class SessionTensors;
class StepContainer;
class StepStatsCollector;
struct NodeInfo;

// A value on an edge: a tensor, or (on a reference edge) a variable.
struct EdgeValue {
  Tensor tensor;
  Ref<Variable> ref;  // set on reference edges
  bool is_dead = false;
};

// The environment that a step provides to all its kernels; outlives every
// context of the step.
struct StepEnvironment {
  int64_t step_id = 0;
  CancelScope* cancel = nullptr;
  Deadline deadline = Deadline::Infinite();
  Rendezvous* rendezvous = nullptr;
  StepContainer* container = nullptr;  // TensorArrays, stacks
  FunctionRunner* functions = nullptr;
  FileSystem* files = nullptr;  // rooted as the server says
  std::string session_handle;
  SessionTensors* session_tensors = nullptr;  // null: there is no session
  int call_depth = 0;                         // of function calls
  // exec's collector of the times of nodes and transfers; null: not recorded.
  StepStatsCollector* stats = nullptr;
};

// The context of one kernel run. Not thread-safe, except that ParallelFor's
// shards may read inputs and write their part of outputs.
class KernelContext {
 public:
  KernelContext(const NodeInfo& node, Device& device, StepEnvironment& step,
                absl::Span<EdgeValue> inputs, absl::Span<EdgeValue> outputs)
      : node_(node),
        device_(device),
        step_(step),
        inputs_(inputs),
        outputs_(outputs) {}
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;

  const NodeInfo& node() const { return node_; }
  Device& device() const { return device_; }
  StepEnvironment& step() const { return step_; }
  ResourceStore& resources() const { return device_.resources(); }
  // Returns the allocator of what the kernel works with: the device's, or that
  // of host memory if all arguments of a kernel that runs there do (OnHost).
  Allocator* allocator() const;

  // Inputs. A reference input that is read as a value is the variable's current
  // value, taken when the kernel starts (the executor fills `tensor`). An
  // uninitialized variable is FAILED_PRECONDITION before that, unless the op
  // allows it. The argument that the kernel takes as a view
  // (KernelEntry::views) may be a view: it has a type and a shape, but elements
  // only once it is bound.
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Tensor& input(int i) const { return inputs_[i].tensor; }
  DataType input_type(int i) const { return inputs_[i].tensor.dtype(); }
  // Returns the variable on a reference edge; null on other edges.
  Variable* ref_input(int i) const { return inputs_[i].ref.get(); }
  const Ref<Variable>& shared_ref_input(int i) const { return inputs_[i].ref; }
  // Moves the input's tensor out (for kernels that pass it on).
  Tensor TakeInput(int i) { return std::move(inputs_[i].tensor); }
  // Replaces a view by the elements that it stands for now. Returns
  // RESOURCE_EXHAUSTED if there is no memory for them.
  Status BindInput(int i);

  // Outputs.
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  DataType output_type(int i) const;  // of the node, without reference
  void set_output(int i, Tensor t) { outputs_[i].tensor = std::move(t); }
  void set_output_ref(int i, Ref<Variable> v) {
    outputs_[i].ref = std::move(v);
  }
  Tensor* output(int i) { return &outputs_[i].tensor; }
  void set_output_dead(int i) { outputs_[i].is_dead = true; }
  EdgeValue& input_edge(int i) { return inputs_[i]; }
  EdgeValue& output_edge(int i) { return outputs_[i]; }

  // Allocates a tensor of the output's type and sets it as output i. It is on
  // the device, unless the output lies in host memory
  // (kernel/host_arguments.h). The pointer is valid until the kernel ends.
  // RESOURCE_EXHAUSTED names node and bytes.
  StatusOr<Tensor*> AllocateOutput(int i, TensorShape shape);
  // Does the same, but takes over the buffer of one of `candidates` (input
  // numbers) if it is in the same memory, this run holds the last reference to
  // it, it has as many bytes and both types are plain (or equal). The input can
  // still be read until the kernel ends: it is then the same memory.
  StatusOr<Tensor*> ForwardOrAllocateOutput(
      std::initializer_list<int> candidates, int i, TensorShape shape);
  // Allocates from allocator(), elements that are not plain from host memory.
  StatusOr<Tensor> AllocateTemp(DataType type, TensorShape shape);
  // Allocates from `memory`, one of the device's allocators, wherever the
  // kernel's arguments lie.
  StatusOr<Tensor> AllocateFrom(Allocator* memory, DataType type,
                                TensorShape shape);

  // Splits [0, total) over the device's intra-op threads; 20 us of work and
  // more are shared. Checks for cancellation between shards, unless to_end is
  // set. Returns CANCELLED (or the reason) if the step was cancelled.
  Status ParallelFor(int64_t total, int64_t cost_nanos_per_unit,
                     absl::FunctionRef<void(int64_t begin, int64_t end)> f);
  // Returns OK, or the reason why the step is being cancelled. Long loops call
  // it from time to time.
  Status CheckCancelled() const;

  // ---- Set by the executor before the kernel runs.
  // Identify the execution of the node: the frame, 0 outside loops, and its
  // iteration. Used in the keys of the values that the node sends or keeps.
  uint64_t frame_id = 0;
  int64_t iteration = 0;
  // Whether a data or control input is dead. Only kernels of transfers run
  // then.
  bool has_dead_input = false;
  // Records the memory that the kernel takes from this context; null: none.
  AllocationLog* allocations = nullptr;

  // ---- Set by the kernel.
  // Set before an in-place change of state that must be completed: ParallelFor
  // then finishes its work, even if the step is cancelled.
  bool to_end = false;
  // Set on failure by a kernel that runs several nodes (a fused one): the name
  // of the node that failed, which must live as long as the kernel. Empty: the
  // kernel's own node.
  absl::string_view failed_node;

 private:
  // `output`: the number of the output that it is for, or kNoOutput.
  static constexpr int kNoOutput = -1;
  StatusOr<Tensor> Allocate(DataType type, TensorShape shape, int output);
  StatusOr<Tensor> AllocateFrom(Allocator* memory, DataType type,
                                TensorShape shape, int output);
  bool IsHostOutput(int i) const;

  const NodeInfo& node_;
  Device& device_;
  StepEnvironment& step_;
  absl::Span<EdgeValue> inputs_;
  absl::Span<EdgeValue> outputs_;
};

// Functions that many kernels need.

// Kernels only describe the error; the executor makes it INVALID_ARGUMENT with
// the node's name.
Status CheckScalar(const Tensor& t, absl::string_view what);
Status CheckVector(const Tensor& t, absl::string_view what);
// Returns the elements of an int32 or int64 tensor.
std::vector<int64_t> IntValues(const Tensor& t);
// Does the same for tensors that may be as long as a client likes.
CountedVector<int64_t> ManyIntValues(const Tensor& t);
// Returns an int32 or int64 vector as a shape. INVALID_ARGUMENT for negative
// sizes.
StatusOr<TensorShape> ShapeFromTensor(const Tensor& t);

}  // namespace millrace
