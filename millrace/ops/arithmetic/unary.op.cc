#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kFloating[] = "T: {bfloat16, half, float, double}";
constexpr char kFloatingOrComplex[] =
    "T: {bfloat16, half, float, double, complex64, complex128}";
constexpr char kSigned[] =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64}";
constexpr char kSignedOrComplex[] =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
    "complex128}";

}  // namespace

MR_OP(Neg){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kSignedOrComplex,
    .law = Law::kUndoesItself,
    .shape = shapes::Unchanged,
    .doc = "-x.",
};

MR_OP(Abs){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kSigned,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc =
        "The absolute value of x. The smallest number of an integer type, "
        "which has none, stays as it is.",
};

MR_OP(Sign){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kSignedOrComplex,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc =
        "-1, 0 or 1 by the sign of x; NaN for NaN; x / |x| for complex x, 0 "
        "for 0.",
};

MR_OP(Square){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs =
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
        "uint16, uint32, uint64, complex64, complex128}",
    .shape = shapes::Unchanged,
    .doc = "x * x.",
};

MR_OP(Sqrt){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The square root; NaN below 0, the principal root for complex x.",
};

MR_OP(Rsqrt){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "1 / sqrt(x).",
};

MR_OP(Reciprocal){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kSignedOrComplex,
    .shape = shapes::Unchanged,
    .doc = "1 / x.",
};

MR_OP(Inv){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kSignedOrComplex,
    .shape = shapes::Unchanged,
    .doc = "1 / x, as Reciprocal.",
};

MR_OP(Exp){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "e to the power of x.",
};

MR_OP(Expm1){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "exp(x) - 1, exact near 0.",
};

MR_OP(Log){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The natural logarithm; -inf at 0, NaN below.",
};

MR_OP(Log1p){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "log(1 + x), exact near 0.",
};

MR_OP(Sin){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The sine of x in radians.",
};

MR_OP(Cos){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The cosine of x in radians.",
};

MR_OP(Tan){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The tangent of x in radians.",
};

MR_OP(Asin){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The inverse of the sine, in [-pi/2, pi/2]; NaN outside [-1, 1].",
};

MR_OP(Acos){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The inverse of the cosine, in [0, pi]; NaN outside [-1, 1].",
};

MR_OP(Atan){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The inverse of the tangent, in [-pi/2, pi/2].",
};

MR_OP(Sinh){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The hyperbolic sine.",
};

MR_OP(Cosh){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The hyperbolic cosine.",
};

MR_OP(Tanh){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .flags = kActivation,
    .shape = shapes::Unchanged,
    .doc = "The hyperbolic tangent.",
};

MR_OP(Asinh){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The inverse of the hyperbolic sine.",
};

MR_OP(Acosh){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The inverse of the hyperbolic cosine; NaN below 1.",
};

MR_OP(Atanh){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .shape = shapes::Unchanged,
    .doc = "The inverse of the hyperbolic tangent; NaN outside [-1, 1].",
};

MR_OP(Sigmoid){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloatingOrComplex,
    .flags = kActivation,
    .shape = shapes::Unchanged,
    .doc = "1 / (1 + exp(-x)).",
};

MR_OP(Erf){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloating,
    .shape = shapes::Unchanged,
    .doc = "The Gauss error function.",
};

MR_OP(Erfc){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloating,
    .shape = shapes::Unchanged,
    .doc = "1 - erf(x), exact for large x.",
};

MR_OP(Lgamma){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloating,
    .shape = shapes::Unchanged,
    .doc = "The logarithm of the absolute value of the gamma function.",
};

MR_OP(Digamma){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloating,
    .shape = shapes::Unchanged,
    .doc = "The derivative of Lgamma.",
};

MR_OP(Floor){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloating,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc = "The largest whole number that is not above x.",
};

MR_OP(Ceil){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloating,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc = "The smallest whole number that is not below x.",
};

MR_OP(Round){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kSignedOrComplex,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc =
        "The nearest whole number; the even one of two that are equally near.",
};

MR_OP(Rint){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kFloating,
    .law = Law::kIdempotent,
    .shape = shapes::Unchanged,
    .doc = "The nearest whole number, as Round.",
};

MR_OP(IsNan){
    .inputs = "x: T",
    .outputs = "y: bool",
    .attrs = kFloating,
    .shape = shapes::Unchanged,
    .doc = "Returns true where x is NaN.",
};

MR_OP(IsInf){
    .inputs = "x: T",
    .outputs = "y: bool",
    .attrs = kFloating,
    .shape = shapes::Unchanged,
    .doc = "Returns true where x is an infinity.",
};

MR_OP(IsFinite){
    .inputs = "x: T",
    .outputs = "y: bool",
    .attrs = kFloating,
    .shape = shapes::Unchanged,
    .doc = "Returns true where x is neither NaN nor an infinity.",
};

}  // namespace millrace::ops
