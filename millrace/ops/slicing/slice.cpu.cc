#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/indexing/plans/move_kernels.h"

namespace millrace::ops {

Status RunSlice(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  const Tensor& begin_tensor = ctx.input(1);
  const Tensor& size_tensor = ctx.input(2);
  const int rank = in.rank();
  if (begin_tensor.rank() != 1 || size_tensor.rank() != 1 ||
      begin_tensor.num_elements() != rank ||
      size_tensor.num_elements() != rank) {
    return InvalidArgument(
        "Expected begin and size arguments to be 1-D tensors of size ", rank,
        ", but got shapes ", begin_tensor.shape().DebugString(), " and ",
        size_tensor.shape().DebugString(), " instead.");
  }
  const std::vector<int64_t> begin = IntValues(begin_tensor);
  std::vector<int64_t> size = IntValues(size_tensor);
  bool whole = true;
  bool rows_only = rank > 0;  // a range of dimension 0, all of the others
  for (int i = 0; i < rank; ++i) {
    const int64_t d = in.dim(i);
    const int64_t b = begin[i];
    if (size[i] == -1) size[i] = b <= d ? d - b : 0;
    if (d == 0 && (b != 0 || size[i] != 0)) {
      return InvalidArgument("Expected begin[", i, "] == 0 (got ", b,
                             ") and size[", i, "] == 0 (got ", size[i],
                             ") when input.dim_size(", i, ") == 0");
    }
    if (b < 0 || b > d) {
      return InvalidArgument("Expected begin[", i, "] in [0, ", d,
                             "], but got ", b);
    }
    if (size[i] < 0 || size[i] > d - b) {
      return InvalidArgument("Expected size[", i, "] in [0, ", d - b,
                             "], but got ", size[i]);
    }
    const bool all = b == 0 && size[i] == d;
    whole &= all;
    rows_only &= all || i == 0;
  }
  Tensor shared;
  if (whole) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  if (rows_only && ShareRows(in, begin[0], begin[0] + size[0], &shared)) {
    ctx.set_output(0, std::move(shared));
    return OkStatus();
  }
  TensorShape shape{absl::Span<const int64_t>(size)};
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  MR_ASSIGN_OR_RETURN(const ReadRows source,
                      ReadRowsOf(ctx, in, begin[0], size[0]));
  const DimVector in_strides = RowMajorStrides(in.shape().dims());
  const DimVector out_strides = RowMajorStrides(size);
  StridedCopySpec spec;
  for (int i = 0; i < rank; ++i) {
    spec.Add(size[i], in_strides[i], out_strides[i]);
    spec.src_offset += (begin[i] - (i == 0 ? source.first : 0)) * in_strides[i];
  }
  return mover.Copy(ctx, source.rows, out, spec);
}

MR_KERNELS(Slice, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_8_32_TYPES,
     .make = MakeOnCpu<MoveBy<RunSlice>>,
     .host = "begin, size",
     .views = "input"}};

}  // namespace millrace::ops
