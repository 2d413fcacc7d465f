#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Bucketize){
    .inputs = "input: T",
    .outputs = "output: int32",
    .attrs = "T: {int32, int64, float, double}; boundaries: list(float)",
    .shape = shapes::Unchanged,
    .doc =
        "Returns for each element the number of boundaries that are not above "
        "it. `boundaries` are sorted.",
};

}  // namespace millrace::ops
