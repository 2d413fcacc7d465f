#include "millrace/graph/attr/int32_attr.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(OneHot){
    .inputs = "indices: TI, depth: int32, on_value: T, off_value: T",
    .outputs = "output: T",
    .attrs =
        R"(axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = "int64")",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(int64_t axis, c.Attr<int64_t>("axis"));
      MR_RETURN_IF_ERROR(CheckInt32Attr("axis", axis));
      if (axis < -1) return InvalidArgument("axis must be >= -1");
      MR_ASSIGN_OR_RETURN(int64_t depth, c.DimFromInput(1));
      MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
      MR_RETURN_IF_ERROR(c.WithRank(3, 0).status());
      const PartialShape& indices = c.input(0);
      if (!indices.known_rank()) return c.Return({});
      // The kernel reports an axis beyond the rank.
      const int at = axis == -1 || axis > indices.rank()
                         ? indices.rank()
                         : static_cast<int>(axis);
      return c.Return(Subshape(indices, 0, at)
                          .Concatenate(VectorShape(depth))
                          .Concatenate(Subshape(indices, at)));
    },
    .doc =
        "Along a new dimension `axis` of size `depth`: `on_value` at the place "
        "that the index "
        "names, `off_value` elsewhere (everywhere, for an index outside).",
};

}  // namespace millrace::ops
