#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

#define MR_REAL                                                     \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, " \
  "uint16, half, uint32, uint64}"

// Returns the schema of the gradient of an activation, as a function of its
// input.
consteval OpFields ReluGradient(const char* doc) {
  return {
      .inputs = "gradients: T, features: T",
      .outputs = "backprops: T",
      .attrs = MR_REAL,
      .shape = shapes::MergeAll,
      .doc = doc,
  };
}

}  // namespace

MR_OP(Relu){
    .inputs = "features: T",
    .outputs = "activations: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
        "uint16, half, uint32, uint64, qint8}",
    .flags = kActivation,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc = "max(x, 0); NaN stays.",
};

MR_OP(ReluGrad){
    ReluGradient("The gradient where the feature is above 0, else 0.")};

MR_OP(Relu6){
    .inputs = "features: T",
    .outputs = "activations: T",
    .attrs = MR_REAL,
    .flags = kActivation,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc = "min(max(x, 0), 6).",
};

MR_OP(Relu6Grad){ReluGradient(
    "The gradient where the feature lies between 0 and 6, else 0.")};

}  // namespace millrace::ops
