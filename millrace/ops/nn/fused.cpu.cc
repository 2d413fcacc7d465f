// Products with an epilogue, which stock's graph rewriting makes of several
// ops.
#include <cstring>
#include <string>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/math/matrix_product.h"
#include "millrace/ops/nn/conv_dnnl.h"
#include "millrace/ops/nn/epilogue.h"

namespace millrace::ops {
namespace {

Status FillZeros(Tensor* t) {
  std::memset(t->mutable_data(), 0, t->size_bytes());
  return OkStatus();
}

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
      if (ctx.input(i).rank() != 2) {
        return InvalidArgument("In[", i, "] is not a matrix. Instead it has ",
                               "shape ", ctx.input(i).shape().DebugString());
      }
    }
    MatrixProblem p;
    p.type = a.dtype();
    p.transpose_a = transpose_a_;
    p.transpose_b = transpose_b_;
    p.m = a.dim(transpose_a_ ? 1 : 0);
    p.k = a.dim(transpose_a_ ? 0 : 1);
    p.n = b.dim(transpose_b_ ? 0 : 1);
    if (p.k != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument(
          "Matrix size-incompatible: In[0]: ", a.shape().DebugString(),
          ", In[1]: ", b.shape().DebugString());
    }
    MR_ASSIGN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(p.k == 0 ? FillZeros(out)
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
      MR_RETURN_IF_ERROR(FillZeros(out));
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
