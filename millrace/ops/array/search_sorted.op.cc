#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Completes the schema of a search in sorted rows.
consteval OpFields OfSortedRows(OpFields fields) {
  fields.inputs = "sorted_inputs: T, values: T";
  fields.outputs = "output: out_type";
  fields.attrs = R"(T: type; out_type: {int32, int64} = "int32")";
  fields.shape = [](ShapeContext& c) -> Status {
    MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
    MR_RETURN_IF_ERROR(c.WithRank(1, 2).status());
    return c.Return(c.input(1));
  };
  return fields;
}

}  // namespace

MR_OP(LowerBound){OfSortedRows({
    .doc =
        "For each value the number of elements in its row of `sorted_inputs` "
        "that are less.",
})};
MR_OP(UpperBound){OfSortedRows({
    .doc =
        "For each value the number of elements in its row of `sorted_inputs` "
        "that are not greater.",
})};

}  // namespace millrace::ops
