#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status MergeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(shapes::Join(c));
  c.set_output(1, PartialShape({}));
  return OkStatus();
}

}  // namespace

MR_OP(Merge){
    .inputs = "inputs: N * T",
    .outputs = "output: T, value_index: int32",
    .attrs = "T: type; N: int >= 1",
    .role = OpRole::kMerge,
    .shape = MergeShape,
    .doc = "Passes on the first of its inputs that is alive, and its number.",
};

MR_OP(RefMerge){
    .inputs = "inputs: N * Ref(T)",
    .outputs = "output: Ref(T), value_index: int32",
    .attrs = "T: type; N: int >= 1",
    .role = OpRole::kMerge,
    .shape = MergeShape,
    .doc = "Merge for references.",
};

}  // namespace millrace::ops
