#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kIntegers[] =
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

}  // namespace

MR_OP(LeftShift){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kIntegers,
    .shape = shapes::Broadcast,
    .doc =
        "x shifted left by y bits, with broadcasting. y is limited to [0, bits "
        "of T - 1].",
};

MR_OP(RightShift){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kIntegers,
    .shape = shapes::Broadcast,
    .doc =
        "x shifted right by y bits, with broadcasting; the sign is kept. y is "
        "limited to [0, bits of T - 1].",
};

MR_OP(BitwiseAnd){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kIntegers,
    .flags = kCommutative,
    .shape = shapes::Broadcast,
    .doc = "The bits that x and y share, with broadcasting.",
};

MR_OP(BitwiseOr){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kIntegers,
    .flags = kCommutative,
    .shape = shapes::Broadcast,
    .doc = "The bits of x and y, with broadcasting.",
};

MR_OP(BitwiseXor){
    .inputs = "x: T, y: T",
    .outputs = "z: T",
    .attrs = kIntegers,
    .flags = kCommutative,
    .shape = shapes::Broadcast,
    .doc = "The bits in which x and y differ, with broadcasting.",
};

MR_OP(Invert){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = kIntegers,
    .law = Law::kUndoesItself,
    .shape = shapes::Unchanged,
    .doc = "Inverts every bit of x.",
};

MR_OP(PopulationCount){
    .inputs = "x: T",
    .outputs = "y: uint8",
    .attrs = kIntegers,
    .shape = shapes::Unchanged,
    .doc = "Counts the bits of x that are set.",
};

}  // namespace millrace::ops
