// Kernel of HistogramFixedWidth.
#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/reduction/histogram.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Sets the lower end and the width of bins.
template <class T>
Status SetBins(const Tensor& range, HistogramPlan* plan) {
  const T low = range.flat<T>()[0];
  const T high = range.flat<T>()[1];
  if (!(low < high)) {
    return InvalidArgument(
        "value_range should satisfy value_range[0] < value_range[1], but got "
        "'[",
        low, ", ", high, "]'");
  }
  plan->low = static_cast<double>(low);
  plan->width = (static_cast<double>(high) - static_cast<double>(low)) /
                static_cast<double>(plan->bins);
  return OkStatus();
}

template <class T>
Status Fill(const Tensor& values, const HistogramPlan& plan,
            CountedVector<int64_t>* counts) {
  const double last = static_cast<double>(plan.bins - 1);
  for (T v : values.flat<T>()) {
    if (v != v) return InvalidArgument("Histogram values must not contain NaN");
    const double above = std::max(static_cast<double>(v), plan.low) - plan.low;
    const double bin = above / plan.width;
    // Infinite ranges make NaN, which is not less.
    ++(*counts)[static_cast<size_t>(bin < last ? bin : last)];
  }
  return OkStatus();
}

}  // namespace

StatusOr<HistogramPlan> PlanHistogram(const Tensor& range,
                                      const Tensor& nbins) {
  if (range.rank() != 1) {
    return InvalidArgument("value_range should be a vector.");
  }
  if (range.num_elements() != 2) {
    return InvalidArgument("value_range should be a vector of 2 elements.");
  }
  if (nbins.rank() != 0) {
    return InvalidArgument("nbins should be a scalar.");
  }
  HistogramPlan plan;
  plan.bins = IntValues(nbins)[0];
  if (plan.bins <= 0) {
    return InvalidArgument("nbins should be a positive number, but got '",
                           plan.bins, "'");
  }
  const Status set = Dispatch<float, double, int32_t, int64_t>(
      range.dtype(), [&]<class T>() { return SetBins<T>(range, &plan); });
  if (!set.ok()) return set;
  return plan;
}

namespace {

Status RunHistogram(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const HistogramPlan plan,
                      PlanHistogram(ctx.input(1), ctx.input(2)));
  MR_ASSIGN_OR_RETURN(Tensor * z,
                      ctx.AllocateOutput(0, TensorShape({plan.bins})));
  CountedVector<int64_t> counts(static_cast<size_t>(plan.bins));
  const Status filled = Dispatch<float, double, int32_t, int64_t>(
      ctx.input(0).dtype(),
      [&]<class T>() { return Fill<T>(ctx.input(0), plan, &counts); });
  MR_RETURN_IF_ERROR(filled);
  return Dispatch<int32_t, int64_t>(z->dtype(), [&]<class R>() {
    std::copy(counts.begin(), counts.end(), z->mutable_flat<R>().begin());
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(HistogramFixedWidth,
           Cpu){{.make = MakeFunctionKernel<RunHistogram>}};

}  // namespace millrace::ops
