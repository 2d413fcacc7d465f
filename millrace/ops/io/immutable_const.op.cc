#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(ImmutableConst){
    .outputs = "tensor: dtype",
    .attrs = "dtype: type; shape: shape; memory_region_name: string",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
      return c.Return(std::move(shape));
    },
    .doc =
        "A tensor of this type and shape whose elements are the first bytes of "
        "a file.",
};

}  // namespace millrace::ops
