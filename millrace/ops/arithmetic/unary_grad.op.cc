#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kUnaryGradTypes[] =
    "T: {bfloat16, half, float, double, complex64, complex128}";

}  // namespace

MR_OP(SigmoidGrad){
    .inputs = "y: T, dy: T",
    .outputs = "z: T",
    .attrs = kUnaryGradTypes,
    .shape = shapes::Unchanged,
    .doc = "dy * y * (1 - y), for y = sigmoid(x).",
};

MR_OP(TanhGrad){
    .inputs = "y: T, dy: T",
    .outputs = "z: T",
    .attrs = kUnaryGradTypes,
    .shape = shapes::Unchanged,
    .doc = "dy * (1 - y * y), for y = tanh(x).",
};

MR_OP(SqrtGrad){
    .inputs = "y: T, dy: T",
    .outputs = "z: T",
    .attrs = kUnaryGradTypes,
    .shape = shapes::Unchanged,
    .doc = "dy * 0.5 / y, for y = sqrt(x); 0 where dy is 0.",
};

MR_OP(RsqrtGrad){
    .inputs = "y: T, dy: T",
    .outputs = "z: T",
    .attrs = kUnaryGradTypes,
    .shape = shapes::Unchanged,
    .doc = "dy * -0.5 * y^3, for y = 1 / sqrt(x); 0 where dy is 0.",
};

MR_OP(ReciprocalGrad){
    .inputs = "y: T, dy: T",
    .outputs = "z: T",
    .attrs = kUnaryGradTypes,
    .shape = shapes::Unchanged,
    .doc = "-dy * y * y, for y = 1 / x; 0 where dy is 0.",
};

MR_OP(InvGrad){
    .inputs = "y: T, dy: T",
    .outputs = "z: T",
    .attrs = kUnaryGradTypes,
    .shape = shapes::Unchanged,
    .doc = "-dy * y * y, as ReciprocalGrad.",
};

}  // namespace millrace::ops
