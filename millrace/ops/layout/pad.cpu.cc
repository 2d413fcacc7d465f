#include <algorithm>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

StatusOr<std::vector<PaddedDim>> PlanPad(const Tensor& in,
                                         const Tensor& paddings) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ",
                           paddings.shape().DebugString());
  }
  if (paddings.dim(0) != in.rank()) {
    return InvalidArgument(
        "The first dimension of paddings must be the rank of inputs",
        paddings.shape().DebugString(), " ", in.shape().DebugString());
  }
  std::vector<PaddedDim> dims;
  for (int i = 0; i < in.rank(); ++i) {
    const PaddedDim p{in.dim(i), IntAt(paddings, 2 * i),
                      IntAt(paddings, 2 * i + 1)};
    if (p.before < 0 || p.after < 0) {
      return InvalidArgument("Paddings must be non-negative: ", p.before, " ",
                             p.after);
    }
    if (!(CheckedSize(p.before) + p.after + p.size).ok()) {
      return InvalidArgument(
          "Expected a non-negative size, got an overflow of dimension ", i,
          " padded by ", p.before, " and ", p.after);
    }
    dims.push_back(p);
  }
  return dims;
}

StatusOr<TensorShape> PaddedShape(absl::Span<const PaddedDim> dims) {
  DimVector sizes;
  for (const PaddedDim& p : dims) sizes.push_back(p.total());
  return TensorShape::Make(sizes);
}

namespace {

// Merges dimensions without padding into those before them, so that rows get
// long.
std::vector<PaddedDim> Join(absl::Span<const PaddedDim> dims) {
  std::vector<PaddedDim> joined;
  for (const PaddedDim& p : dims) {
    if (!joined.empty() && p.before == 0 && p.after == 0) {
      joined.back().size *= p.size;
      joined.back().before *= p.size;
      joined.back().after *= p.size;
    } else {
      joined.push_back(p);
    }
  }
  if (joined.empty()) joined.push_back({1, 0, 0});
  return joined;
}

Status PadWith(KernelContext& ctx, const char* value) {
  const Tensor& in = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const std::vector<PaddedDim> given,
                      PlanPad(in, ctx.input(1)));
  MR_ASSIGN_OR_RETURN(TensorShape shape, PaddedShape(given));
  if (shape == in.shape()) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  if (in.num_elements() == 0) return FillTensor(ctx, out, value);
  const std::vector<PaddedDim> dims = Join(given);
  const PaddedDim last = dims.back();
  const int outer = static_cast<int>(dims.size()) - 1;
  DimVector rows_dims;
  int64_t rows = 1;
  for (int d = 0; d < outer; ++d) {
    rows_dims.push_back(dims[d].total());
    rows *= dims[d].total();
  }
  const DataType type = in.dtype();
  const char* src = in.data();
  char* dst = out->mutable_data();
  return ctx.ParallelFor(
      rows, MoveCost(type, last.total()) + 10, [&](int64_t begin, int64_t end) {
        DimVector at = Coordinates(begin, rows_dims);
        for (int64_t r = begin; r < end; ++r) {
          int64_t from = 0;
          bool inside = true;
          for (int d = 0; d < outer; ++d) {
            const int64_t i = at[d] - dims[d].before;
            inside &= i >= 0 && i < dims[d].size;
            from = from * dims[d].size + i;
          }
          const int64_t to = r * last.total();
          if (inside) {
            FillElements(type, dst, to, last.before, value);
            CopyElements(type, src, from * last.size, dst, to + last.before,
                         last.size);
            FillElements(type, dst, to + last.before + last.size, last.after,
                         value);
          } else {
            FillElements(type, dst, to, last.total(), value);
          }
          for (int d = outer - 1; d >= 0 && ++at[d] == rows_dims[d]; --d)
            at[d] = 0;
        }
      });
}

Status PadKernel(KernelContext& ctx) {
  const Tensor zero = ZeroElement(ctx.input(0).dtype());
  return PadWith(ctx, zero.data());
}

Status PadV2Kernel(KernelContext& ctx) {
  const Tensor& value = ctx.input(2);
  if (value.rank() != 0) {
    return InvalidArgument("constant_values must be a scalar. Found: ",
                           value.shape().DebugString());
  }
  return PadWith(ctx, value.data());
}

}  // namespace

MR_KERNELS(Pad, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_8_32_TYPES,
     .make = MakeFunctionKernel<PadKernel>,
     .host = "paddings",
     .views = "input"}};
MR_KERNELS(PadV2, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_8_32_TYPES,
     .make = MakeFunctionKernel<PadV2Kernel>,
     .host = "paddings",
     .views = "input"}};

}  // namespace millrace::ops
