#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/indexing/accumulate.h"
#include "millrace/ops/layout/move_kernels.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

StatusOr<std::vector<int64_t>> Multiples(const Tensor& in,
                                         const Tensor& multiples) {
  if (multiples.rank() != 1) {
    return InvalidArgument("Expected multiples to be 1-D, but got shape ",
                           multiples.shape().DebugString());
  }
  if (multiples.num_elements() != in.rank()) {
    return InvalidArgument(
        "Expected multiples argument to be a vector of length ", in.rank(),
        " but got length ", multiples.num_elements());
  }
  std::vector<int64_t> values = IntValues(multiples);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      return InvalidArgument("Expected multiples[", i, "] >= 0, but got ",
                             values[i]);
    }
  }
  return values;
}

}  // namespace

Status RunTile(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  MR_ASSIGN_OR_RETURN(std::vector<int64_t> multiples,
                      Multiples(in, ctx.input(1)));
  DimVector dims;
  bool once = true;
  for (int i = 0; i < in.rank(); ++i) {
    CheckedSize size = CheckedSize(in.dim(i)) * multiples[i];
    if (!size.ok()) {
      return InvalidArgument(
          "Expected a non-negative size, got an overflow of ", in.dim(i),
          " times multiples[", i, "] = ", multiples[i]);
    }
    dims.push_back(size.value());
    once &= multiples[i] == 1;
  }
  if (once) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  const DimVector in_strides = RowMajorStrides(in.shape().dims());
  const DimVector out_strides = RowMajorStrides(dims);
  StridedCopySpec spec;
  for (int i = 0; i < in.rank(); ++i) {
    spec.Add(multiples[i], 0, out_strides[i] * in.dim(i));
    spec.Add(in.dim(i), in_strides[i], out_strides[i]);
  }
  return mover.Copy(ctx, in, out, spec);
}

namespace {

// Adds up the tiles. Iterates over the input in its order; the position in the
// output is kept by dimension.
template <class T>
void SumTiles(const Tensor& in, absl::Span<const int64_t> out_dims,
              Tensor* out) {
  const DimVector strides = RowMajorStrides(out_dims);
  const int rank = in.rank();
  DimVector at(static_cast<size_t>(rank));
  const auto x = in.flat<T>();
  const auto y = out->mutable_flat<T>();
  for (const T& value : x) {
    int64_t place = 0;
    for (int d = 0; d < rank; ++d) place += at[d] % out_dims[d] * strides[d];
    Accumulate(y[place], value);
    for (int d = rank - 1; d >= 0 && ++at[d] == in.dim(d); --d) at[d] = 0;
  }
}

}  // namespace

StatusOr<TileGradPlan> PlanTileGrad(const Tensor& in, const Tensor& tiles) {
  MR_ASSIGN_OR_RETURN(std::vector<int64_t> multiples, Multiples(in, tiles));
  DimVector dims, by_tile;
  for (int i = 0; i < in.rank(); ++i) {
    if (multiples[i] == 0 || in.dim(i) % multiples[i] != 0) {
      return InvalidArgument("Expected input_dim[", i,
                             "] to be divisible by multiples[", i, "], but ",
                             in.dim(i), " % ", multiples[i], " != 0");
    }
    dims.push_back(in.dim(i) / multiples[i]);
    by_tile.push_back(multiples[i]);
    by_tile.push_back(dims.back());
  }
  return TileGradPlan{TensorShape(absl::Span<const int64_t>(dims)),
                      std::move(by_tile)};
}

namespace {

Status TileGradKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const TileGradPlan plan, PlanTileGrad(in, ctx.input(1)));
  const DimVector dims = plan.shape.dims();
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, plan.shape));
  MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
  return Dispatch(NumericTypes{}, in.dtype(), [&]<class T>() -> Status {
    SumTiles<T>(in, dims, out);
    return OkStatus();
  });
}

}  // namespace

Status RunBroadcastTo(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  const Tensor& sizes = ctx.input(1);
  if (sizes.rank() != 1) {
    return InvalidArgument(
        "shape must be a vector of {int32,int64}, got shape ",
        sizes.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(IntValues(sizes)));
  if (shape == in.shape()) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  const int extra = shape.rank() - in.rank();
  if (extra < 0) {
    return InvalidArgument("Rank of input (", in.rank(),
                           ") must be no greater than rank of output shape (",
                           shape.rank(), ").");
  }
  for (int i = 0; i < in.rank(); ++i) {
    if (in.dim(i) != 1 && in.dim(i) != shape.dim(extra + i)) {
      return InvalidArgument("Incompatible shapes: ", in.shape().DebugString(),
                             " vs. ", shape.DebugString());
    }
  }
  const DimVector in_strides = RowMajorStrides(in.shape().dims());
  const DimVector out_strides = RowMajorStrides(shape.dims());
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, shape));
  if (out->num_elements() == 0) return OkStatus();
  StridedCopySpec spec;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool repeated = i < extra || in.dim(i - extra) == 1;
    spec.Add(shape.dim(i), repeated ? 0 : in_strides[i - extra],
             out_strides[i]);
  }
  return mover.Copy(ctx, in, out, spec);
}

MR_KERNELS(Tile, Cpu){{.make = MakeOnCpu<MoveBy<RunTile>>,
                       .host = "multiples",
                       .views = "input"}};
MR_KERNELS(TileGrad, Cpu){{.types = "T: " MR_NUMBER_TYPES,
                           .make = MakeFunctionKernel<TileGradKernel>,
                           .host = "multiples"}};
MR_KERNELS(BroadcastTo, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                              .make = MakeOnCpu<MoveBy<RunBroadcastTo>>,
                              .host = "shape",
                              .views = "input"}};

}  // namespace millrace::ops
