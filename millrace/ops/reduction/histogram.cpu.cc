// Kernel of HistogramFixedWidth.
#include <algorithm>
#include <vector>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T>
Status Fill(const Tensor& values, const Tensor& range,
            std::vector<int64_t>* counts) {
  const T low = range.flat<T>()[0];
  const T high = range.flat<T>()[1];
  if (!(low < high)) {
    return InvalidArgument(
        "value_range should satisfy value_range[0] < value_range[1], but got "
        "'[",
        low, ", ", high, "]'");
  }
  const double last = static_cast<double>(counts->size() - 1);
  const double width = (static_cast<double>(high) - static_cast<double>(low)) /
                       static_cast<double>(counts->size());
  for (T v : values.flat<T>()) {
    if (v != v) return InvalidArgument("Histogram values must not contain NaN");
    const double above =
        static_cast<double>(std::max(v, low)) - static_cast<double>(low);
    ++(*counts)[static_cast<size_t>(std::min(above / width, last))];
  }
  return OkStatus();
}

Status RunHistogram(KernelContext& ctx) {
  const Tensor& range = ctx.input(1);
  if (range.rank() != 1) {
    return InvalidArgument("value_range should be a vector.");
  }
  if (range.num_elements() != 2) {
    return InvalidArgument("value_range should be a vector of 2 elements.");
  }
  if (ctx.input(2).rank() != 0) {
    return InvalidArgument("nbins should be a scalar.");
  }
  const int64_t bins = IntValues(ctx.input(2))[0];
  if (bins <= 0) {
    return InvalidArgument("nbins should be a positive number, but got '", bins,
                           "'");
  }
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, TensorShape({bins})));
  std::vector<int64_t> counts(static_cast<size_t>(bins));
  const Status filled = Dispatch<float, double, int32_t, int64_t>(
      range.dtype(),
      [&]<class T>() { return Fill<T>(ctx.input(0), range, &counts); });
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
