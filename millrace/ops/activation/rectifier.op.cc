#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Returns the schema of an activation without attributes.
consteval OpFields Activation(const char* doc) {
  return {
      .inputs = "features: T",
      .outputs = "activations: T",
      .attrs = "T: {half, bfloat16, float, double}",
      .shape = shapes::Unchanged,
      .doc = doc,
  };
}

// Returns the schema of the gradient of an activation, as a function of its
// input.
consteval OpFields GradientByFeatures(const char* doc) {
  return {
      .inputs = "gradients: T, features: T",
      .outputs = "backprops: T",
      .attrs = "T: {half, bfloat16, float, double}",
      .shape = shapes::MergeAll,
      .doc = doc,
  };
}

// Returns the schema of the gradient of an activation, as a function of its
// output.
consteval OpFields GradientByOutputs(const char* doc) {
  return {
      .inputs = "gradients: T, outputs: T",
      .outputs = "backprops: T",
      .attrs = "T: {half, bfloat16, float, double}",
      .shape = shapes::MergeAll,
      .doc = doc,
  };
}

}  // namespace

MR_OP(Softplus){Activation("log(exp(x) + 1).")};
MR_OP(SoftplusGrad){GradientByFeatures("The gradient times sigmoid(x).")};
MR_OP(Softsign){Activation("x / (abs(x) + 1).")};
MR_OP(SoftsignGrad){GradientByFeatures("The gradient over (abs(x) + 1)^2.")};
MR_OP(Elu){
    .inputs = "features: T",
    .outputs = "activations: T",
    .attrs = "T: {half, bfloat16, float, double}",
    .flags = kActivation,
    .shape = shapes::Unchanged,
    .doc = "exp(x) - 1 below 0, else x.",
};
MR_OP(EluGrad){GradientByOutputs(
    "The gradient times y + 1 where the output y is below 0.")};
MR_OP(Selu){Activation(
    "A scaled Elu, which keeps mean and variance of what goes through it.")};
MR_OP(SeluGrad){GradientByOutputs("The gradient of Selu from its output.")};
MR_OP(LeakyRelu){
    .inputs = "features: T",
    .outputs = "activations: T",
    .attrs =
        "alpha: float = 0.20000000298023224; T: {half, bfloat16, float, "
        "double} = 'float'",
    .flags = kActivation,
    .shape = shapes::Unchanged,
    .doc = "The larger of x and alpha * x.",
};
MR_OP(LeakyReluGrad){
    .inputs = "gradients: T, features: T",
    .outputs = "backprops: T",
    .attrs =
        "alpha: float = 0.20000000298023224; T: {half, bfloat16, float, "
        "double} = 'float'",
    .shape = shapes::MergeAll,
    .doc = "The gradient, times alpha where the feature is not above 0.",
};

}  // namespace millrace::ops
