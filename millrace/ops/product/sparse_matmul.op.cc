#include "millrace/graph/op_decl.h"
#include "millrace/ops/product/matmul.op.h"

namespace millrace::ops {

MR_OP(SparseMatMul){
    .inputs = "a: Ta, b: Tb",
    .outputs = "product: float",
    .attrs =
        "transpose_a: bool = false; transpose_b: bool = false; a_is_sparse: "
        "bool = false; b_is_sparse: bool = false; Ta: {float, bfloat16} = "
        "float; Tb: {float, bfloat16} = float",
    .shape = MatMulShape,
    .doc =
        "The product of two dense matrices, of which one may be said to hold "
        "many zeros; these are left out, even in products with numbers that "
        "are not finite.",
};

}  // namespace millrace::ops
