// Accumulator: sums gradients of a step until enough have come (the resource
// of conditional accumulators, which synchronous training is made of).
#pragma once

#include <string>
#include <vector>

#include "millrace/ops/queue/waiters.h"

namespace millrace::ops {

enum class GradientKind { kDense, kSparse };

// Thread-safe. A gradient whose local step is behind the global step is dropped
// without a word. Each take advances the global step by one.
class Accumulator final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName = "ConditionalAccumulator";

  struct Options {
    DataType dtype = DataType::kFloat;  // float, double or half
    PartialShape shape;
    bool mean = true;
    GradientKind kind = GradientKind::kDense;
  };
  // What was accumulated: a dense sum, or sums of slices with their indices.
  struct Sum {
    Tensor values;
    int64_t gradients = 0;
    std::vector<int64_t> indices;
    std::vector<int32_t> counts;  // gradients that had the slice
  };

  static StatusOr<Options> OptionsFrom(const KernelInit& init,
                                       GradientKind kind);
  Accumulator(Options options, std::string name)
      : options_(std::move(options)), name_(std::move(name)) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // Whoever shares it gets what is there, as in stock.
  Status CheckOptions(const Options&) const { return OkStatus(); }
  const Options& options() const { return options_; }

  // Takes `gradient` over. INVALID_ARGUMENT "Shape mismatch: expected ...".
  Status ApplyDense(KernelContext& ctx, int64_t local_step, Tensor gradient);
  // Slices of dimension 0. `shape`: of the dense gradient, or null. Indices
  // that increase are summed; others are merged as they come.
  Status ApplySparse(KernelContext& ctx, int64_t local_step,
                     const Tensor& indices, const Tensor& values,
                     const Tensor* shape);
  // Waits for `num_required` gradients, then gives their sum, or mean, to
  // `use` (on another thread if it had to wait), and then calls `done`.
  void Take(KernelContext& ctx, int64_t num_required,
            absl::AnyInvocable<Status(Sum)> use, Done done);
  int64_t num_accumulated() const;
  void SetGlobalStep(int64_t step);

 private:
  Status CheckSparse(const Tensor& indices, const Tensor& values,
                     const Tensor* shape) const;
  Status AddSlices(KernelContext& ctx, const Tensor& indices,
                   const Tensor& values);

  const Options options_;
  const std::string name_;
  // Guarded by mu_.
  int64_t global_step_ = 0;
  Sum sum_;
};

}  // namespace millrace::ops
