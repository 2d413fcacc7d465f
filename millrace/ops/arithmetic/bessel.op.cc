#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(BesselI0e){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {bfloat16, half, float, double}",
    .shape = shapes::Unchanged,
    .doc =
        "exp(-|x|) times the modified Bessel function of the first kind of "
        "order 0.",
};

MR_OP(BesselI1e){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {bfloat16, half, float, double}",
    .shape = shapes::Unchanged,
    .doc =
        "exp(-|x|) times the modified Bessel function of the first kind of "
        "order 1.",
};

}  // namespace millrace::ops
