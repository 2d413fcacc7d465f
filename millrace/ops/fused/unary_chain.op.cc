#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(_UnaryOpsComposition){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: {float, half, double}; op_names: list(string)",
    .shape = shapes::Unchanged,
    .doc =
        "The unary ops of these names, one after the other. Stock's graph "
        "rewriting makes it; clients never send it.",
};

}  // namespace millrace::ops
