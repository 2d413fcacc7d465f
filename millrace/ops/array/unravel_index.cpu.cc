#include "absl/strings/str_join.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Returns the number of elements of an array of shape `dims`.
template <class T>
StatusOr<T> CountOf(absl::Span<const T> dims) {
  T product = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0) {
      return InvalidArgument(
          "Input dims cannot contain a dim of zero, but dims contains zero at "
          "index ",
          d);
    }
    if (dims[d] < 0) {
      return InvalidArgument("Input dims cannot be negative. Got dim = ",
                             dims[d], " at index ", d);
    }
    if (__builtin_mul_overflow(product, dims[d], &product)) {
      return InvalidArgument(
          "Input dims product is causing integer overflow: (",
          absl::StrJoin(dims, " "), ")");
    }
  }
  return product;
}

Status RunUnravelIndex(KernelContext& ctx) {
  const Tensor& indices = ctx.input(0);
  const Tensor& dims = ctx.input(1);
  if (indices.rank() > 1) {
    return InvalidArgument("The indices can only be scalar or vector, got \"",
                           indices.shape().DebugString(), "\"");
  }
  if (indices.num_elements() == 0) {
    return InvalidArgument("received empty tensor indices: ",
                           indices.DebugString());
  }
  if (dims.rank() != 1) {
    return InvalidArgument("The indices can only be 1-D, got \"",
                           dims.shape().DebugString(), "\"");
  }
  return Dispatch(IndexTypes{}, indices.dtype(), [&]<class T>() -> Status {
    const auto places = indices.flat<T>();
    const auto sizes = dims.flat<T>();
    MR_ASSIGN_OR_RETURN(const T count, CountOf<T>(sizes));
    for (const T place : places) {
      if (place >= count)
        return InvalidArgument("index is out of bound as with dims");
    }
    DimVector shape = {dims.dim(0)};
    if (indices.rank() == 1) shape.push_back(indices.dim(0));
    MR_ASSIGN_OR_RETURN(TensorShape out_shape, TensorShape::Make(shape));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(out_shape)));
    const auto coordinates = out->mutable_flat<T>();
    T stride = count;  // of a coordinate
    for (size_t d = 0; d < sizes.size(); ++d) {
      const T whole = stride;
      stride = static_cast<T>(stride / sizes[d]);
      for (size_t i = 0; i < places.size(); ++i) {
        // Truncates towards zero: negative numbers have negative coordinates.
        coordinates[d * places.size() + i] =
            static_cast<T>(places[i] % whole / stride);
      }
    }
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(UnravelIndex, Cpu){{.make = MakeFunctionKernel<RunUnravelIndex>}};

}  // namespace millrace::ops
