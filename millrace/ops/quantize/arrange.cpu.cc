// Kernels of QuantizedReshape and QuantizedConcat.
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/reshape.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status RunQuantizedReshape(KernelContext& ctx) {
  for (const int i : {2, 3}) {
    const Tensor& t = ctx.input(i);
    if (t.rank() > 1 || t.num_elements() != 1) {
      return InvalidArgument(i == 2 ? "input_min" : "input_max",
                             " must be a scalar or a vector of 1 element, but "
                             "has shape ",
                             t.shape().DebugString());
    }
  }
  const Range range{ctx.input(2).scalar<float>(), ctx.input(3).scalar<float>()};
  MR_RETURN_IF_ERROR(RunReshape(ctx));
  return SetRange(ctx, 1, range);
}

template <class T>
MR_TARGET_CLONES void MoveRange(const IntegerOf<T>* x, ToReal<T> real,
                                ToSteps<T> steps, IntegerOf<T>* z, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    z[i] = static_cast<IntegerOf<T>>(steps(real(x[i])));
  }
}

// One of the tensors that are concatenated, as rows from the concatenated
// dimension on.
struct Part {
  const char* data;
  int64_t row;  // elements in a row
  Range range;
};

// Returns the shape of n inputs from input 1 on, concatenated along dimension
// `axis`.
StatusOr<TensorShape> JoinedShape(KernelContext& ctx, int n, int axis) {
  const TensorShape& first = ctx.input(1).shape();
  DimVector dims = first.dims();
  CheckedSize joined = 0;
  for (int i = 0; i < n; ++i) {
    const Tensor& in = ctx.input(1 + i);
    const auto text = [&] {
      return absl::StrCat("shape[0] = ", first.DebugString(), " vs. shape[", i,
                          "] = ", in.shape().DebugString());
    };
    if (in.rank() != first.rank()) {
      return InvalidArgument(
          "ConcatOp : Ranks of all input tensors should match: ", text());
    }
    for (int d = 0; d < first.rank(); ++d) {
      if (d != axis && in.dim(d) != first.dim(d)) {
        return InvalidArgument("ConcatOp : Dimensions of inputs should match: ",
                               text());
      }
    }
    joined += in.dim(axis);
  }
  MR_ASSIGN_OR_RETURN(dims[axis], joined.Get("the joined dimension"));
  return TensorShape::Make(dims);
}

StatusOr<Range> RangeOfPart(KernelContext& ctx, int n, int i) {
  const Tensor &min = ctx.input(1 + n + i), &max = ctx.input(1 + 2 * n + i);
  for (const auto& [t, name] :
       {std::pair(&min, "input_mins"), std::pair(&max, "input_maxes")}) {
    if (t->num_elements() == 1) continue;
    return InvalidArgument(
        name, " each tensor's num elements must be 1, given num elements ",
        t->num_elements(), " in index ", i);
  }
  return Range{min.scalar<float>(), max.scalar<float>()};
}

template <class T>
Status JoinParts(KernelContext& ctx, const std::vector<Part>& parts,
                 int64_t outer, Range to, Tensor* out) {
  using I = IntegerOf<T>;
  I* const z = reinterpret_cast<I*>(out->mutable_data());
  int64_t row = 0;
  for (const Part& p : parts) row += p.row;
  return ctx.ParallelFor(outer, row + 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      I* at = z + o * row;
      for (const Part& p : parts) {
        const I* from = reinterpret_cast<const I*>(p.data) + o * p.row;
        if (p.range.min == to.min && p.range.max == to.max) {
          std::copy(from, from + p.row, at);
        } else {
          MoveRange<T>(from, ToReal<T>(p.range), ToSteps<T>(to), at, p.row);
        }
        at += p.row;
      }
    }
  });
}

Status RunQuantizedConcat(KernelContext& ctx) {
  const int n = (ctx.num_inputs() - 1) / 3;
  const Tensor& axis_tensor = ctx.input(0);
  if (axis_tensor.rank() != 0) {
    return InvalidArgument(
        "Concat dim tensor should be a scalar integer, but got shape ",
        axis_tensor.shape().DebugString());
  }
  const int axis = axis_tensor.scalar<int32_t>();
  const int rank = ctx.input(1).rank();
  if (axis < 0 || axis >= rank) {
    return InvalidArgument(
        "ConcatOp : Expected concatenating dimensions in the range [0, ", rank,
        "), but got ", axis);
  }
  MR_ASSIGN_OR_RETURN(const TensorShape shape, JoinedShape(ctx, n, axis));
  std::vector<Part> parts;
  float least = std::numeric_limits<float>::max();
  float most = std::numeric_limits<float>::lowest();
  for (int i = 0; i < n; ++i) {
    const Tensor& in = ctx.input(1 + i);
    MR_ASSIGN_OR_RETURN(const Range r, RangeOfPart(ctx, n, i));
    least = std::min(least, r.min);
    most = std::max(most, r.max);
    parts.push_back({in.data(), in.shape().NumElements(axis, rank), r});
  }
  least = std::min(0.0f, least);
  Range to{least, most};
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
  MR_RETURN_IF_ERROR(
      Dispatch(Types<Quint8, Qint32>{}, out->dtype(), [&]<class T>() -> Status {
        if (Lowest<T>() < 0) {
          // The range is symmetric, so that 0 stays 0.
          const float size = std::max(std::abs(least), std::abs(most));
          to = {-size, size};
        }
        if (out->num_elements() == 0) return OkStatus();
        return JoinParts<T>(ctx, parts, shape.NumElements(0, axis), to, out);
      }));
  return SetRange(ctx, 1, to);
}

}  // namespace

MR_KERNELS(QuantizedReshape,
           Cpu){{.types = "T: quint8, qint32",
                 .make = MakeFunctionKernel<RunQuantizedReshape>,
                 .host = "shape",
                 .views = "tensor"}};
MR_KERNELS(QuantizedConcat,
           Cpu){{.types = "T: quint8, qint32",
                 .make = MakeFunctionKernel<RunQuantizedConcat>,
                 .host = "concat_dim"}};

}  // namespace millrace::ops
