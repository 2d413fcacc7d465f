#include "millrace/ops/pooling/dilation_problem.h"

#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {

StatusOr<DilationAttrs> DilationAttrs::Read(const KernelInit& init) {
  DilationAttrs a;
  MR_ASSIGN_OR_RETURN(a.strides_,
                      Int32ListOr(init.node().attrs, "strides", {}));
  if (a.strides_.size() != 4) {
    return InvalidArgument(
        "Sliding window stride field must specify 4 dimensions");
  }
  if (a.strides_[0] != 1 || a.strides_[3] != 1) {
    return Unimplemented("Stride is only supported across spatial dimensions.");
  }
  MR_ASSIGN_OR_RETURN(a.rates_, Int32ListOr(init.node().attrs, "rates", {}));
  if (a.rates_.size() != 4) {
    return InvalidArgument(
        "Input stride (atrous rate) field must specify 4 dimensions");
  }
  if (a.rates_[0] != 1 || a.rates_[3] != 1) {
    return Unimplemented("Rate is only supported across spatial dimensions.");
  }
  MR_ASSIGN_OR_RETURN(a.padding_, init.Attr<std::string>("padding"));
  return a;
}

StatusOr<DilationSizes> DilationAttrs::Resolve(
    const TensorShape& input, const TensorShape& filter) const {
  if (input.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional", input.DebugString());
  }
  if (filter.rank() != 3) {
    return InvalidArgument("filter must be 3-dimensional: ",
                           filter.DebugString());
  }
  DilationSizes s;
  s.batch = input.dim(0);
  s.depth = input.dim(3);
  if (filter.dim(2) != s.depth) {
    return InvalidArgument("input and filter must have the same depth: ",
                           s.depth, " vs ", filter.dim(2));
  }
  MR_RETURN_IF_ERROR(ResolveDilation(padding_, input.dim(1), filter.dim(0),
                                     strides_[1], rates_[1], &s.y));
  MR_RETURN_IF_ERROR(ResolveDilation(padding_, input.dim(2), filter.dim(1),
                                     strides_[2], rates_[2], &s.x));
  // The other side of a filter without elements may be billions long.
  if (s.Taps() == 0) s.y.filter = s.x.filter = 0;
  return s;
}

Status CheckDilationGradient(const Tensor& t, const DilationSizes& s) {
  if (t.rank() != 4) {
    return InvalidArgument("out_backprop must be 4-dimensional",
                           t.shape().DebugString());
  }
  if (t.dim(0) != s.batch || t.dim(1) != s.y.output || t.dim(2) != s.x.output ||
      t.dim(3) != s.depth) {
    return InvalidArgument("out_backprop has incompatible size.");
  }
  return OkStatus();
}

}  // namespace millrace::ops
