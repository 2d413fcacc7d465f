#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Affine){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {float, double}; scale: float = 1.0; offset: float = 0.0",
    .shape = shapes::Unchanged,
    .doc = "scale * x + offset, element by element.",
};

}  // namespace millrace::ops
