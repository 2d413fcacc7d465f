#include <cmath>
#include <limits>
#include <vector>

#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Returns floor(size / ratio), the smallest number if that is none.
int64_t PooledSize(int64_t size, float ratio) {
  const float pooled = std::floor(static_cast<float>(size) / ratio);
  // 2^63 is the first number that does not fit.
  if (pooled >= -9223372036854775808.0f && pooled < 9223372036854775808.0f) {
    return static_cast<int64_t>(pooled);
  }
  return std::numeric_limits<int64_t>::min();
}

Status FractionalPoolShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, 4));
  MR_ASSIGN_OR_RETURN(const auto ratios,
                      c.Attr<std::vector<float>>("pooling_ratio"));
  if (ratios.size() != 4) {
    return InvalidArgument("pooling_ratio field must specify 4 dimensions");
  }
  for (int i = 0; i < 4; ++i) {
    if (shape.dim(i) == kUnknownDim) continue;
    const int64_t size =
        PooledSize(shape.dim(i), ratios[static_cast<size_t>(i)]);
    if (size < 0) {
      return InvalidArgument("Size computed for dim ", i,
                             " is negative: ", size);
    }
    shape.set_dim(i, size);
  }
  for (const float ratio : ratios) {
    if (ratio < 1) {
      return InvalidArgument("pooling_ratio cannot be smaller than 1, got: ",
                             ratio);
    }
  }
  // A sequence has an element more than there are windows. Stock's shape
  // function forgets it.
  for (int i = 1; i < 3; ++i) {
    MR_ASSIGN_OR_RETURN(const int64_t size,
                        ShapeContext::AddDims(shape.dim(i), 1));
    c.set_output(i, PartialShape({size}));
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

#define MR_FRACTIONAL_POOL                                                  \
  "pooling_ratio: list(float) >= 4; pseudo_random: bool = false; "          \
  "overlapping: bool = false; deterministic: bool = false; seed: int = 0; " \
  "seed2: int = 0; T: {float, double, int32, int64}"

MR_OP(FractionalMaxPool){
    .inputs = "value: T",
    .outputs =
        "output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    .attrs = MR_FRACTIONAL_POOL,
    .shape = FractionalPoolShape,
    .doc =
        "The largest elements of windows of random sizes, which are on average "
        "`pooling_ratio` rows high and columns wide. The sequences say where "
        "each window begins, and where the last one ends.",
};
MR_OP(FractionalAvgPool){
    .inputs = "value: T",
    .outputs =
        "output: T, row_pooling_sequence: int64, col_pooling_sequence: int64",
    .attrs = MR_FRACTIONAL_POOL,
    .shape = FractionalPoolShape,
    .doc = "FractionalMaxPool with means in place of the largest elements.",
};
MR_OP(FractionalMaxPoolGrad){
    .inputs =
        "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: "
        "int64, col_pooling_sequence: int64",
    .outputs = "output: T",
    .attrs = "overlapping: bool = false; T: {float, double, int32, int64}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, 4));
      return c.Return(std::move(shape));
    },
    .doc = "The gradient of FractionalMaxPool.",
};
MR_OP(FractionalAvgPoolGrad){
    .inputs =
        "orig_input_tensor_shape: int64, out_backprop: T, "
        "row_pooling_sequence: int64, col_pooling_sequence: int64",
    .outputs = "output: T",
    .attrs = "overlapping: bool = false; T: {float, double, int32, int64}",
    .shape = [](ShapeContext& c) -> Status {
      if (c.input_value(0) == nullptr) {
        return c.Return(PartialShape::UnknownOfRank(4));
      }
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
      return c.Return(std::move(shape));
    },
    .doc = "The gradient of FractionalAvgPool.",
};

}  // namespace millrace::ops
