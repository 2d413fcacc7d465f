#include <algorithm>
#include <bit>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/checks/search_sorted.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

enum class SearchFor { kLowerBound, kUpperBound };

template <SearchFor kFor, class T>
int64_t BoundIn(const T* row, int64_t n, T value) {
  // Values that are no numbers are not less than others, so where they stand
  // the place depends on the steps of the search: std's, as in stock.
  using S = ComputeType<T>;
  const auto less = [](T a, T b) {
    return static_cast<S>(a) < static_cast<S>(b);
  };
  if constexpr (kFor == SearchFor::kLowerBound) {
    return std::lower_bound(row, row + n, value, less) - row;
  } else {
    return std::upper_bound(row, row + n, value, less) - row;
  }
}

template <SearchFor kFor>
Status RunSearch(KernelContext& ctx) {
  const Tensor& sorted = ctx.input(0);
  const Tensor& values = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckSearch(ctx));
  const int64_t length = sorted.dim(1);
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, values.shape()));
  const int64_t per_row = values.dim(1);
  const auto steps =
      static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(length)));
  return Dispatch(RealTypes{}, values.dtype(), [&]<class T>() -> Status {
    return Dispatch(IndexTypes{}, out->dtype(), [&]<class I>() -> Status {
      const T* rows = sorted.flat<T>().data();
      const T* wanted = values.flat<T>().data();
      I* places = out->mutable_flat<I>().data();
      return ctx.ParallelFor(
          values.num_elements(), 5 + 5 * steps,
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              places[i] = static_cast<I>(BoundIn<kFor, T>(
                  rows + i / per_row * length, length, wanted[i]));
            }
          });
    });
  });
}

}  // namespace

MR_KERNELS(LowerBound, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeFunctionKernel<RunSearch<SearchFor::kLowerBound>>}};
MR_KERNELS(UpperBound, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeFunctionKernel<RunSearch<SearchFor::kUpperBound>>}};

}  // namespace millrace::ops
