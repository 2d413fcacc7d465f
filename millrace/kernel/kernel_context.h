// KernelContext: one run of a kernel within a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/base/clock.h"
#include "millrace/base/files/file.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/variable.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class FunctionRunner;
class Rendezvous;
class StepContainer;
class StepStatsCollector;
struct NodeInfo;

// A value on an edge: a tensor, or (on a reference edge) a variable.
struct EdgeValue {
  Tensor tensor;
  Ref<Variable> ref;  // set on reference edges
  bool is_dead = false;
};

// What a step gives to all its kernels; outlives every context of the step.
struct StepEnvironment {
  int64_t step_id = 0;
  CancelScope* cancel = nullptr;
  Deadline deadline = Deadline::Infinite();
  Rendezvous* rendezvous = nullptr;
  StepContainer* container = nullptr;  // TensorArrays, stacks
  FunctionRunner* functions = nullptr;
  FileSystem* files = nullptr;  // rooted as the server says
  std::string session_handle;
  int call_depth = 0;  // of function calls
  // Of exec: where nodes and transfers tell what they took; null: nowhere.
  StepStatsCollector* stats = nullptr;
};

// Used by one kernel run; not thread-safe, except for ParallelFor's shards
// reading inputs and writing their part of outputs.
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

  // Inputs. A reference input read as a value is the variable's current value,
  // taken when the kernel started (the executor fills `tensor`); it is
  // FAILED_PRECONDITION before that if uninitialized, unless the op allows it.
  // The argument that the kernel takes as a view (KernelEntry::views) may be
  // one: type and shape are there, elements only once it is bound.
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Tensor& input(int i) const { return inputs_[i].tensor; }
  DataType input_type(int i) const { return inputs_[i].tensor.dtype(); }
  // The variable on a reference edge; null on others.
  Variable* ref_input(int i) const { return inputs_[i].ref.get(); }
  const Ref<Variable>& shared_ref_input(int i) const { return inputs_[i].ref; }
  // Moves the input's tensor out (for kernels that pass it on).
  Tensor TakeInput(int i) { return std::move(inputs_[i].tensor); }
  // Makes a view the elements that it stands for now. RESOURCE_EXHAUSTED.
  Status BindInput(int i);

  // Outputs.
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  DataType output_type(int i) const;  // by the node, without reference
  void set_output(int i, Tensor t) { outputs_[i].tensor = std::move(t); }
  void set_output_ref(int i, Ref<Variable> v) {
    outputs_[i].ref = std::move(v);
  }
  Tensor* output(int i) { return &outputs_[i].tensor; }
  void set_output_dead(int i) { outputs_[i].is_dead = true; }
  EdgeValue& input_edge(int i) { return inputs_[i]; }
  EdgeValue& output_edge(int i) { return outputs_[i]; }

  // A fresh tensor of the output's type, set as output i. The pointer is good
  // until the kernel ends. RESOURCE_EXHAUSTED names node and bytes.
  StatusOr<Tensor*> AllocateOutput(int i, TensorShape shape);
  // As AllocateOutput, but takes over the buffer of one of `candidates` (input
  // numbers) if this run holds the last reference to it, it has as many bytes
  // and both types are plain (or equal); else allocates. The input can still be
  // read until the kernel ends: it is then the same memory.
  StatusOr<Tensor*> ForwardOrAllocateOutput(
      std::initializer_list<int> candidates, int i, TensorShape shape);
  StatusOr<Tensor> AllocateTemp(DataType type, TensorShape shape);

  // Splits [0, total) over the device's intra-op threads; checks for cancel
  // between shards, unless to_end. CANCELLED (or the reason) if the step was
  // cancelled.
  Status ParallelFor(int64_t total, int64_t cost_nanos_per_unit,
                     absl::FunctionRef<void(int64_t begin, int64_t end)> f);
  // OK, or why the step is being cancelled. Long loops ask now and then.
  Status CheckCancelled() const;

  // ---- Set by the executor before the kernel runs.
  // Which of the node's executions this is: the frame, 0 outside loops, and its
  // iteration. For the keys of what the node sends or keeps.
  uint64_t frame_id = 0;
  int64_t iteration = 0;
  // A data or control input is dead. Only kernels of transfers run then.
  bool has_dead_input = false;

  // ---- Set by the kernel.
  // Before it changes state in place, of which no half may stay: ParallelFor
  // then ends its work, cancelled or not.
  bool to_end = false;
  // By one that runs several nodes (a fused one), when it fails: the node that
  // the error is of, a name that lives as long as the kernel. Empty: its own.
  absl::string_view failed_node;

 private:
  const NodeInfo& node_;
  Device& device_;
  StepEnvironment& step_;
  absl::Span<EdgeValue> inputs_;
  absl::Span<EdgeValue> outputs_;
};

// Helpers that many kernels need.

// INVALID_ARGUMENT with the node's name is added by the executor; kernels only
// say what is wrong.
Status CheckScalar(const Tensor& t, absl::string_view what);
Status CheckVector(const Tensor& t, absl::string_view what);
// The elements of an int32 or int64 tensor.
std::vector<int64_t> IntValues(const Tensor& t);
// An int32 or int64 vector as a shape. INVALID_ARGUMENT for negative sizes.
StatusOr<TensorShape> ShapeFromTensor(const Tensor& t);

}  // namespace millrace
