#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
namespace {

Status ReverseDims(KernelContext& ctx, const Mover& mover,
                   const std::vector<bool>& reversed) {
  const Tensor& in = ctx.input(0);
  bool any = false;
  for (int i = 0; i < in.rank(); ++i) any |= reversed[i] && in.dim(i) > 1;
  if (!any || in.num_elements() == 0) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, in.shape()));
  const DimVector strides = RowMajorStrides(in.shape().dims());
  StridedCopySpec spec;
  for (int i = 0; i < in.rank(); ++i) {
    spec.Add(in.dim(i), reversed[i] ? -strides[i] : strides[i], strides[i]);
    if (reversed[i]) spec.src_offset += (in.dim(i) - 1) * strides[i];
  }
  return mover.Copy(ctx, in, out, spec);
}

}  // namespace

Status RunReverseV2(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  const Tensor& axes = ctx.input(1);
  const int rank = in.rank();
  if (rank == 0) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  if (axes.rank() != 1) {
    return InvalidArgument("'dims' must be 1-dimension, not ", axes.rank());
  }
  std::vector<bool> reversed(static_cast<size_t>(rank));
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = IntAt(axes, i);
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank) {
      return InvalidArgument("'axis'[", i, "] = ", axis,
                             " is out of valid range [", 0, ", ", rank - 1,
                             "]");
    }
    if (reversed[at])
      return InvalidArgument("axis ", at, " specified more than once.");
    reversed[at] = true;
  }
  return ReverseDims(ctx, mover, reversed);
}

Status RunReverse(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  const Tensor& dims = ctx.input(1);
  if (in.rank() == 0) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  if (in.dim(0) == 0) {
    return InvalidArgument("Invalid input first dimension. Found 0.");
  }
  if (dims.rank() != 1) {
    return InvalidArgument("'dims' must be 1-dimension, not ", dims.rank());
  }
  if (dims.num_elements() != in.rank()) {
    return InvalidArgument(
        "'dims' must have the same number of values as 'input' has dimensions. "
        "'input' has ",
        in.rank(), "'dims' has ", dims.num_elements(), " values");
  }
  const auto flags = dims.flat<bool>();
  return ReverseDims(ctx, mover, std::vector<bool>(flags.begin(), flags.end()));
}

StatusOr<SequenceDims> SequenceDims::Make(const KernelInit& init) {
  SequenceDims d;
  MR_ASSIGN_OR_RETURN(d.seq, init.Attr<int32_t>("seq_dim"));
  MR_ASSIGN_OR_RETURN(d.batch, init.Attr<int32_t>("batch_dim"));
  if (d.batch < 0) return InvalidArgument("Invalid batch_dim ", d.batch);
  if (d.seq < 0) return InvalidArgument("Invalid seq_dim ", d.seq);
  return d;
}

Status SequenceDims::Check(const TensorShape& in,
                           const TensorShape& lengths) const {
  const int rank = in.rank();
  if (lengths.rank() != 1) {
    return InvalidArgument("seq_lengths must be 1-dim, not ", lengths.rank());
  }
  if (batch == seq) {
    return InvalidArgument("batch_dim == seq_dim == ", seq);
  }
  if (seq >= rank) {
    return InvalidArgument("seq_dim must be < input rank ( ", seq, " vs. ",
                           rank, ")");
  }
  if (batch >= rank) {
    return InvalidArgument("batch_dim must be < input rank ( ", batch, " vs. ",
                           rank, ")");
  }
  const int64_t rows = in.dim(static_cast<int>(batch));
  if (lengths.num_elements() != rows) {
    return InvalidArgument("Length of seq_lengths != input.dims(", batch,
                           "), (", lengths.num_elements(), " vs. ", rows, ")");
  }
  return OkStatus();
}

namespace {

enum class Order { kKept, kReversed };

struct ReverseSequenceKernel {
  static StatusOr<ReverseSequenceKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const SequenceDims dims, SequenceDims::Make(init));
    return ReverseSequenceKernel{dims.seq, dims.batch, dims};
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& lengths = ctx.input(1);
    MR_RETURN_IF_ERROR(dims.Check(in.shape(), lengths.shape()));
    const int batch = static_cast<int>(batch_dim);
    const int seq = static_cast<int>(seq_dim);
    for (int64_t b = 0; b < lengths.num_elements(); ++b) {
      const int64_t n = IntAt(lengths, b);
      if (n < 0) return InvalidArgument("seq_lens(", b, ") < 0");
      if (n > in.dim(seq)) {
        return InvalidArgument("seq_lens(", b, ") > input.dims(", seq, ")");
      }
    }
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, in.shape()));
    if (in.num_elements() == 0) return OkStatus();
    const DimVector strides = RowMajorStrides(in.shape().dims());
    for (int64_t b = 0; b < in.dim(batch); ++b) {
      if (b % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      const int64_t n = IntAt(lengths, b);
      MR_RETURN_IF_ERROR(
          CopyPart(ctx, in, out, strides, b, 0, n, Order::kReversed));
      MR_RETURN_IF_ERROR(
          CopyPart(ctx, in, out, strides, b, n, in.dim(seq) - n, Order::kKept));
    }
    return OkStatus();
  }

  // Copies steps [begin, begin + count) of row b.
  Status CopyPart(KernelContext& ctx, const Tensor& in, Tensor* out,
                  const DimVector& strides, int64_t b, int64_t begin,
                  int64_t count, Order order) const {
    const bool reversed = order == Order::kReversed;
    StridedCopySpec spec;
    for (int i = 0; i < in.rank(); ++i) {
      if (i == batch_dim) {
        spec.src_offset += b * strides[i];
        spec.dst_offset += b * strides[i];
      } else if (i == seq_dim) {
        spec.Add(count, reversed ? -strides[i] : strides[i], strides[i]);
        spec.src_offset += (reversed ? begin + count - 1 : begin) * strides[i];
        spec.dst_offset += begin * strides[i];
      } else {
        spec.Add(in.dim(i), strides[i], strides[i]);
      }
    }
    return StridedCopy(ctx, in.dtype(), in.data(), out->mutable_data(), spec);
  }

  int64_t seq_dim;
  int64_t batch_dim;
  SequenceDims dims;
};

}  // namespace

MR_KERNELS(ReverseV2, Cpu){{.make = MakeOnCpu<MoveBy<RunReverseV2>>,
                            .host = "axis",
                            .views = "tensor"}};
MR_KERNELS(Reverse, Cpu){
    {.make = MakeOnCpu<MoveBy<RunReverse>>, .host = "dims", .views = "tensor"}};
MR_KERNELS(ReverseSequence, Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES,
                                  .make = MakeKernel<ReverseSequenceKernel>,
                                  .host = "seq_lengths"}};

}  // namespace millrace::ops
