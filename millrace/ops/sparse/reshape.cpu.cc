#include "absl/strings/str_join.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/sparse/entries.h"

namespace millrace::ops {
namespace {

// Returns the new sizes with the one that is -1 computed.
StatusOr<TensorShape> Resolve(const TensorShape& from,
                              absl::Span<const int64_t> sizes) {
  DimVector dims(sizes.begin(), sizes.end());
  CheckedSize product = 1;
  int unknown = -1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == -1) {
      if (unknown >= 0) {
        return InvalidArgument("only one output dimension may be -1, not both ",
                               unknown, " and ", d);
      }
      unknown = static_cast<int>(d);
      dims[d] = 1;
    } else if (dims[d] < 0) {
      return InvalidArgument("size ", d, " must be non-negative, not ",
                             dims[d]);
    }
    product *= dims[d];
  }
  const StatusOr<int64_t> all = product.Get("the new shape");
  if (!all.ok()) {
    return InvalidArgument("Encountered overflow when multiplying ",
                           absl::StrJoin(sizes, " with "));
  }
  const int64_t known = *all;
  if (unknown >= 0) {
    if (known == 0) {
      return InvalidArgument(
          "reshape cannot infer the missing input size for an empty tensor "
          "unless all specified input sizes are non-zero");
    }
    if (from.num_elements() % known != 0) {
      return InvalidArgument(
          "Input to reshape is a SparseTensor with ", from.num_elements(),
          " dense values, but the requested shape requires a multiple of ",
          known, ". input_shape=", from.DebugString(), " output_shape=[",
          absl::StrJoin(sizes, ","), "]");
    }
    dims[static_cast<size_t>(unknown)] = from.num_elements() / known;
  } else if (known != from.num_elements()) {
    return InvalidArgument("Input to reshape is a tensor with ",
                           from.num_elements(),
                           " dense values, but the requested shape has ", known,
                           ". input_shape=", from.DebugString(),
                           " output_shape=[", absl::StrJoin(sizes, ","), "]");
  }
  return TensorShape::Make(dims);
}

Status RunSparseReshape(KernelContext& ctx) {
  const Tensor given_indices = ctx.input(0);  // may be views
  const Tensor given_shape = ctx.input(1);
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_RETURN_IF_ERROR(ctx.BindInput(1));
  const Tensor& indices = ctx.input(0);
  const Tensor& input_shape = ctx.input(1);
  const Tensor& new_shape = ctx.input(2);
  if (indices.rank() != 2) {
    return InvalidArgument("Input must be a matrix. Its shape is ",
                           indices.shape().DebugString());
  }
  if (input_shape.rank() != 1) {
    return InvalidArgument("Input shape must be a vector. Its shape is ",
                           input_shape.shape().DebugString());
  }
  if (new_shape.rank() != 1) {
    return InvalidArgument(
        "Target shape should be a vector but received shape ",
        new_shape.shape().DebugString());
  }
  if (indices.dim(1) != input_shape.dim(0)) {
    return InvalidArgument(
        "Input tensor rank must match input shape length. Columns of indices: ",
        indices.dim(1), ", length of the shape: ", input_shape.dim(0));
  }
  MR_ASSIGN_OR_RETURN(const TensorShape from,
                      TensorShape::Make(input_shape.flat<int64_t>()));
  MR_ASSIGN_OR_RETURN(const TensorShape to,
                      Resolve(from, new_shape.flat<int64_t>()));
  const DimVector from_dims = from.dims();
  const DimVector to_dims = to.dims();
  if (from == to) {
    ctx.set_output(0, given_indices);
    ctx.set_output(1, given_shape);
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(SetVector(ctx, 1, to_dims));
  const int64_t count = indices.dim(0);
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({count, to.rank()}));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, std::move(shape)));
  const DimVector from_strides = RowMajorStrides(from_dims);
  const DimVector to_strides = RowMajorStrides(to_dims);
  const int64_t* x = indices.flat<int64_t>().data();
  int64_t* z = out->mutable_flat<int64_t>().data();
  for (int64_t i = 0; i < count; ++i, x += from_dims.size()) {
    int64_t place = 0;
    for (size_t d = 0; d < from_dims.size(); ++d) {
      if (x[d] < 0 || x[d] >= from_dims[d]) {
        return OutOfBounds(i, {x, from_dims.size()}, from_dims);
      }
      place += x[d] * from_strides[d];
    }
    for (size_t d = 0; d < to_dims.size(); ++d) {
      *z++ = place / to_strides[d];
      place %= to_strides[d];
    }
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(SparseReshape, Cpu){{.make = MakeFunctionKernel<RunSparseReshape>,
                                .views = "input_indices, input_shape"}};

}  // namespace millrace::ops
