// Kernels that move elements along dimensions, for the memory of any device
// (array/mover.h). Inputs that name dimensions or sizes lie in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/array/mover.h"
#include "millrace/ops/blocks/block_move.op.h"

namespace millrace::ops {

Status RunConcat(KernelContext& ctx, const Mover& mover);
Status RunConcatV2(KernelContext& ctx, const Mover& mover);
Status RunSplit(KernelContext& ctx, const Mover& mover);
Status RunSplitV(KernelContext& ctx, const Mover& mover);
Status RunTranspose(KernelContext& ctx, const Mover& mover);
Status RunReverse(KernelContext& ctx, const Mover& mover);
Status RunReverseV2(KernelContext& ctx, const Mover& mover);
Status RunTile(KernelContext& ctx, const Mover& mover);
Status RunBroadcastTo(KernelContext& ctx, const Mover& mover);

// Sets output 0 to a transposed copy of input 0, and returns it.
StatusOr<Tensor*> TransposedCopy(KernelContext& ctx, const Mover& mover);

struct PackKernel {
  static StatusOr<PackKernel> Make(const KernelInit& init);
  Status Run(KernelContext& ctx, const Mover& mover) const;
  int64_t axis = 0;
};

struct UnpackKernel {
  static StatusOr<UnpackKernel> Make(const KernelInit& init);
  Status Run(KernelContext& ctx, const Mover& mover) const;
  int64_t axis = 0;
};

// SpaceToBatch and its like. The source of an op's block sizes: an attribute
// with one size for both dimensions of an image, or an input with a vector.
enum class BlockSizes { kAttr, kInput };

class BatchBlocks {
 public:
  static StatusOr<BatchBlocks> Make(const KernelInit& init, BlockMove move,
                                    BlockSizes sizes);
  Status Run(KernelContext& ctx, const Mover& mover) const;

 private:
  bool to_batch() const { return move_ == BlockMove::kFromSpace; }

  BlockMove move_ = BlockMove::kFromSpace;
  BlockSizes sizes_ = BlockSizes::kAttr;
  int64_t block_size_ = 0;
};
template <BlockMove kMove, BlockSizes kSizes>
struct BatchBlocksKernel : BatchBlocks {
  static StatusOr<BatchBlocksKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(BatchBlocks k, BatchBlocks::Make(init, kMove, kSizes));
    return BatchBlocksKernel{k};
  }
};

// SpaceToDepth and DepthToSpace: moves elements between [n, h, w, places, c] of
// depth and [n, h, block, w, block, c] of space, or the same with channels
// first.
enum class ImageFormats { kNhwc, kNhwcAndNchw };

class DepthBlocks {
 public:
  static StatusOr<DepthBlocks> Make(const KernelInit& init, BlockMove move,
                                    ImageFormats formats);
  Status Run(KernelContext& ctx, const Mover& mover) const;

 private:
  bool to_depth() const { return move_ == BlockMove::kFromSpace; }

  BlockMove move_ = BlockMove::kFromSpace;
  int64_t block_ = 2;
  bool channels_first_ = false;
};
template <BlockMove kMove, ImageFormats kFormats>
struct DepthKernel : DepthBlocks {
  static StatusOr<DepthKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(DepthBlocks k,
                        DepthBlocks::Make(init, kMove, kFormats));
    return DepthKernel{k};
  }
};

// Reads `paddings`, in host memory. Returns INVALID_ARGUMENT if they do not fit
// the input.
StatusOr<std::vector<PaddedDim>> PlanPad(const Tensor& in,
                                         const Tensor& paddings);
StatusOr<TensorShape> PaddedShape(absl::Span<const PaddedDim> dims);

// Reads the attribute `mode` of MirrorPad: returns 0 if the edge itself is
// repeated, 1 if it is not.
StatusOr<int64_t> MirrorEdge(const KernelInit& init);
// Return the dimensions of the tensor without paddings, and those that
// `paddings` has: of MirrorPad, whose input has none, and of its gradient,
// whose input has them.
StatusOr<std::vector<PaddedDim>> PlanMirrorPad(const Tensor& in,
                                               const Tensor& paddings,
                                               int64_t edge);
StatusOr<std::vector<PaddedDim>> PlanMirrorPadGrad(const Tensor& in,
                                                   const Tensor& paddings,
                                                   int64_t edge);

// Returns the shift of each dimension by Roll to the right, in [0, size).
// Shifts and axes lie in host memory.
StatusOr<DimVector> PlanRoll(const Tensor& in, const Tensor& shifts,
                             const Tensor& axes);

// ReverseSequence. Lengths are checked by CPUs only, since GPUs have them in
// their own memory.
struct SequenceDims {
  static StatusOr<SequenceDims> Make(const KernelInit& init);
  // Checks shapes.
  Status Check(const TensorShape& in, const TensorShape& lengths) const;
  int64_t seq = 0, batch = 0;
};

// The shape of the gradient of Tile, and the dimensions of its input by tiles:
// [number of tiles, size of one] for each.
struct TileGradPlan {
  TensorShape shape;
  DimVector by_tile;
};
StatusOr<TileGradPlan> PlanTileGrad(const Tensor& in, const Tensor& multiples);

struct CutOptions {
  bool drops_axis = false;     // outputs lack the dimension; all sizes are 1
  bool shares_vector = false;  // else copies pieces of a view
};
// Sets output i to the piece of sizes[i] of the input along `axis`. Requires:
// the sizes add up to the dimension.
Status CutAlong(KernelContext& ctx, const Mover& mover, int input, int axis,
                absl::Span<const int64_t> sizes,
                const CutOptions& options = {});

}  // namespace millrace::ops
