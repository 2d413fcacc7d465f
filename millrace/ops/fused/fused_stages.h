// FusedStages: everything about fused elementwise ops that their kernel
// computes before it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/fused/fused_pairs.h"

namespace millrace::ops {

// Each of the nodes is a stage. Immutable. What every run reads is contiguous,
// since the kernels of a step's many nodes are not in a near cache when they
// start.
struct FusedStages {
  struct Stage {
    const ElementwiseFunction* function = nullptr;
    // Inputs, numbered as in FusedNode::inputs, and the bytes of an element of
    // each.
    int in[ElementwiseFunction::kMaxInputs] = {};
    uint8_t in_bytes[ElementwiseFunction::kMaxInputs] = {};
    uint8_t num_inputs = 0;
    bool broadcasts = false;
    PairOp pair_op = PairOp::kNone;
    uint8_t bytes = 0;                   // of an element of the result
    DataType type = DataType::kInvalid;  // of the result
    uint16_t reg = 0;                    // register for a block of the result
    uint16_t num_readers = 0;  // a stage that reads it twice counts twice
    int result = -1;           // index of the node's output that it is, or -1

    absl::Span<const int> inputs() const { return {in, num_inputs}; }
  };

  static StatusOr<FusedStages> Make(const KernelInit& init);

  int num_inputs = 0;
  size_t num_registers = 0;
  size_t widest = 1;  // bytes of an element of a result
  std::vector<Stage> list;
  FusedKernels kernels;
  std::vector<std::vector<size_t>> readers;  // of each stage, in order

 private:
  void AssignRegisters();
  std::vector<std::unique_ptr<const ElementwiseFunction>> functions_;
};

}  // namespace millrace::ops
