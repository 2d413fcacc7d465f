#include <algorithm>

#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(BroadcastGradientArgs){
    .inputs = "s0: T, s1: T",
    .outputs = "r0: T, r1: T",
    .attrs = R"(T: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      for (int i = 0; i < 2; ++i) {
        MR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
        c.set_output(i, VectorShape());
      }
      return OkStatus();
    },
    .doc =
        "The dimensions over which the gradient of a broadcasting op is "
        "summed, for shapes `s0` "
        "and `s1` of its inputs.",
};

MR_OP(BroadcastArgs){
    .inputs = "s0: T, s1: T",
    .outputs = "r0: T",
    .attrs = R"(T: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      int64_t length = 0;
      for (int i = 0; i < 2; ++i) {
        MR_ASSIGN_OR_RETURN(PartialShape s, c.WithRank(i, 1));
        const int64_t n = s.dim(0);
        length = n == kUnknownDim || length == kUnknownDim
                     ? kUnknownDim
                     : std::max(length, n);
      }
      return c.Return(VectorShape(length));
    },
    .doc =
        "The shape that broadcasting tensors of the shapes `s0` and `s1` "
        "gives.",
};

}  // namespace millrace::ops
