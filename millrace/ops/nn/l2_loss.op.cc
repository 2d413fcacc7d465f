#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(L2Loss){
    .inputs = "t: T",
    .outputs = "output: T",
    .attrs = "T: {half, bfloat16, float, double}",
    .shape = shapes::Scalar,
    .doc = "sum(t^2) / 2.",
};

}  // namespace millrace::ops
