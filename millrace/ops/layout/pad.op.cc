#include "millrace/ops/layout/pad.op.h"

#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

Status PaddedShape(ShapeContext& c, Paddings paddings) {
  MR_ASSIGN_OR_RETURN(PartialShape matrix, c.WithRank(1, 2));
  MR_RETURN_IF_ERROR(WithValue(matrix.dim(1), 2).status());
  PartialShape in = c.input(0);
  const int64_t rows = matrix.dim(0);
  if (rows > kMaxRank) return InvalidArgument("paddings has ", rows, " rows");
  if (rows != kUnknownDim) {
    MR_ASSIGN_OR_RETURN(in, ShapeContext::WithRank(in, static_cast<int>(rows)));
  }
  if (!in.known_rank()) return c.Return({});
  const Tensor* value = c.input_value(1);
  if (!value) return c.Return(PartialShape::UnknownOfRank(in.rank()));
  MR_RETURN_IF_ERROR(WithValue(value->dim(0), in.rank()).status());
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t before = IntAt(*value, 2 * i);
    const int64_t after = IntAt(*value, 2 * i + 1);
    int64_t both;
    if (before < 0 || after < 0)
      return InvalidArgument("Paddings must be non-negative");
    if (__builtin_add_overflow(before, after, &both)) {
      return InvalidArgument("Paddings overflow in dimension ", i, ": ", before,
                             " ", after);
    }
    if (paddings == Paddings::kAdded) {
      int64_t sum = kUnknownDim;
      if (in.dim(i) != kUnknownDim &&
          __builtin_add_overflow(in.dim(i), both, &sum)) {
        return InvalidArgument("Paddings overflow in dimension ", i, ": ",
                               before, " ", after);
      }
      in.set_dim(i, sum);
    } else {
      MR_ASSIGN_OR_RETURN(int64_t d, DimMinus(in.dim(i), both));
      in.set_dim(i, d);
    }
  }
  return c.Return(std::move(in));
}

namespace {

Status PadShape(ShapeContext& c) { return PaddedShape(c, Paddings::kAdded); }

}  // namespace

MR_OP(Pad){
    .inputs = "input: T, paddings: Tpaddings",
    .outputs = "output: T",
    .attrs = R"(T: type; Tpaddings: {int32, int64} = "int32")",
    .shape = PadShape,
    .doc =
        "Puts paddings[i, 0] zeros before and paddings[i, 1] after dimension "
        "i.",
};

MR_OP(PadV2){
    .inputs = "input: T, paddings: Tpaddings, constant_values: T",
    .outputs = "output: T",
    .attrs = R"(T: type; Tpaddings: {int32, int64} = "int32")",
    .shape = PadShape,
    .doc = "Pad with the scalar `constant_values` in place of zero.",
};

}  // namespace millrace::ops
