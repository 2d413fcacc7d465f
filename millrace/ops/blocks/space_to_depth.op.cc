#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/blocks/block_move.op.h"

namespace millrace::ops {
namespace {

// The sizes before the channels shrink by the block and the channels grow by
// its area; to space, it is the reverse.
template <BlockMove kMove>
Status DepthShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const auto format, c.Attr<std::string>("data_format"));
  MR_ASSIGN_OR_RETURN(const int64_t block, c.Attr<int32_t>("block_size"));
  if (format == "NCHW_VECT_C") {
    MR_RETURN_IF_ERROR(c.WithRank(0, 5).status());
    return c.Return(PartialShape::UnknownOfRank(5));
  }
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, 4));
  MR_ASSIGN_OR_RETURN(const int64_t area,
                      ShapeContext::MultiplyDims(block, block));
  const bool first = format == "NCHW";
  for (int i = 0; i < 3; ++i) {
    const bool is_depth = i == 2;
    const int d = is_depth ? (first ? 1 : 3) : (first ? 2 : 1) + i;
    int64_t size = shape.dim(d);
    if (is_depth == (kMove == BlockMove::kFromSpace)) {
      MR_ASSIGN_OR_RETURN(
          size, ShapeContext::MultiplyDims(size, is_depth ? area : block));
    } else {
      MR_ASSIGN_OR_RETURN(
          size, ShapeContext::DivideDims(size, is_depth ? area : block));
    }
    shape.set_dim(d, size);
  }
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(SpaceToDepth){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs =
        "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', "
        "'NCHW_VECT_C'} = 'NHWC'",
    .shape = DepthShape<BlockMove::kFromSpace>,
    .doc = "Moves the places within square blocks of images to the channels.",
};

MR_OP(DepthToSpace){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs =
        "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', "
        "'NCHW_VECT_C'} = 'NHWC'",
    .shape = DepthShape<BlockMove::kToSpace>,
    .doc = "The reverse of SpaceToDepth.",
};

}  // namespace millrace::ops
