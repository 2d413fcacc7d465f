#include <vector>

#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status ReverseV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  const PartialShape& in = c.input(0);
  const Tensor* axes = c.input_value(1);
  if (axes && in.known_rank()) {
    std::vector<bool> seen(static_cast<size_t>(in.rank()));
    for (int64_t i = 0; i < axes->num_elements(); ++i) {
      const int64_t axis = IntAt(*axes, i);
      const int64_t at = axis < 0 ? axis + in.rank() : axis;
      if (at < 0 || at >= in.rank()) {
        return InvalidArgument("'axis'[", i, "] = ", axis,
                               " is out of valid range [", -in.rank(), ", ",
                               in.rank() - 1, "]");
      }
      if (seen[at])
        return InvalidArgument("axis ", at, " specified more than once.");
      seen[at] = true;
    }
  }
  return c.Return(in);
}

Status ReverseSequenceShape(ShapeContext& c) {
  PartialShape in = c.input(0);
  MR_ASSIGN_OR_RETURN(PartialShape lengths, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(int64_t seq_dim, c.Attr<int32_t>("seq_dim"));
  MR_ASSIGN_OR_RETURN(int64_t batch_dim, c.Attr<int32_t>("batch_dim"));
  if (batch_dim < 0)
    return InvalidArgument("batch_dim must be >=0, got ", batch_dim);
  if (seq_dim < 0) return InvalidArgument("seq_dim must be >=0, got ", seq_dim);
  if (!in.known_rank()) return c.Return({});
  if (batch_dim >= in.rank()) {
    return InvalidArgument("batch_dim must be < input rank: ", batch_dim,
                           " vs. ", in.rank());
  }
  if (seq_dim >= in.rank()) {
    return InvalidArgument("seq_dim must be < input rank: ", seq_dim, " vs. ",
                           in.rank());
  }
  const int at = static_cast<int>(batch_dim);
  MR_ASSIGN_OR_RETURN(int64_t batch,
                      ShapeContext::MergeDims(in.dim(at), lengths.dim(0)));
  in.set_dim(at, batch);
  return c.Return(std::move(in));
}

}  // namespace

MR_OP(ReverseV2){
    .inputs = "tensor: T, axis: Tidx",
    .outputs = "output: T",
    .attrs =
        R"(Tidx: {int32, int64} = "int32"; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, complex64, complex128, string})",
    .shape = ReverseV2Shape,
    .doc = "Reverses the order of elements along the dimensions of `axis`.",
};

MR_OP(Reverse){
    .inputs = "tensor: T, dims: bool",
    .outputs = "output: T",
    .attrs =
        "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, "
        "bfloat16, half, float, double, complex64, complex128, string}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape dims, c.WithRank(1, 1));
      PartialShape in = c.input(0);
      if (dims.dim(0) > kMaxRank)
        return InvalidArgument("dims has ", dims.dim(0), " elements");
      if (dims.dim(0) != kUnknownDim) {
        MR_ASSIGN_OR_RETURN(
            in, ShapeContext::WithRank(in, static_cast<int>(dims.dim(0))));
      }
      return c.Return(std::move(in));
    },
    .doc =
        "Reverses the order of elements along each dimension i with dims[i].",
};

MR_OP(ReverseSequence){
    .inputs = "input: T, seq_lengths: Tlen",
    .outputs = "output: T",
    .attrs =
        R"(seq_dim: int; batch_dim: int = 0; T: type; Tlen: {int32, int64} = "int64")",
    .shape = ReverseSequenceShape,
    .doc =
        "For each row b of `batch_dim`, reverses the first seq_lengths[b] "
        "elements along "
        "`seq_dim`.",
};

}  // namespace millrace::ops
