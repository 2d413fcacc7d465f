// Schemas of ops on tensors of lists.
#include "millrace/ops/variant/list_shapes.op.h"

namespace millrace::ops {
namespace {

Status PushBatchShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape t, c.WithRankAtLeast(1, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape row, ShapeContext::Subshape(t, 1));
  MR_RETURN_IF_ERROR(MergeElements(c, row).status());
  MR_ASSIGN_OR_RETURN(const PartialShape lists, c.WithRank(0, 1));
  c.set_output_handles(0, c.input_handles(0));
  return c.Return(lists);
}

Status ConcatListsShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  MR_ASSIGN_OR_RETURN(PartialShape lists,
                      ShapeContext::MergeShapes(c.input(0), c.input(1)));
  PartialShape element;
  for (int i = 0; i < 2; ++i) {
    const HandleShape* const elements = ElementsOf(c, i);
    if (elements == nullptr) continue;
    if (elements->dtype != dtype) {
      return InvalidArgument("Expected list with element dtype ",
                             DataTypeName(dtype), " but got list with element ",
                             "dtype ", DataTypeName(elements->dtype));
    }
    MR_ASSIGN_OR_RETURN(element,
                        ShapeContext::MergeShapes(element, elements->shape));
  }
  c.set_output_handles(0, {{dtype, std::move(element)}});
  return c.Return(std::move(lists));
}

}  // namespace

MR_OP(TensorListConcatLists){
    .inputs = "input_a: variant, input_b: variant",
    .outputs = "output: variant",
    .attrs = "element_dtype: type",
    .shape = ConcatListsShape,
    .doc = "The elements of one list and then those of another.",
};

MR_OP(TensorListPushBackBatch){
    .inputs = "input_handles: variant, tensor: element_dtype",
    .outputs = "output_handles: variant",
    .attrs = "element_dtype: type",
    .shape = PushBatchShape,
    .doc = "Each list with its row of `tensor` as one more element.",
};

}  // namespace millrace::ops
