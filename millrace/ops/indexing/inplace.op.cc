#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Completes the schema of an op that changes rows of its input.
consteval OpFields OfRows(OpFields fields) {
  fields.inputs = "x: T, i: int32, v: T";
  fields.outputs = "y: T";
  fields.attrs = "T: type";
  fields.shape = shapes::Unchanged;
  return fields;
}

}  // namespace

MR_OP(InplaceUpdate){OfRows({
    .doc =
        "`x` with row i[k] set to v[k], one after the other; numbers of rows "
        "count modulo those that there are. `x` itself stays as it is: its "
        "memory is taken over only where nobody else needs it.",
})};
MR_OP(InplaceAdd){OfRows({
    .doc = "`x` with v[k] added to row i[k]; see InplaceUpdate.",
})};
MR_OP(InplaceSub){OfRows({
    .doc = "`x` with v[k] subtracted from row i[k]; see InplaceUpdate.",
})};

}  // namespace millrace::ops
