#include <limits>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

// Sets output i, whose type is int32 or int64, to `values`.
Status SetInts(KernelContext& ctx, int i, TensorShape shape,
               absl::Span<const int64_t> values) {
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(i, std::move(shape)));
  if (out->dtype() == DataType::kInt64) {
    std::copy(values.begin(), values.end(),
              out->mutable_flat<int64_t>().begin());
    return OkStatus();
  }
  auto flat = out->mutable_flat<int32_t>();
  for (size_t d = 0; d < values.size(); ++d)
    flat[d] = static_cast<int32_t>(values[d]);
  return OkStatus();
}

Status ShapeKernel(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const TensorShape& shape = ctx.input(i).shape();
    const DimVector dims = shape.dims();
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] > kInt32Max && ctx.output_type(i) == DataType::kInt32) {
        return InvalidArgument("Shape output type is 32-bit  but dim ", d,
                               " is ", dims[d]);
      }
    }
    MR_RETURN_IF_ERROR(SetInts(ctx, i, TensorShape({shape.rank()}), dims));
  }
  return OkStatus();
}

Status SizeKernel(KernelContext& ctx) {
  const int64_t n = ctx.input(0).num_elements();
  if (n > kInt32Max && ctx.output_type(0) == DataType::kInt32) {
    return InvalidArgument(
        "Number of elements was larger than representable by 32-bit output "
        "type");
  }
  return SetInts(ctx, 0, TensorShape(), {n});
}

Status RankKernel(KernelContext& ctx) {
  return SetInts(ctx, 0, TensorShape(), {int64_t{ctx.input(0).rank()}});
}

}  // namespace

// Of a view of a variable they read what it says itself: to bind it would copy
// a variable whose rows are updated.
MR_KERNELS(Shape, Cpu){{.make = MakeFunctionKernel<ShapeKernel>,
                        .host = "output",
                        .views = "input",
                        .cheap = true}};
MR_KERNELS(ShapeN, Cpu){{.make = MakeFunctionKernel<ShapeKernel>,
                         .host = "output",
                         .views = "input",
                         .cheap = true}};
MR_KERNELS(Size, Cpu){{.make = MakeFunctionKernel<SizeKernel>,
                       .host = "output",
                       .views = "input",
                       .cheap = true}};
MR_KERNELS(Rank, Cpu){{.make = MakeFunctionKernel<RankKernel>,
                       .host = "output",
                       .views = "input",
                       .cheap = true}};

}  // namespace millrace::ops
