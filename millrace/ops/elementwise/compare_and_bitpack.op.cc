#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(CompareAndBitpack){
    .inputs = "input: T, threshold: T",
    .outputs = "output: uint8",
    .attrs = "T: {bool, half, float, double, int8, int16, int32, int64}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 1));
      MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
      if (!input.known_rank()) return c.Return(PartialShape());
      MR_ASSIGN_OR_RETURN(
          const int64_t bytes,
          ShapeContext::DivideDims(ShapeContext::Dim(input, -1), 8));
      MR_ASSIGN_OR_RETURN(PartialShape shape,
                          ShapeContext::ReplaceDim(input, -1, bytes));
      return c.Return(std::move(shape));
    },
    .doc =
        "Whether elements are greater than `threshold`, as bits: eight "
        "neighbours along the last dimension are a byte, the first of them its "
        "highest bit.",
};

}  // namespace millrace::ops
