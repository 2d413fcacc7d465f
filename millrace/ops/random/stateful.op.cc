// Ops whose generator is a resource variable.
#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {
namespace {

Status ByVariableShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return AnyTypeNumbersShape(c, 2);
}

Status ByVariableFirstShape(ShapeContext& c) {
  return AnyTypeNumbersShape(c, 1);
}

Status ByVariableIntShape(ShapeContext& c) {
  for (const int i : {3, 4}) {
    const PartialShape& limit = c.input(i);
    if (!limit.known_rank() || limit.rank() == 0) continue;
    return InvalidArgument(i == 3 ? "minval" : "maxval",
                           " must be a scalar; got a tensor of shape ",
                           limit.DebugString());
  }
  return ByVariableShape(c);
}

Status SkipShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return c.WithRank(2, 0).status();
}

Status ChanceShape(ShapeContext& c) { return AnyTypeNumbersShape(c, 0); }

#define MR_BY_VARIABLE \
  "resource: resource, algorithm: int64, shape: shape_dtype"

// Returns the schema of an op of numbers from a generator in a variable.
consteval OpFields NumbersByVariable(const char* attrs, const char* doc) {
  return {
      .inputs = MR_BY_VARIABLE,
      .outputs = "output: dtype",
      .attrs = attrs,
      .flags = kStateful,
      .shape = ByVariableShape,
      .doc = doc,
  };
}

constexpr char kFloats[] = "dtype: type = 'float'; shape_dtype: type = 'int64'";

}  // namespace

MR_OP(StatefulUniform){NumbersByVariable(
    kFloats,
    "Numbers evenly from [0, 1), from the generator in a variable, which they "
    "advance.")};
MR_OP(StatefulStandardNormalV2){
    NumbersByVariable(kFloats,
                      "Normal numbers, from the generator in a variable.")};
MR_OP(StatefulTruncatedNormal){NumbersByVariable(
    kFloats,
    "Normal numbers within two deviations, from the generator in a "
    "variable.")};
MR_OP(StatefulUniformFullInt){NumbersByVariable(
    "dtype: type = 'uint64'; shape_dtype: type = 'int64'",
    "Draws whole numbers evenly from all of the type, from the generator in a "
    "variable.")};
MR_OP(StatefulUniformInt){
    .inputs = MR_BY_VARIABLE ", minval: dtype, maxval: dtype",
    .outputs = "output: dtype",
    .attrs = "dtype: type = 'int64'; shape_dtype: type = 'int64'",
    .flags = kStateful,
    .shape = ByVariableIntShape,
    .doc =
        "Draws whole numbers evenly from [minval, maxval), from the generator "
        "in a variable.",
};
MR_OP(StatefulStandardNormal){
    .inputs = "resource: resource, shape: shape_dtype",
    .outputs = "output: dtype",
    .attrs = kFloats,
    .flags = kStateful,
    .shape = ByVariableFirstShape,
    .doc =
        "StatefulStandardNormalV2 whose algorithm is the first element of the "
        "variable.",
    .deprecated_version = 29,
    .deprecated_hint = "Use StatefulStandardNormalV2 instead",
};
MR_OP(RngSkip){
    .inputs = "resource: resource, algorithm: int64, delta: int64",
    .flags = kStateful,
    .shape = SkipShape,
    .doc =
        "Advances the generator in a variable as `delta` numbers would advance "
        "it.",
};
MR_OP(NonDeterministicInts){
    .inputs = "shape: shape_dtype",
    .outputs = "output: dtype",
    .attrs = "dtype: type = 'int64'; shape_dtype: type = 'int64'",
    .flags = kStateful,
    .shape = ChanceShape,
    .doc = "Whole numbers by chance, from all of the type.",
};

}  // namespace millrace::ops
