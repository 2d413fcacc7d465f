// Products with an epilogue, which stock's graph rewriting makes of several
// ops.
#include <string>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/math/matrix_product.h"
#include "millrace/ops/nn/conv_dnnl.h"
#include "millrace/ops/nn/epilogue.h"

namespace millrace::ops {
namespace {

class FusedMatMulKernel {
 public:
  static StatusOr<FusedMatMulKernel> Make(const KernelInit& init) {
    FusedMatMulKernel k;
    MR_ASSIGN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    MR_ASSIGN(k.epilogue_, Epilogue::Make(init, "MatMul", 2));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    for (int i = 0; i < 2; ++i) {
      MR_RETURN_IF_ERROR(ExpectMatrix(ctx.input(i), i));
    }
    MR_ASSIGN(const MatrixProblem p,
              ProblemOfMatrices(a, transpose_a_, b, transpose_b_));
    MR_ASSIGN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(p.k == 0 ? ZeroTensor(ctx, out)
                                : product_.Run(ctx, p, a.data(), b.data(),
                                               out->mutable_data()));
    return epilogue_.Run(ctx, out);
  }

 private:
  bool transpose_a_ = false, transpose_b_ = false;
  Epilogue epilogue_;
  MatrixProduct product_;
};

class FusedConvKernel {
 public:
  static StatusOr<FusedConvKernel> Make(const KernelInit& init) {
    FusedConvKernel k;
    MR_ASSIGN(const auto format, init.Attr<std::string>("data_format"));
    std::string filter_format = "HWIO";
    if (init.HasAttr("filter_format")) {
      MR_ASSIGN(filter_format, init.Attr<std::string>("filter_format"));
    }
    if ((format != "NHWC" && format != "NDHWC") || filter_format != "HWIO") {
      return Unimplemented(
          "Fused Conv implementation supports only the tensor formats NHWC and "
          "NDHWC: ",
          format, ", ", filter_format);
    }
    std::vector<int64_t> paddings;
    if (init.HasAttr("padding_list")) {
      MR_ASSIGN(paddings, init.Attr<std::vector<int64_t>>("padding_list"));
    }
    if (!paddings.empty()) {
      return Unimplemented("Fused Conv implementation has no padding_list");
    }
    MR_ASSIGN(k.attrs_, ConvAttrs::Make(init));
    MR_ASSIGN(k.epilogue_, Epilogue::Make(init, "Conv2D", 2));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    MR_ASSIGN(const ConvProblem p,
              attrs_.Resolve(input.dtype(), input.shape(), filter.shape()));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, attrs_.OutputShape(p)));
    if (out->num_elements() == 0) return OkStatus();
    if (p.MultiplyAdds() == 0) {
      MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    } else {
      const ConvData data{const_cast<char*>(input.data()),
                          const_cast<char*>(filter.data()),
                          out->mutable_data()};
      MR_RETURN_IF_ERROR(p.type == DataType::kDouble
                             ? RunPlainConv(ctx, ConvPass::kForward, p, data)
                             : conv_.Run(ctx, ConvPass::kForward, p, data));
    }
    return epilogue_.Run(ctx, out);
  }

 private:
  ConvAttrs attrs_;
  DnnlConv conv_;
  Epilogue epilogue_;
};

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(_FusedMatMul, Cpu){{.types = "T: float, half, bfloat16",
                               .make = MakeKernel<FusedMatMulKernel>}};
MR_KERNELS(_FusedConv2D, Cpu){
    {.types = "T: float, half, double", .make = MakeKernel<FusedConvKernel>}};
MR_KERNELS(_FusedDepthwiseConv2dNative, Cpu){
    {.types = "T: float, half, bfloat16", .make = MakeKernel<FusedConvKernel>}};
MR_KERNELS(_FusedConv3D, Cpu){
    {.types = "T: float, half, bfloat16", .make = MakeKernel<FusedConvKernel>}};
