#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kBinaryNumbers[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, "
    "uint32, uint64, int64, complex64, complex128}";
constexpr char kBinaryFloatingOrComplex[] =
    "T: {half, bfloat16, float, double, complex64, complex128}";
constexpr char kMinMax[] =
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, "
    "uint32, int64, uint64}";

}  // namespace

MR_OP(Add){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs =
        "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, "
        "complex64, complex128, string}",
    .flags = kAddition,
    .law = Law::kPlusZero,
    .shape = shapes::Broadcast,
    .ints = int_rules::Add,
    .doc = "x + y with broadcasting; strings are joined.",
};

MR_OP(AddV2){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs =
        "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, "
        "int8, int16, int32, int64, complex64, complex128}",
    .flags = kCommutative | kAggregate | kAddition,
    .law = Law::kPlusZero,
    .shape = shapes::Broadcast,
    .ints = int_rules::Add,
    .doc = "x + y with broadcasting.",
};

MR_OP(Sub){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs =
        "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, "
        "int64, complex64, complex128, uint32, uint64}",
    .law = Law::kMinusZero,
    .shape = shapes::Broadcast,
    .ints = int_rules::Subtract,
    .doc = "x - y with broadcasting.",
};

MR_OP(Mul){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryNumbers,
    .flags = kCommutative,
    .law = Law::kTimesOne,
    .shape = shapes::Broadcast,
    .ints = int_rules::Multiply,
    .doc = "x * y with broadcasting.",
};

MR_OP(MulNoNan){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = "T: {bfloat16, half, float, double, complex64, complex128}",
    .shape = shapes::Broadcast,
    .doc = "x * y with broadcasting; 0 where y is 0, whatever x is.",
};

MR_OP(Div){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryNumbers,
    .law = Law::kOverOne,
    .shape = shapes::Broadcast,
    .ints = int_rules::Divide,
    .doc =
        "x / y with broadcasting; integers are cut towards 0. Integer division "
        "by 0 is an error.",
};

MR_OP(RealDiv){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryNumbers,
    .law = Law::kOverOne,
    .shape = shapes::Broadcast,
    .doc = "x / y with broadcasting, for floating and complex types.",
};

MR_OP(DivNoNan){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = "T: {half, float, bfloat16, double, complex64, complex128}",
    .shape = shapes::Broadcast,
    .doc = "x / y with broadcasting; 0 where y is 0.",
};

MR_OP(FloorDiv){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryNumbers,
    .shape = shapes::Broadcast,
    .ints = int_rules::FloorDivide,
    .doc =
        "The largest whole number that is not above x / y, with broadcasting. "
        "Integer division by 0 is an error.",
};

MR_OP(TruncateDiv){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryNumbers,
    .shape = shapes::Broadcast,
    .ints = int_rules::Divide,
    .doc =
        "x / y cut towards 0, with broadcasting. Integer division by 0 is an "
        "error.",
};

MR_OP(FloorMod){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs =
        "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
        "bfloat16, half, float, double}",
    .shape = shapes::Broadcast,
    .ints = int_rules::FloorMod,
    .doc =
        "The remainder of FloorDiv, which has the sign of y; with "
        "broadcasting.",
};

MR_OP(Mod){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = "T: {int32, int64, half, half, bfloat16, float, double}",
    .shape = shapes::Broadcast,
    .doc =
        "The remainder of TruncateDiv, which has the sign of x; with "
        "broadcasting.",
};

MR_OP(TruncateMod){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = "T: {int32, int64, bfloat16, half, float, double}",
    .shape = shapes::Broadcast,
    .doc =
        "The remainder of TruncateDiv, which has the sign of x; with "
        "broadcasting.",
};

MR_OP(Maximum){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kMinMax,
    .shape = shapes::Broadcast,
    .ints = int_rules::Maximum,
    .doc = "The larger of x and y, NaN if one is; with broadcasting.",
};

MR_OP(Minimum){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kMinMax,
    .shape = shapes::Broadcast,
    .ints = int_rules::Minimum,
    .doc = "The smaller of x and y, NaN if one is; with broadcasting.",
};

MR_OP(Pow){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs =
        "T: {bfloat16, float, half, double, int8, int16, int32, int64, "
        "complex64, complex128}",
    .shape = shapes::Broadcast,
    .doc =
        "x to the power of y with broadcasting. A negative power of an integer "
        "is an error.",
};

MR_OP(SquaredDifference){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs =
        "T: {bfloat16, half, float, double, int32, int64, complex64, "
        "complex128}",
    .flags = kCommutative,
    .shape = shapes::Broadcast,
    .doc = "(x - y) times its conjugate, with broadcasting.",
};

MR_OP(Atan2){
    .inputs = "y: T, x: T",
    .outputs = "z: T",
    .attrs = "T: {bfloat16, half, float, double}",
    .shape = shapes::Broadcast,
    .doc = "The angle of the point (x, y), in [-pi, pi]; with broadcasting.",
};

MR_OP(Xdivy){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryFloatingOrComplex,
    .shape = shapes::Broadcast,
    .doc = "x / y with broadcasting; 0 where x is 0.",
};

MR_OP(Xlogy){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryFloatingOrComplex,
    .shape = shapes::Broadcast,
    .doc = "x * log(y) with broadcasting; 0 where x is 0.",
};

MR_OP(Xlog1py){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kBinaryFloatingOrComplex,
    .shape = shapes::Broadcast,
    .doc = "x * log(1 + y) with broadcasting; 0 where x is 0.",
};

}  // namespace millrace::ops
