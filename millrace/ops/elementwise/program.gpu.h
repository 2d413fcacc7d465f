// ElementwiseProgram: elementwise ops that one kernel of a GPU computes in one
// pass over memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/elementwise/elementwise_text.gpu.h"

namespace millrace::ops {

// A compiled program. Immutable; copies share the code.
class ElementwiseProgram {
 public:
  // The limit on inputs and outputs.
  static constexpr int kMaxInputs = 64;
  static constexpr int kMaxOutputs = 32;
  // The limit on inputs of a program whose inputs differ in shape, but for
  // single elements.
  static constexpr int kMaxBroadcastInputs = 16;

  ElementwiseProgram() = default;

  // Enqueues the program. All outputs have the same shape, and the inputs
  // broadcast to it; an output may be the memory of an input of its shape and
  // element size. Returns UNIMPLEMENTED for inputs that need more than 8
  // dimensions, or are too many to be broadcast.
  Status Run(KernelContext& ctx, absl::Span<const Tensor* const> inputs,
             absl::Span<Tensor* const> outputs) const;

 private:
  friend class ElementwiseProgramBuilder;

  template <int kIn, int kOut>
  Status Launch(KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                absl::Span<Tensor* const> outputs) const;
  template <int kIn, int kOut>
  Status LaunchBroadcast(KernelContext& ctx,
                         absl::Span<const Tensor* const> inputs,
                         absl::Span<Tensor* const> outputs) const;

  int width_ = 1;  // elements that a thread takes at once
  GpuFunction flat_;
  GpuFunction broadcast_;  // empty: one input, or too many
};

// Collects the ops of a program. Values are numbered in the order in which they
// are added.
class ElementwiseProgramBuilder {
 public:
  int AddInput(DataType type);
  // Adds an op of earlier values, whose result has this type.
  int AddOp(const ElementwiseText& op, absl::Span<const int> operands,
            DataType type);
  void AddOutput(int value);

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }

  // Returns the text behind those of the ops.
  std::string Text() const;
  // Returns the texts in front of it, each once.
  const std::vector<const GpuSource*>& sources() const { return sources_; }
  // Compiles it for the device of `init`. Returns errors of LoadGpuFunction.
  StatusOr<ElementwiseProgram> Build(const KernelInit& init) const;

 private:
  struct Value {
    DataType type;
    std::string name;        // in expressions
    std::string expression;  // empty for an input
  };
  int Width() const;

  std::vector<Value> values_;
  std::vector<int> inputs_;   // values
  std::vector<int> outputs_;  // values
  std::vector<const GpuSource*> sources_;
  bool slow_ = false;
};

}  // namespace millrace::ops
