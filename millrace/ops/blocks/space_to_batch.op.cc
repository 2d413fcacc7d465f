// Schemas of ops that move blocks of space to the batch, and back.
#include "millrace/base/memory/checked_size.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/blocks/block_move.op.h"

namespace millrace::ops {
namespace {

// Sets the shape of the output. Spatial dimensions begin at 1. `block` and
// `pads` may be unknown (null); pads are pairs. From space the batch grows by
// the product of the blocks, to space it shrinks.
Status BlockShape(ShapeContext& c, const std::vector<int64_t>& block,
                  const Tensor* pads, BlockMove move) {
  const bool to_batch = move == BlockMove::kFromSpace;
  const int n = static_cast<int>(block.size());
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRankAtLeast(0, n + 1));
  CheckedSize checked = 1;
  for (const int64_t b : block) {
    if (b < 1) {
      return InvalidArgument("block_shape must be positive, got ", b);
    }
    checked *= b;
  }
  MR_ASSIGN_OR_RETURN(const int64_t product,
                      checked.Get("the product of block_shape"));
  if (pads) {
    for (int64_t i = 0; i < pads->num_elements(); ++i) {
      if (IntAt(*pads, i) < 0) {
        return InvalidArgument(to_batch ? "paddings" : "crops",
                               " cannot be negative");
      }
    }
  }
  if (!shape.known_rank()) return c.Return(PartialShape());
  if (to_batch) {
    MR_ASSIGN_OR_RETURN(const int64_t batch,
                        ShapeContext::MultiplyDims(shape.dim(0), product));
    shape.set_dim(0, batch);
  } else {
    MR_ASSIGN_OR_RETURN(const int64_t batch,
                        ShapeContext::DivideDims(shape.dim(0), product));
    shape.set_dim(0, batch);
  }
  for (int i = 0; i < n; ++i) {
    int64_t size = kUnknownDim;
    if (pads) {
      const int64_t before = IntAt(*pads, 2 * i);
      const int64_t after = IntAt(*pads, 2 * i + 1);
      if (to_batch) {
        MR_ASSIGN_OR_RETURN(size,
                            ShapeContext::AddDims(shape.dim(i + 1), before));
        MR_ASSIGN_OR_RETURN(size, ShapeContext::AddDims(size, after));
        MR_ASSIGN_OR_RETURN(size, ShapeContext::DivideDims(size, block[i]));
      } else {
        MR_ASSIGN_OR_RETURN(
            size, ShapeContext::MultiplyDims(shape.dim(i + 1), block[i]));
        MR_ASSIGN_OR_RETURN(size, ShapeContext::SubtractDims(size, before));
        MR_ASSIGN_OR_RETURN(size, ShapeContext::SubtractDims(size, after));
      }
    }
    shape.set_dim(i + 1, size);
  }
  return c.Return(std::move(shape));
}

template <BlockMove kMove>
Status BatchNdShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape block, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape pads, c.WithRank(2, 2));
  MR_RETURN_IF_ERROR(WithValue(pads.dim(1), 2).status());
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(block.dim(0), pads.dim(0)).status());
  const Tensor* blocks = c.input_value(1);
  if (!blocks) {
    if (block.dim(0) == kUnknownDim) return c.Return(PartialShape());
    if (block.dim(0) > kMaxRank) {
      return InvalidArgument("block_shape has ", block.dim(0),
                             " elements, at most ", kMaxRank, " are possible");
    }
    MR_ASSIGN_OR_RETURN(
        const PartialShape input,
        c.WithRankAtLeast(0, static_cast<int>(block.dim(0)) + 1));
    if (!input.known_rank()) return c.Return(PartialShape());
    PartialShape shape = PartialShape::UnknownOfRank(input.rank());
    for (int i = static_cast<int>(block.dim(0)) + 1; i < input.rank(); ++i) {
      shape.set_dim(i, input.dim(i));
    }
    return c.Return(std::move(shape));
  }
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < blocks->num_elements(); ++i) {
    sizes.push_back(IntAt(*blocks, i));
  }
  return BlockShape(c, sizes, c.input_value(2), kMove);
}

template <BlockMove kMove>
Status BatchShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const int64_t block, c.Attr<int32_t>("block_size"));
  MR_RETURN_IF_ERROR(c.WithRank(0, 4).status());
  MR_ASSIGN_OR_RETURN(const PartialShape pads, c.WithRank(1, 2));
  MR_RETURN_IF_ERROR(WithValue(pads.dim(0), 2).status());
  MR_RETURN_IF_ERROR(WithValue(pads.dim(1), 2).status());
  return BlockShape(c, {block, block}, c.input_value(1), kMove);
}

}  // namespace

MR_OP(SpaceToBatch){
    .inputs = "input: T, paddings: Tpaddings",
    .outputs = "output: T",
    .attrs =
        "T: type; Tpaddings: {int32, int64} = 'int32'; block_size: int >= 2",
    .shape = BatchShape<BlockMove::kFromSpace>,
    .doc = "SpaceToBatchND of images with one size of blocks.",
};
MR_OP(SpaceToBatchND){
    .inputs = "input: T, block_shape: Tblock_shape, paddings: Tpaddings",
    .outputs = "output: T",
    .attrs =
        "T: type; Tblock_shape: {int32, int64} = 'int32'; Tpaddings: {int32, "
        "int64} = 'int32'",
    .shape = BatchNdShape<BlockMove::kFromSpace>,
    .doc =
        "Pads the spatial dimensions and moves the places within blocks of "
        "them to the batch.",
};
MR_OP(BatchToSpace){
    .inputs = "input: T, crops: Tidx",
    .outputs = "output: T",
    .attrs = "T: type; block_size: int >= 2; Tidx: {int32, int64} = 'int32'",
    .shape = BatchShape<BlockMove::kToSpace>,
    .doc = "BatchToSpaceND of images with one size of blocks.",
};
MR_OP(BatchToSpaceND){
    .inputs = "input: T, block_shape: Tblock_shape, crops: Tcrops",
    .outputs = "output: T",
    .attrs =
        "T: type; Tblock_shape: {int32, int64} = 'int32'; Tcrops: {int32, "
        "int64} = 'int32'",
    .shape = BatchNdShape<BlockMove::kToSpace>,
    .doc = "The reverse of SpaceToBatchND; crops what it padded.",
};

}  // namespace millrace::ops
