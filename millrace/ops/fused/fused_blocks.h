// The pass of a fused node over its elements: each block goes through all
// stages, so that intermediate results stay in the first-level cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "millrace/kernel/elementwise_function.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/fused/fused_pairs.h"

namespace millrace::ops {

// Made for one run of a kernel, then used by many threads at once.
class FusedBlocks {
 public:
  static constexpr int64_t kBlock = kFloatBlock;
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  struct Operand {
    const char* data = nullptr;  // null: the result of stage `stage`
    size_t step = 0;   // bytes to the next element; 0: one element for all
    size_t stage = 0;  // in the order of Add
  };
  // One op. Has as many operands as `function` has inputs.
  struct Stage {
    const ElementwiseFunction* function = nullptr;
    uint32_t scalars = 0;  // the mask of ElementwiseFunction::Run
    Operand in[ElementwiseFunction::kMaxInputs];
    size_t reg = 0;                  // register for a block of its result
    size_t index = 0;                // identifies the stage that failed
    PairOp pair_op = PairOp::kNone;  // what `function` is, if it may be paired
    int readers = 0;  // number of operands of stages that are its result
    // The destination of the result; null if only stages read it.
    char* out = nullptr;
    size_t out_bytes = 0;   // of an element
    bool in_place = false;  // `out` is the memory of an operand
  };

  // `element_bytes` is the size of the largest result of a stage.
  FusedBlocks(int64_t total, size_t num_registers, size_t element_bytes)
      : total_(total),
        num_registers_(num_registers),
        element_bytes_(element_bytes) {}

  // Adds a stage. Stages run in the order in which they are added.
  void Add(const Stage& stage);
  // Returns how many passes over a block there are: a pair of stages is one.
  size_t passes() const { return passes_.size(); }
  // Called after the last stage was added.
  void Finish();

  // Computes elements [begin, end). Requires: `begin` is the start of a block.
  void Run(int64_t begin, int64_t end);

  // Returns the first stage that had no result for an element, for any order of
  // threads; kNone if all had.
  size_t failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  // A stage, or a pair of stages of which only the second reads the first.
  struct Pass {
    Stage stage;              // of a pair, the second
    size_t number = 0;        // of that stage
    PairLoop pair = nullptr;  // takes the operands below
    Operand pair_in[3];
  };

  // Makes a pair of the last pass and `stage` if there is a loop for it.
  bool JoinsLast(const Stage& stage, Pass* joined) const;
  void Fail(size_t index);
  bool IsNonTemporal(const Stage& stage) const {
    return non_temporal_ && stage.out != nullptr && !stage.in_place;
  }

  const int64_t total_;
  const size_t num_registers_;
  const size_t element_bytes_;
  size_t num_stages_ = 0;
  absl::InlinedVector<Pass, 16> passes_;
  absl::InlinedVector<Operand, 16> streams_;  // operands read from memory
  int cost_picos_ = 0;                        // for an element
  bool non_temporal_ = false;
  int64_t block_ = kBlock;  // elements that go through all stages at once
  std::atomic<size_t> failed_{kNone};
};

}  // namespace millrace::ops
