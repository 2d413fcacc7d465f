// FusedPrograms: fused elementwise ops as programs of a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/elementwise/program.gpu.h"

namespace millrace::ops {

// The ops of a fused node; immutable, but for programs that are kept. Which of
// them run together depends on shapes: results of one shape are computed by one
// program, with all ops that lead to them. An op whose result nobody reads from
// memory is computed where it is read, even if there are more elements there
// than it has.
class FusedPrograms {
 public:
  // One of the tensors that a program reads.
  struct Source {
    int from = 0;  // as FusedNode::inputs
    // The stage to whose first operand it is added along dimension 1; -1: none.
    int bias_of = -1;
  };
  // Results of one shape.
  struct Segment {
    ElementwiseProgram program;
    std::vector<Source> inputs;  // of the node, or results of earlier segments
    std::vector<int> stages;     // whose results it writes
  };
  struct Plan {
    std::vector<Segment> segments;
    std::vector<int> last_reader;  // by input of the node: a segment, or -1
  };

  // Compiles the program for inputs of one shape. Returns INVALID_ARGUMENT for
  // a node that graph rewriting has not made.
  static StatusOr<std::unique_ptr<FusedPrograms>> Make(const KernelInit& init);

  // Runs the node. Returns false, with nothing done, if the ops cannot run as
  // programs: their shapes are an error, or the limits of programs are
  // exceeded.
  StatusOr<bool> Run(KernelContext& ctx) const;

 private:
  struct Stage {
    ElementwiseText text;
    std::vector<int> in;  // as FusedNode::inputs
    DataType type = DataType::kInvalid;
    int result = -1;  // index of the node's output that it is, or -1
  };

  // Sets the shape of each stage's result. Returns false if an op has none.
  bool FindShapes(const KernelContext& ctx,
                  std::vector<TensorShape>* shapes) const;
  // Returns the plan for stages whose results have equal shapes where numbers
  // are equal; null if a limit is exceeded.
  StatusOr<std::shared_ptr<const Plan>> PlanFor(
      const KernelInit& init, const std::vector<int>& shapes) const;
  StatusOr<std::shared_ptr<const Plan>> MakePlan(
      const KernelInit& init, const std::vector<int>& shapes) const;
  // Returns a bias as a tensor that broadcasts to the operand of its stage.
  Tensor Spread(const Tensor& bias, int stage,
                absl::Span<const TensorShape> shapes,
                const KernelContext& ctx) const;
  Status RunSegment(KernelContext& ctx, const Plan& plan, size_t number,
                    absl::Span<const TensorShape> shapes,
                    std::vector<const Tensor*>* results) const;

  int num_inputs_ = 0;
  std::vector<DataType> input_types_;
  std::vector<Stage> stages_;
  mutable Mutex mu_;
  mutable absl::flat_hash_map<std::vector<int>, std::shared_ptr<const Plan>>
      plans_;  // guarded by mu_
};

}  // namespace millrace::ops
