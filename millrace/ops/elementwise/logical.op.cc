#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(LogicalNot){
    .inputs = "x: bool",
    .outputs = "y: bool",
    .law = Law::kUndoesItself,
    .shape = shapes::Unchanged,
    .doc = "not x.",
};

MR_OP(LogicalAnd){
    .inputs = "x: bool, y: bool",
    .outputs = "z: bool",
    .flags = kCommutative,
    .shape = shapes::Broadcast,
    .doc = "x and y, with broadcasting.",
};

MR_OP(LogicalOr){
    .inputs = "x: bool, y: bool",
    .outputs = "z: bool",
    .flags = kCommutative,
    .shape = shapes::Broadcast,
    .doc = "x or y, with broadcasting.",
};

}  // namespace millrace::ops
