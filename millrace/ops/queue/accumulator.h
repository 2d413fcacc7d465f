// Accumulator: sums gradients of a step until enough have arrived (the resource
// of conditional accumulators, on which synchronous training is built).
#pragma once

#include <string>
#include <vector>

#include "millrace/ops/queue/waiters.h"

namespace millrace::ops {

enum class GradientKind { kDense, kSparse };

// Thread-safe. A stale gradient, whose local step is behind the global step, is
// dropped silently. Each take advances the global step by one.
class Accumulator final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName =
      "N10tensorflow26ConditionalAccumulatorBaseE";

  struct Options {
    DataType dtype = DataType::kFloat;  // float, double or half
    PartialShape shape;
    bool mean = true;
    GradientKind kind = GradientKind::kDense;
  };
  // The accumulated gradients: a dense sum, or sums of slices with their
  // indices.
  struct Sum {
    Tensor values;
    int64_t gradients = 0;
    std::vector<int64_t> indices;
    std::vector<int32_t> counts;  // number of gradients that had the slice
  };

  static StatusOr<Options> OptionsFrom(const KernelInit& init,
                                       GradientKind kind);
  Accumulator(Options options, std::string name)
      : options_(std::move(options)), name_(std::move(name)) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // A node that shares the accumulator takes it as it is, as in stock.
  Status CheckOptions(const Options&) const { return OkStatus(); }
  const Options& options() const { return options_; }

  // Adds `gradient`, taking its buffer over. Returns INVALID_ARGUMENT "Shape
  // mismatch: expected ..." for a wrong shape.
  Status ApplyDense(KernelContext& ctx, int64_t local_step, Tensor gradient);
  // Adds slices of dimension 0. `shape` is that of the dense gradient, or null.
  // Increasing indices are summed; others are merged as they come.
  Status ApplySparse(KernelContext& ctx, int64_t local_step,
                     const Tensor& indices, const Tensor& values,
                     const Tensor* shape);
  // Waits for `num_required` gradients, passes their sum, or mean, to `use` (on
  // another thread if it had to wait), and then calls `done`.
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
