// Schemas of ops that stock's graph rewriting makes; clients never send them.
#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"
#include "millrace/ops/convolution/conv.op.h"

namespace millrace::ops {
namespace {

Status FusedMatMulShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  MR_ASSIGN_OR_RETURN(const bool transpose_a, c.Attr<bool>("transpose_a"));
  MR_ASSIGN_OR_RETURN(const bool transpose_b, c.Attr<bool>("transpose_b"));
  MR_RETURN_IF_ERROR(ShapeContext::MergeDims(a.dim(transpose_a ? 0 : 1),
                                             b.dim(transpose_b ? 1 : 0))
                         .status());
  return c.Return({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
}

}  // namespace

#define MR_FUSED                                    \
  "fused_ops: list(string) = []; epsilon: float = " \
  "9.999999747378752e-05; leakyrelu_alpha: float = 0.2"

MR_OP(_FusedMatMul){
    .inputs = "a: T, b: T, args: num_args * T",
    .outputs = "product: T",
    .attrs =
        "transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, "
        "half, float}; num_args: int >= 0; " MR_FUSED,
    .shape = FusedMatMulShape,
    .doc =
        "MatMul, then the ops that fused_ops names: BiasAdd, Add, an "
        "activation.",
};
MR_OP(_FusedConv2D){
    .inputs =
        "input: T, filter: T, args: TArgs, host_args: num_host_args * float",
    .outputs = "output: T",
    .attrs =
        "T: {half, float, double, int8, qint8}; TArgs: list(type) >= 1; "
        "num_args: int >= 0; num_host_args: int >= 0 = 0; strides: list(int); "
        "padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) "
        "= []; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; "
        "filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'; dilations: "
        "list(int) = [1, 1, 1, 1]; use_cudnn_on_gpu: bool = true; " MR_FUSED,
    .shape = Conv2DShape,
    .doc =
        "Conv2D, then the ops that fused_ops names: BiasAdd or "
        "FusedBatchNorm, Add, an activation.",
};
MR_OP(_FusedDepthwiseConv2dNative){
    .inputs = "input: T, filter: T, args: num_args * T",
    .outputs = "output: T",
    .attrs =
        "T: {half, bfloat16, float, double}; num_args: int >= 0; strides: "
        "list(int); padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} "
        "= 'NHWC'; dilations: list(int) = [1, 1, 1, 1]; " MR_FUSED,
    .shape = DepthwiseConvShape,
    .doc =
        "DepthwiseConv2dNative, then the ops that fused_ops names: BiasAdd, "
        "Add, an activation.",
};
MR_OP(_FusedConv3D){
    .inputs = "input: T, filter: T, args: num_args * T",
    .outputs = "output: T",
    .attrs =
        "T: {bfloat16, half, float}; num_args: int >= 0; strides: list(int) "
        ">= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} = "
        "'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]; padding_list: "
        "list(int) = []; " MR_FUSED,
    .shape = Conv3DShape,
    .doc =
        "Conv3D, then the ops that fused_ops names: BiasAdd, Add, an "
        "activation.",
};

}  // namespace millrace::ops
