#include "millrace/ops/product/matmul.op.h"

#include "millrace/graph/op_decl.h"
#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

template <int kRanges>
Status FusedMatMulShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(MatMulShape(c));
  MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  MR_RETURN_IF_ERROR(RequireScalars(c, 3, 3 + kRanges));
  SetScalars(c, 1, 3);
  return OkStatus();
}

}  // namespace

#define MR_MATMUL_INPUTS(bias) \
  "a: T1, b: T2, bias: " bias  \
  ", min_a: float, max_a: float, min_b: float, max_b: float"
#define MR_MATMUL_OUTPUTS "out: Toutput, min_out: float, max_out: float"
#define MR_MATMUL_ATTRS(more, out)                           \
  "T1: quantizedtype; T2: quantizedtype; " more              \
  "Toutput: quantizedtype = " out                            \
  "; transpose_a: bool = false; transpose_b: bool = false; " \
  "input_quant_mode: {'MIN_FIRST', 'SCALED'} = 'MIN_FIRST'"

MR_OP(QuantizedMatMulWithBias){
    .inputs = MR_MATMUL_INPUTS("Tbias"),
    .outputs = MR_MATMUL_OUTPUTS,
    .attrs = MR_MATMUL_ATTRS("Tbias: {float, qint32}; ", "qint32"),
    .shape = FusedMatMulShape<4>,
    .doc = "The product of matrices of quantized numbers, and a bias.",
};
MR_OP(QuantizedMatMulWithBiasAndRelu){
    .inputs = MR_MATMUL_INPUTS("float"),
    .outputs = MR_MATMUL_OUTPUTS,
    .attrs = MR_MATMUL_ATTRS("", "qint32"),
    .shape = FusedMatMulShape<4>,
    .doc = "Relu of QuantizedMatMulWithBias.",
};
MR_OP(QuantizedMatMulWithBiasAndReluAndRequantize){
    .inputs = MR_MATMUL_INPUTS(
        "Tbias") ", min_freezed_output: float, max_freezed_output: float",
    .outputs = MR_MATMUL_OUTPUTS,
    .attrs = MR_MATMUL_ATTRS("Tbias: {float, qint32}; ", "quint8"),
    .shape = FusedMatMulShape<6>,
    .doc = "Relu of QuantizedMatMulWithBias as bytes of the given range.",
};

}  // namespace millrace::ops
