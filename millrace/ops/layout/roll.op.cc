#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Roll){
    .inputs = "input: T, shift: Tshift, axis: Taxis",
    .outputs = "output: T",
    .attrs = "T: type; Tshift: {int32, int64}; Taxis: {int32, int64}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(0, 1));
      MR_ASSIGN_OR_RETURN(PartialShape shift, c.WithRankAtMost(1, 1));
      MR_ASSIGN_OR_RETURN(PartialShape axis, c.WithRankAtMost(2, 1));
      MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(shift, axis).status());
      return c.Return(std::move(in));
    },
    .doc =
        "Moves elements by `shift` places along the dimensions of `axis`; what "
        "leaves at one end "
        "enters at the other.",
};

}  // namespace millrace::ops
