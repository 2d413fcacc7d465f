#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

Status ShapeInput(ShapeContext& c) {
  MR_ASSIGN(PartialShape shape, c.ShapeFromInput(0));
  return c.Return(std::move(shape));
}

Status IntShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  return ShapeInput(c);
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_RANDOM_ATTRS                                            \
  "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, " \
  "double}; T: {int32, int64}"

MR_OP(RandomUniform){
    .inputs = "shape: T",
    .outputs = "output: dtype",
    .attrs = MR_RANDOM_ATTRS,
    .flags = kStateful,
    .shape = ShapeInput,
    .doc = "Numbers evenly from [0, 1).",
};

MR_OP(RandomStandardNormal){
    .inputs = "shape: T",
    .outputs = "output: dtype",
    .attrs = MR_RANDOM_ATTRS,
    .flags = kStateful,
    .shape = ShapeInput,
    .doc = "Normal numbers of mean 0 and deviation 1.",
};

MR_OP(TruncatedNormal){
    .inputs = "shape: T",
    .outputs = "output: dtype",
    .attrs = MR_RANDOM_ATTRS,
    .flags = kStateful,
    .shape = ShapeInput,
    .doc = "Normal numbers; those beyond two deviations are drawn again.",
};

MR_OP(RandomUniformInt){
    .inputs = "shape: T, minval: Tout, maxval: Tout",
    .outputs = "output: Tout",
    .attrs =
        "seed: int = 0; seed2: int = 0; Tout: {int32, int64}; T: {int32, "
        "int64}",
    .flags = kStateful,
    .shape = IntShape,
    .doc = "Whole numbers evenly from [minval, maxval).",
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
