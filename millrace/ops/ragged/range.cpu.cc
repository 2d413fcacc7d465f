// Kernel of RaggedRange.
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/ragged/splits.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Returns the number of elements from start to limit, or -1 if it is more than
// `most`. Requires: delta is not 0.
template <class T>
int64_t CountOfRange(T start, T limit, T delta, int64_t most) {
  if ((delta > 0 && limit < start) || (delta < 0 && limit > start)) return 0;
  if constexpr (std::is_integral_v<T>) {
    const auto span = static_cast<uint64_t>(delta > 0 ? limit : start) -
                      static_cast<uint64_t>(delta > 0 ? start : limit);
    const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta)
                                    : -static_cast<uint64_t>(delta);
    const uint64_t count = span / step + (span % step != 0 ? 1 : 0);
    return count > static_cast<uint64_t>(most) ? -1
                                               : static_cast<int64_t>(count);
  } else {
    const double count = std::ceil(std::abs((limit - start) / delta));
    // 2^63 is not a number of Tsplits.
    if (!(count < 0x1p63) || count > static_cast<double>(most)) return -1;
    return static_cast<int64_t>(count);
  }
}

template <class T>
T NextOfRange(T x, T delta) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(x) + static_cast<U>(delta));
  } else {
    return x + delta;
  }
}

StatusOr<int64_t> CountRows(KernelContext& ctx) {
  constexpr const char* kNames[] = {"starts", "limits", "deltas"};
  int64_t rows = -1;
  for (int i = 0; i < 3; ++i) {
    if (ctx.input(i).rank() > 1) {
      return InvalidArgument(kNames[i], " must be a scalar or vector");
    }
  }
  for (int i = 0; i < 3; ++i) {
    if (ctx.input(i).rank() == 0) continue;
    const int64_t n = ctx.input(i).dim(0);
    if (rows >= 0 && rows != n) {
      return InvalidArgument(
          "starts, limits, and deltas must have the same shape");
    }
    rows = n;
  }
  return rows < 0 ? 1 : rows;
}

template <class T>
Status RunRanges(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int64_t rows, CountRows(ctx));
  const auto at = [&ctx](int i, int64_t row) {
    const Tensor& t = ctx.input(i);
    return t.flat<T>()[static_cast<size_t>(t.rank() == 0 ? 0 : row)];
  };
  const int64_t most = ctx.output_type(0) == DataType::kInt32
                           ? std::numeric_limits<int32_t>::max()
                           : std::numeric_limits<int64_t>::max();
  CountedVector<int64_t> splits = {0};
  for (int64_t row = 0; row < rows; ++row) {
    if (at(2, row) == 0) return InvalidArgument("Requires delta != 0");
    const int64_t n = CountOfRange(at(0, row), at(1, row), at(2, row), most);
    if (n < 0) {
      return InvalidArgument("Requires ((limit - start) / delta) <= ", most);
    }
    if (n > most - splits.back()) {
      return InvalidArgument(
          "Requires the number of all elements of the ranges <= ", most);
    }
    splits.push_back(splits.back() + n);
  }
  MR_RETURN_IF_ERROR(SetSplits(ctx, 0, splits));
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({splits.back()}));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(1, std::move(shape)));
  T* const to = out->mutable_flat<T>().data();
  return ctx.ParallelFor(rows, splits.back() / std::max<int64_t>(rows, 1) + 5,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t row = begin; row < end; ++row) {
                             T value = at(0, row);
                             const T delta = at(2, row);
                             const auto r = static_cast<size_t>(row);
                             for (int64_t i = splits[r]; i < splits[r + 1];
                                  ++i) {
                               to[i] = value;
                               value = NextOfRange(value, delta);
                             }
                           }
                         });
}

Status RunRaggedRange(KernelContext& ctx) {
  return Dispatch<float, double, int32_t, int64_t>(
      ctx.input_type(0),
      [&]<class T>() -> Status { return RunRanges<T>(ctx); });
}

}  // namespace

MR_KERNELS(RaggedRange, Cpu){{.types = "T: float, double, int32, int64",
                              .make = MakeFunctionKernel<RunRaggedRange>}};

}  // namespace millrace::ops
