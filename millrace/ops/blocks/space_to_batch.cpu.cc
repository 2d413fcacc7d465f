#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
namespace {

// The parameters of SpaceToBatchND; the first versions have two spatial
// dimensions.
struct Blocks {
  std::vector<int64_t> block, before, after;
  int n() const { return static_cast<int>(block.size()); }
  bool MovesNothing() const {
    const auto none = [](const std::vector<int64_t>& sizes, int64_t size) {
      return std::count(sizes.begin(), sizes.end(), size) ==
             static_cast<int64_t>(sizes.size());
    };
    return none(block, 1) && none(before, 0) && none(after, 0);
  }
};

StatusOr<Blocks> ReadBlocks(const std::vector<int64_t>& block,
                            const Tensor& pads, const char* what,
                            const char* what_is_negative) {
  Blocks b;
  b.block = block;
  if (pads.rank() != 2 || pads.dim(1) != 2 ||
      pads.dim(0) != static_cast<int64_t>(block.size())) {
    return InvalidArgument(what, " should have shape [", block.size(),
                           ", 2] instead of ", pads.shape().DebugString());
  }
  for (const int64_t size : block) {
    if (size < 1) {
      return InvalidArgument("All values in block_shape must be positive");
    }
  }
  const std::vector<int64_t> values = IntValues(pads);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      return InvalidArgument(what_is_negative, " must be non-negative");
    }
    (i % 2 == 0 ? b.before : b.after).push_back(values[i]);
  }
  return b;
}

int64_t CeilOf(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Copies the elements that both tensors have, block by block. `space` is the
// shape with the larger spatial dimensions, `batch` the one with the larger
// batch.
Status CopyBlocks(KernelContext& ctx, const Mover& mover, const Blocks& b,
                  const TensorShape& space, const TensorShape& batch,
                  BlockMove move, const Tensor& from, Tensor* to) {
  const bool to_batch = move == BlockMove::kFromSpace;
  const int n = b.n();
  const DimVector space_strides = RowMajorStrides(space.dims());
  const DimVector batch_strides = RowMajorStrides(batch.dims());
  const int64_t rest = space.NumElements(n + 1, space.rank());
  int64_t blocks = 1;
  for (const int64_t size : b.block) blocks *= size;
  for (int64_t k = 0; k < blocks; ++k) {
    // There may be billions, most of them of padding.
    if (k % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    StridedCopySpec spec;
    int64_t space_at = 0;
    int64_t batch_at = k * space.dim(0) * batch_strides[0];
    const auto add = [&](int64_t dim, int64_t in_space, int64_t in_batch) {
      to_batch ? spec.Add(dim, in_space, in_batch)
               : spec.Add(dim, in_batch, in_space);
    };
    add(space.dim(0), space_strides[0], batch_strides[0]);
    int64_t place = k;
    DimVector offset(static_cast<size_t>(n));
    for (int i = n - 1; i >= 0; --i) {
      offset[i] = place % b.block[i];
      place /= b.block[i];
    }
    bool none = false;
    for (int i = 0; i < n; ++i) {
      // Position j of the batch tensor is position j * block + shift of the
      // space tensor.
      const int64_t shift = offset[i] - b.before[i];
      const int64_t first = shift >= 0 ? 0 : CeilOf(-shift, b.block[i]);
      const int64_t end = std::min(
          batch.dim(i + 1), space.dim(i + 1) > shift
                                ? CeilOf(space.dim(i + 1) - shift, b.block[i])
                                : 0);
      if (end <= first) {
        none = true;
        break;
      }
      add(end - first, space_strides[i + 1] * b.block[i], batch_strides[i + 1]);
      space_at += (first * b.block[i] + shift) * space_strides[i + 1];
      batch_at += first * batch_strides[i + 1];
    }
    if (none) continue;
    add(rest, 1, 1);
    spec.src_offset = to_batch ? space_at : batch_at;
    spec.dst_offset = to_batch ? batch_at : space_at;
    MR_RETURN_IF_ERROR(mover.Copy(ctx, from, to, spec));
  }
  return OkStatus();
}

}  // namespace

StatusOr<BatchBlocks> BatchBlocks::Make(const KernelInit& init, BlockMove move,
                                        BlockSizes sizes) {
  BatchBlocks k;
  k.move_ = move;
  k.sizes_ = sizes;
  if (sizes == BlockSizes::kAttr) {
    MR_ASSIGN_OR_RETURN(k.block_size_, init.Attr<int32_t>("block_size"));
    if (k.block_size_ <= 1) {
      return InvalidArgument("Block size should be > 1: ", k.block_size_);
    }
  }
  return k;
}

Status BatchBlocks::Run(KernelContext& ctx, const Mover& mover) const {
  const Tensor& x = ctx.input(0);
  const char* what = to_batch() ? "paddings" : "crops";
  std::vector<int64_t> block = {block_size_, block_size_};
  if (sizes_ == BlockSizes::kInput) {
    if (ctx.input(1).rank() != 1) {
      return InvalidArgument("block_shape rank should be 1 instead of ",
                             ctx.input(1).rank());
    }
    block = IntValues(ctx.input(1));
  } else if (x.rank() != 4) {
    // Stock has no space there.
    return InvalidArgument("Input rank should be: 4instead of: ", x.rank());
  }
  MR_ASSIGN_OR_RETURN(
      const Blocks b,
      ReadBlocks(block, ctx.input(sizes_ == BlockSizes::kInput ? 2 : 1), what,
                 sizes_ == BlockSizes::kInput ? what
                 : to_batch()                 ? "Paddings"
                                              : "Crops"));
  if (x.rank() < b.n() + 1) {
    return InvalidArgument("input rank should be >= ", b.n() + 1,
                           " instead of ", x.rank());
  }
  DimVector dims = x.shape().dims();
  int64_t blocks = 1;
  for (int i = 0; i < b.n(); ++i) {
    if (__builtin_mul_overflow(blocks, b.block[i], &blocks)) {
      return InvalidArgument("block_shape is too large");
    }
  }
  if (to_batch()) {
    if (__builtin_mul_overflow(dims[0], blocks, &dims[0])) {
      return InvalidArgument("the output's batch is too large");
    }
  } else {
    if (dims[0] % blocks != 0) {
      return InvalidArgument("Input batch dimension (", dims[0],
                             ") is not divisible by product of block sizes (",
                             blocks, ")");
    }
    dims[0] /= blocks;
  }
  for (int i = 0; i < b.n(); ++i) {
    int64_t& size = dims[static_cast<size_t>(i) + 1];
    int64_t pad = 0;
    if (__builtin_add_overflow(b.before[i], b.after[i], &pad)) {
      return InvalidArgument(what, " are too large");
    }
    if (to_batch()) {
      int64_t padded = 0;
      if (__builtin_add_overflow(size, pad, &padded)) {
        return InvalidArgument(what, " are too large");
      }
      if (padded % b.block[i] != 0) {
        return InvalidArgument("padded_shape[", i, "]=", padded,
                               " is not divisible by block_shape[", i,
                               "]=", b.block[i]);
      }
      size = padded / b.block[i];
    } else {
      int64_t whole = 0;
      if (__builtin_mul_overflow(size, b.block[i], &whole)) {
        return InvalidArgument("the output is too large");
      }
      if (whole < pad) {
        return InvalidArgument("cropped_shape[", i, "]=", whole - pad,
                               " must be non-negative");
      }
      size = whole - pad;
    }
  }
  MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  if (b.MovesNothing()) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
  if (out->num_elements() == 0) return OkStatus();
  if (to_batch()) MR_RETURN_IF_ERROR(mover.Zero(ctx, out));
  if (x.num_elements() == 0) return OkStatus();
  return to_batch()
             ? CopyBlocks(ctx, mover, b, x.shape(), shape, move_, x, out)
             : CopyBlocks(ctx, mover, b, shape, x.shape(), move_, x, out);
}

MR_KERNELS(SpaceToBatch, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make =
         MakeOnCpu<BatchBlocksKernel<BlockMove::kFromSpace, BlockSizes::kAttr>>,
     .host = "paddings"}};
MR_KERNELS(SpaceToBatchND, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeOnCpu<
         BatchBlocksKernel<BlockMove::kFromSpace, BlockSizes::kInput>>,
     .host = "block_shape, paddings",
     .views = "input"}};
MR_KERNELS(BatchToSpace, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make =
         MakeOnCpu<BatchBlocksKernel<BlockMove::kToSpace, BlockSizes::kAttr>>,
     .host = "crops"}};
MR_KERNELS(BatchToSpaceND, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make =
         MakeOnCpu<BatchBlocksKernel<BlockMove::kToSpace, BlockSizes::kInput>>,
     .host = "block_shape, crops",
     .views = "input"}};

}  // namespace millrace::ops
