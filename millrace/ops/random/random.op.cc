#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {
namespace {

Status IntShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  return NumbersShape(c);
}

// Returns the schema of an op of real numbers.
consteval OpFields RandomFloats(const char* doc) {
  return {
      .inputs = "shape: T",
      .outputs = "output: dtype",
      .attrs =
          "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, "
          "double}; T: {int32, int64}",
      .flags = kStateful,
      .shape = NumbersShape,
      .doc = doc,
  };
}

}  // namespace

MR_OP(RandomUniform){RandomFloats("Numbers evenly from [0, 1).")};
MR_OP(RandomStandardNormal){
    RandomFloats("Normal numbers of mean 0 and deviation 1.")};
MR_OP(TruncatedNormal){RandomFloats(
    "Normal numbers; those beyond two deviations are drawn again.")};
MR_OP(RandomUniformInt){
    .inputs = "shape: T, minval: Tout, maxval: Tout",
    .outputs = "output: Tout",
    .attrs =
        "seed: int = 0; seed2: int = 0; Tout: {int32, int64}; T: {int32, "
        "int64}",
    .flags = kStateful,
    .shape = IntShape,
    .doc = "Draws whole numbers evenly from [minval, maxval).",
};
MR_OP(RandomShuffle){
    .inputs = "value: T",
    .outputs = "output: T",
    .attrs = "seed: int = 0; seed2: int = 0; T: type",
    .flags = kStateful,
    .shape = shapes::Unchanged,
    .doc = "The rows of `value` in an order of chance.",
};

}  // namespace millrace::ops
