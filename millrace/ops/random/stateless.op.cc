#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {
namespace {

Status SeedShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckSeed(c, 1));
  return NumbersShape(c);
}
Status SeedIntShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  MR_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  return SeedShape(c);
}

Status KeyShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape key, c.WithRank(1, 1));
  MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  MR_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  MR_RETURN_IF_ERROR(ShapeContext::WithValue(key.dim(0), 1).status());
  return NumbersShape(c);
}
Status KeyIntShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(4, 0).status());
  MR_RETURN_IF_ERROR(c.WithRank(5, 0).status());
  return KeyShape(c);
}

Status KeyCounterShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckSeed(c, 0));
  c.set_output(0, PartialShape({1}));
  c.set_output(1, PartialShape({2}));
  if (c.num_outputs() > 2) c.set_output(2, PartialShape(TensorShape()));
  return OkStatus();
}

// Returns the schema of an op of real numbers with a seed.
consteval OpFields FloatsOfSeed(const char* doc) {
  return {
      .inputs = "shape: T, seed: Tseed",
      .outputs = "output: dtype",
      .attrs =
          "dtype: {half, bfloat16, float, double} = 'float'; T: {int32, "
          "int64} = 'int32'; Tseed: {int32, int64} = 'int64'",
      .shape = SeedShape,
      .doc = doc,
  };
}

#define MR_KEY_INPUTS "shape: Tshape, key: uint64, counter: uint64, alg: int32"

// Returns the schema of an op of real numbers with a key and a counter.
consteval OpFields FloatsOfKey(const char* doc) {
  return {
      .inputs = MR_KEY_INPUTS,
      .outputs = "output: dtype",
      .attrs =
          "dtype: {half, bfloat16, float, double} = 'float'; Tshape: "
          "{int32, int64} = 'int32'",
      .shape = KeyShape,
      .doc = doc,
  };
}

// Returns the schema of an op that converts a seed to a key and a counter.
consteval OpFields KeyCounter(const char* outputs, const char* doc) {
  return {
      .inputs = "seed: Tseed",
      .outputs = outputs,
      .attrs = "Tseed: {int32, int64} = 'int64'",
      .shape = KeyCounterShape,
      .doc = doc,
  };
}

}  // namespace

MR_OP(StatelessRandomUniform){
    FloatsOfSeed("Numbers evenly from [0, 1) that depend on the seed alone.")};
MR_OP(StatelessRandomNormal){
    FloatsOfSeed("Normal numbers that depend on the seed alone.")};
MR_OP(StatelessTruncatedNormal){FloatsOfSeed(
    "Normal numbers within two deviations that depend on the seed alone.")};
MR_OP(StatelessRandomUniformInt){
    .inputs = "shape: T, seed: Tseed, minval: dtype, maxval: dtype",
    .outputs = "output: dtype",
    .attrs =
        "dtype: {int32, int64}; T: {int32, int64}; Tseed: {int32, int64} = "
        "'int64'",
    .shape = SeedIntShape,
    .doc =
        "Draws whole numbers evenly from [minval, maxval) that depend on the "
        "seed alone.",
};
MR_OP(StatelessRandomUniformFullInt){
    .inputs = "shape: T, seed: Tseed",
    .outputs = "output: dtype",
    .attrs =
        "dtype: {int32, int64, uint32, uint64} = 'uint64'; T: {int32, int64} = "
        "'int32'; Tseed: {int32, int64, uint32, uint64} = 'int64'",
    .shape = SeedShape,
    .doc =
        "Draws whole numbers evenly from all of the type that depend on the "
        "seed alone.",
};

MR_OP(StatelessRandomUniformV2){
    FloatsOfKey("Numbers evenly from [0, 1), from a key and a counter.")};
MR_OP(StatelessRandomNormalV2){
    FloatsOfKey("Normal numbers, from a key and a counter.")};
MR_OP(StatelessTruncatedNormalV2){FloatsOfKey(
    "Normal numbers within two deviations, from a key and a counter.")};
MR_OP(StatelessRandomUniformIntV2){
    .inputs = MR_KEY_INPUTS ", minval: dtype, maxval: dtype",
    .outputs = "output: dtype",
    .attrs =
        "dtype: {int32, int64, uint32, uint64}; Tshape: {int32, int64} = "
        "'int32'",
    .shape = KeyIntShape,
    .doc =
        "Draws whole numbers evenly from [minval, maxval), from a key and a "
        "counter.",
};
MR_OP(StatelessRandomUniformFullIntV2){
    .inputs = MR_KEY_INPUTS,
    .outputs = "output: dtype",
    .attrs =
        "dtype: {int32, int64, uint32, uint64} = 'uint64'; Tshape: {int32, "
        "int64} = 'int32'",
    .shape = KeyShape,
    .doc =
        "Draws whole numbers evenly from all of the type, from a key and a "
        "counter.",
};

MR_OP(StatelessRandomGetKeyCounter){
    KeyCounter("key: uint64, counter: uint64",
               "A seed scrambled into a key and a counter.")};
MR_OP(StatelessRandomGetAlg){
    .outputs = "alg: int32",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The number of the device's algorithm: Philox.",
};
MR_OP(StatelessRandomGetKeyCounterAlg){
    KeyCounter("key: uint64, counter: uint64, alg: int32",
               "Both of the above.")};

}  // namespace millrace::ops
