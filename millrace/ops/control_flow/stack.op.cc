#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(StackV2){
    .inputs = "max_size: int32",
    .outputs = "handle: resource",
    .attrs = "elem_type: type; stack_name: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc =
        "A stack of tensors that lives for one step; max_size < 0: without "
        "bound. Gradients of loops keep values of the forward loop on it.",
};

MR_OP(StackPushV2){
    .inputs = "handle: resource, elem: T",
    .outputs = "output: T",
    .attrs = "T: type; swap_memory: bool = false",
    .flags = kStateful,
    .role = OpRole::kStackPush,
    .shape = [](ShapeContext& c) -> Status { return c.Return(c.input(1)); },
    .doc = "Puts `elem` on the stack and gives it on.",
};

MR_OP(StackPopV2){
    .inputs = "handle: resource",
    .outputs = "elem: elem_type",
    .attrs = "elem_type: type",
    .flags = kStateful,
    .role = OpRole::kStackPop,
    .shape = shapes::Unknown,
    .doc = "Takes the tensor that was put on the stack last.",
};

MR_OP(StackCloseV2){
    .inputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Frees what is on the stack; it takes nothing more.",
};

}  // namespace millrace::ops
