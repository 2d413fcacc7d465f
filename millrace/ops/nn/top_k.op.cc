#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status WithLastDim(ShapeContext& c, int64_t k) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRankAtLeast(0, 1));
  if (shape.known_rank()) {
    const int last = shape.rank() - 1;
    if (k != kUnknownDim && shape.dim(last) != kUnknownDim &&
        shape.dim(last) < k) {
      return InvalidArgument("input must have last dimension >= k = ", k,
                             " but is ", shape.dim(last));
    }
    shape.set_dim(last, k);
  }
  c.set_output(0, shape);
  c.set_output(1, shape);
  return OkStatus();
}

Status TopKShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const int64_t k, c.Attr<int64_t>("k"));
  return WithLastDim(c, k);
}
Status TopKV2Shape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  int64_t k = kUnknownDim;
  if (const Tensor* value = c.input_value(1)) {
    if (value->dtype() == DataType::kInt16) {
      k = value->flat<int16_t>()[0];
    } else {
      MR_ASSIGN_OR_RETURN(k, c.DimFromInput(1));
    }
    if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
  }
  return WithLastDim(c, k);
}

Status NthElementShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRankAtLeast(0, 1));
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_ASSIGN_OR_RETURN(const int64_t n, c.DimFromInput(1));
  if (!shape.known_rank()) return c.Return(PartialShape());
  const int last = shape.rank() - 1;
  if (n != kUnknownDim && shape.dim(last) != kUnknownDim &&
      shape.dim(last) <= n) {
    return InvalidArgument("Input must have last dimension > n = ", n,
                           " but is ", shape.dim(last));
  }
  MR_ASSIGN_OR_RETURN(PartialShape rows, ShapeContext::Subshape(shape, 0, -1));
  return c.Return(std::move(rows));
}

}  // namespace

MR_OP(TopK){
    .inputs = "input: T",
    .outputs = "values: T, indices: int32",
    .attrs =
        "k: int >= 0; sorted: bool = true; T: {float, double, int32, uint8, "
        "int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    .shape = TopKShape,
    .doc = "The k largest elements of each row and where they are.",
    .deprecated_version = 7,
    .deprecated_hint = "Use TopKV2 instead",
};
MR_OP(TopKV2){
    .inputs = "input: T, k: Tk",
    .outputs = "values: T, indices: index_type",
    .attrs =
        "sorted: bool = true; T: {float, double, int32, uint8, int16, int8, "
        "int64, bfloat16, uint16, half, uint32, uint64}; Tk: {int16, int32, "
        "int64} = 'int32'; index_type: {int16, int32, int64} = 'int32'",
    .shape = TopKV2Shape,
    .doc =
        "The k largest elements of each row, in order, and where they are; of "
        "equal ones the first.",
};
MR_OP(NthElement){
    .inputs = "input: T, n: int32",
    .outputs = "values: T",
    .attrs =
        "reverse: bool = false; T: {float, double, int32, uint8, int16, int8, "
        "int64, bfloat16, uint16, half, uint32, uint64}",
    .shape = NthElementShape,
    .doc =
        "The n-th smallest (or, reversed, largest) element of each row, "
        "counted from 0.",
};

}  // namespace millrace::ops
