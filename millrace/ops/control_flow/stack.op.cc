#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/queue/by_reference.op.h"

namespace millrace::ops {
namespace {

// Stacks of the first generation are named by two strings.
Status NamedStackShape(ShapeContext& c) { return c.Return(PartialShape({2})); }

Status CloseNamedStackShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape handle, c.WithRank(0, 1));
  return ShapeContext::WithValue(handle.dim(0), 2).status();
}

constexpr OpFields kPushOnStack = {
    .inputs = "handle: resource, elem: T",
    .outputs = "output: T",
    .attrs = "T: type; swap_memory: bool = false",
    .flags = kStateful,
    .role = OpRole::kStackPush,
    .shape = [](ShapeContext& c) -> Status { return c.Return(c.input(1)); },
    .doc = "Puts `elem` on the stack and gives it on.",
};

constexpr OpFields kPopFromStack = {
    .inputs = "handle: resource",
    .outputs = "elem: elem_type",
    .attrs = "elem_type: type",
    .flags = kStateful,
    .role = OpRole::kStackPop,
    .shape = shapes::Unknown,
    .doc = "Takes the tensor that was put on the stack last.",
};

constexpr OpFields kCloseStack = {
    .inputs = "handle: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Frees what is on the stack; it takes nothing more.",
};

}  // namespace

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

MR_OP(Stack){
    .outputs = "handle: Ref(string)",
    .attrs = "elem_type: type; stack_name: string = ''",
    .flags = kStateful,
    .shape = NamedStackShape,
    .doc = "StackV2 of the first generation, without bound.",
};

MR_OP(StackPushV2)(kPushOnStack);

MR_OP(StackPush)(ByReference<kPushOnStack>());

MR_OP(StackPopV2)(kPopFromStack);

MR_OP(StackPop)(ByReference<kPopFromStack>());

MR_OP(StackCloseV2)(kCloseStack);

MR_OP(StackClose)(ByReference<kCloseStack>(CloseNamedStackShape));

}  // namespace millrace::ops
