#include "millrace/ops/variant/list_shapes.op.h"

namespace millrace::ops {

const HandleShape* ElementsOf(ShapeContext& c, int i) {
  const std::vector<HandleShape>& handles = c.input_handles(i);
  return handles.size() == 1 ? &handles[0] : nullptr;
}

Status ReturnList(ShapeContext& c, DataType dtype, PartialShape element) {
  c.set_output_handles(0, {{dtype, std::move(element)}});
  return c.Return(PartialShape({}));
}

StatusOr<PartialShape> MergeElements(ShapeContext& c, PartialShape element) {
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("element_dtype"));
  const HandleShape* const elements = ElementsOf(c);
  if (elements == nullptr) return element;
  if (elements->dtype != dtype) {
    return InvalidArgument("Expected list with element dtype ",
                           DataTypeName(dtype), " but got list with element ",
                           "dtype ", DataTypeName(elements->dtype));
  }
  return ShapeContext::MergeShapes(elements->shape, element);
}

}  // namespace millrace::ops
