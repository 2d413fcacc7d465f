#include "millrace/ops/array/reshape.h"

#include <cstring>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"

namespace millrace::ops {
namespace {

// Sets output 0 to input 0 with the shape `dims`; they share the buffer.
Status PassReshaped(KernelContext& ctx, absl::Span<const int64_t> dims) {
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  const Tensor in = ctx.TakeInput(0);
  ctx.set_output(0, in.Reshaped(std::move(shape)));
  return OkStatus();
}

}  // namespace

Status RunReshape(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& sizes = ctx.input(1);
  if (sizes.rank() > 1) {
    return InvalidArgument("sizes input must be 1-D, not ",
                           sizes.shape().DebugString());
  }
  if (sizes.num_elements() > kMaxRank) {
    return InvalidArgument("too many dimensions: must be < ", kMaxRank,
                           ", but received ", sizes.num_elements());
  }
  std::vector<int64_t> dims = IntValues(sizes);
  CheckedSize known = 1;
  int unknown = -1;
  bool has_zero = false;
  for (int i = 0; i < static_cast<int>(dims.size()); ++i) {
    if (dims[i] == -1) {
      if (unknown != -1) {
        return InvalidArgument("Only one input size may be -1, not both ",
                               unknown, " and ", i);
      }
      unknown = i;
    } else if (dims[i] < 0) {
      return InvalidArgument("Size ", i, " must be non-negative, not ",
                             dims[i]);
    } else if (dims[i] == 0) {
      has_zero = true;  // counted last, so that an overflow is found in any
                        // order of dimensions
    } else {
      known *= dims[i];
    }
  }
  if (!known.ok()) {
    return InvalidArgument("Shape [", absl::StrJoin(dims, ", "),
                           "] has too many elements");
  }
  if (unknown != -1) {
    // Zeros on both sides cancel out: [0, 6] as [0, 2, -1] is [0, 2, 3].
    CheckedSize have = 1;
    for (int i = 0; i < in.rank(); ++i) {
      if (in.dim(i) != 0 || !has_zero) have *= in.dim(i);
    }
    MR_ASSIGN_OR_RETURN(const int64_t n, have.Get("the number of elements"));
    if (n % known.value() != 0) {
      return InvalidArgument(
          "Input to reshape is a tensor with ", n,
          " values, but the requested shape requires a multiple of ",
          known.value());
    }
    dims[unknown] = n / known.value();
    known *= dims[unknown];
  }
  const int64_t requested = has_zero ? 0 : known.value();
  if (requested != in.num_elements()) {
    return InvalidArgument("Input to reshape is a tensor with ",
                           in.num_elements(),
                           " values, but the requested shape has ", requested);
  }
  return PassReshaped(ctx, dims);
}

namespace {

Status ExpandDimsKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  if (ctx.input(1).num_elements() != 1) {
    return InvalidArgument("'dim' must be a tensor with a single value");
  }
  int64_t dim = IntValues(ctx.input(1))[0];
  const int rank = in.rank();
  if (dim < -1 - rank || dim > rank) {
    return InvalidArgument("Tried to expand dim index ", dim,
                           " for tensor with ", rank, " dimensions.");
  }
  if (dim < 0) dim += rank + 1;
  DimVector dims = in.shape().dims();
  dims.insert(dims.begin() + dim, 1);
  return PassReshaped(ctx, dims);
}

struct SqueezeKernel {
  static StatusOr<SqueezeKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(std::vector<int64_t> dims,
                        init.Attr<std::vector<int64_t>>("squeeze_dims"));
    return SqueezeKernel{std::move(dims)};
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const int rank = in.rank();
    std::vector<bool> drop(static_cast<size_t>(rank));
    for (int64_t d : dims) {
      if (d < -rank || d >= rank) {
        return InvalidArgument("Tried to squeeze dim index ", d,
                               " for tensor with ", rank, " dimensions.");
      }
      drop[d < 0 ? d + rank : d] = true;
    }
    DimVector kept;
    for (int i = 0; i < rank; ++i) {
      const int64_t size = in.dim(i);
      if (drop[i] && size != 1) {
        return InvalidArgument("Can not squeeze dim[", i,
                               "], expected a dimension of 1, got ", size);
      }
      if (!drop[i] && (size != 1 || !dims.empty())) kept.push_back(size);
    }
    return PassReshaped(ctx, kept);
  }
  std::vector<int64_t> dims;
};

struct EnsureShapeKernel {
  static StatusOr<EnsureShapeKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(PartialShape shape, init.Attr<PartialShape>("shape"));
    return EnsureShapeKernel{std::move(shape)};
  }
  Status Run(KernelContext& ctx) const {
    const TensorShape& in = ctx.input(0).shape();
    if (!shape.IsCompatibleWith(in)) {
      return InvalidArgument(
          "Shape of tensor ", ctx.node().first_input, " ", in.DebugString(),
          " is not compatible with expected shape ", shape.DebugString(), ".");
    }
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  PartialShape shape;
};

Status BitcastKernel(KernelContext& ctx) {
  const DataType to = ctx.output_type(0);
  const Tensor& in = ctx.input(0);
  const int64_t from_size = static_cast<int64_t>(SizeOf(in.dtype()));
  const int64_t to_size = static_cast<int64_t>(SizeOf(to));
  DimVector dims = in.shape().dims();
  if (from_size > to_size) {
    dims.push_back(from_size / to_size);
  } else if (from_size < to_size) {
    if (dims.empty() || dims.back() != to_size / from_size) {
      return InvalidArgument(
          "Cannot bitcast from ", DataTypeName(in.dtype()), " to ",
          DataTypeName(to), ": the last dimension of shape ",
          in.shape().DebugString(), " must be ", to_size / from_size);
    }
    dims.pop_back();
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  if (from_size >= to_size || in.address() % kBufferAlignment == 0) {
    const Tensor taken = ctx.TakeInput(0);
    ctx.set_output(0, taken.BitcastTo(to, std::move(shape)));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  if (in.on_device()) {
    return ctx.device().allocator()->Copy(
        reinterpret_cast<void*>(out->device_address()),
        reinterpret_cast<const void*>(in.device_address()), in.size_bytes());
  }
  if (in.size_bytes() > 0)
    std::memcpy(out->mutable_data(), in.data(), in.size_bytes());
  return OkStatus();
}

}  // namespace

MR_KERNELS(Reshape, Cpu){{.make = MakeFunctionKernel<RunReshape>,
                          .host = "shape",
                          .views = "tensor",
                          .cheap = true}};
MR_KERNELS(ExpandDims, Cpu){{.make = MakeFunctionKernel<ExpandDimsKernel>,
                             .host = "dim",
                             .views = "input",
                             .cheap = true}};
MR_KERNELS(Squeeze, Cpu){
    {.make = MakeKernel<SqueezeKernel>, .views = "input", .cheap = true}};
MR_KERNELS(EnsureShape, Cpu){
    {.make = MakeKernel<EnsureShapeKernel>, .views = "input", .cheap = true}};
MR_KERNELS(Bitcast, Cpu){{.make = MakeFunctionKernel<BitcastKernel>,
                          .views = "input",
                          .cheap = true}};

}  // namespace millrace::ops
