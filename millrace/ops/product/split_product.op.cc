#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status PartsOfAnySize(ShapeContext&) { return OkStatus(); }

}  // namespace

MR_OP(_SplitProduct){
    .inputs = "a: T, b: T, bias: T, split_dim: int32",
    .outputs = "parts: num_split * T",
    .attrs =
        "T: {float}; num_split: int >= 1; transpose_a: bool = false; "
        "transpose_b: bool = false",
    .shape = PartsOfAnySize,
    .doc =
        "The product of two matrices plus a bias, cut into parts. Made by "
        "graph rewriting when a graph is compiled; no graph from outside has "
        "it.",
};

}  // namespace millrace::ops
