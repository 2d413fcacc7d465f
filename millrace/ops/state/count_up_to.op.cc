#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status CountShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return c.Return(PartialShape({}));
}

}  // namespace

MR_OP(CountUpTo){
    .inputs = "ref: Ref(T)",
    .outputs = "output: T",
    .attrs = "limit: int; T: {int32, int64}",
    .shape = CountShape,
    .doc =
        "Increments a scalar variable and gives its old value; OUT_OF_RANGE "
        "at `limit`.",
};

MR_OP(ResourceCountUpTo){
    .inputs = "resource: resource",
    .outputs = "output: T",
    .attrs = "limit: int; T: {int32, int64}",
    .flags = kStateful,
    .shape = [](ShapeContext& c) -> Status {
      return c.Return(PartialShape({}));
    },
    .doc = "CountUpTo for resource variables.",
};

}  // namespace millrace::ops
