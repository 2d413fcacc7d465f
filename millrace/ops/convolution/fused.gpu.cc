// Kernels of products with an epilogue for GPUs, as fused.cpu.cc has them for
// CPUs.
#include <string>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/convolution/conv_best.gpu.h"
#include "millrace/ops/convolution/depthwise.gpu.h"
#include "millrace/ops/convolution/epilogue.gpu.h"
#include "millrace/ops/fused/lazy_fused_kernels.h"
#include "millrace/ops/product/matrix_product.gpu.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

bool IsBiasOf(const Tensor& t, int64_t channels) {
  return t.rank() == 1 && t.dim(0) == channels;
}

Status ZeroOutput(KernelContext& ctx, Tensor& out) {
  return FillGpuBytes(ctx, GpuOutput(out), 0,
                      static_cast<int64_t>(out.size_bytes()));
}

class GpuFusedMatMulKernel {
 public:
  static StatusOr<GpuFusedMatMulKernel> Make(const KernelInit& init) {
    GpuFusedMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    MR_ASSIGN_OR_RETURN(k.epilogue_, GpuEpilogue::Make(init, "MatMul", 2));
    k.nodes_ = LazyFusedKernels::Of(init);
    k.product_ = GpuMatrixProduct(init, init.input_type(0));
    const EpilogueOps& ops = k.epilogue_.ops();
    // Not of Relu: the library's may make 0 of NaN, which ours keeps.
    if (ops.adds_bias && !ops.adds_tensor) {
      switch (ops.activation) {
        case Activation::kNone:
          k.library_epilogue_ = cuda::BlasEpilogue::kBias;
          break;
        case Activation::kGeluApproximate:
          k.library_epilogue_ = cuda::BlasEpilogue::kBiasGelu;
          break;
        default:
          break;
      }
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (nodes_ && !Fits(ctx)) return nodes_.RunOneByOne(ctx);
    MR_RETURN_IF_ERROR(ExpectMatrices(a, b));
    MR_ASSIGN_OR_RETURN(const MatrixProblem p,
                        ProblemOfMatrices(a, transpose_a_, b, transpose_b_));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    if (p.k == 0) {
      MR_RETURN_IF_ERROR(ZeroOutput(ctx, *out));
      return epilogue_.Run(ctx, /*channel_dim=*/1, out);
    }
    if (library_epilogue_ != cuda::BlasEpilogue::kNone) {
      MR_RETURN_IF_ERROR(
          epilogue_.ops().CheckArguments(ctx, out->dtype(), out->shape(), p.n));
      MR_ASSIGN_OR_RETURN(const bool done,
                          GpuMatrixProduct::RunWithEpilogue(
                              ctx, p, GpuInput(a), GpuInput(b), GpuOutput(*out),
                              {library_epilogue_, GpuInput(ctx.input(2))}));
      if (done) return OkStatus();
    }
    MR_RETURN_IF_ERROR(
        product_.Run(ctx, p, GpuInput(a), GpuInput(b), GpuOutput(*out)));
    return epilogue_.Run(ctx, /*channel_dim=*/1, out);
  }

 private:
  bool Fits(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.rank() != 2 || b.rank() != 2) return false;
    const StatusOr<MatrixProblem> p =
        ProblemOfMatrices(a, transpose_a_, b, transpose_b_);
    return p.ok() && IsBiasOf(ctx.input(2), p->n);
  }

  bool transpose_a_ = false, transpose_b_ = false;
  // The epilogue, if the library has it.
  cuda::BlasEpilogue library_epilogue_ = cuda::BlasEpilogue::kNone;
  GpuEpilogue epilogue_;
  // Run where shapes do not fit, so that the errors are theirs.
  LazyFusedKernels nodes_;
  GpuMatrixProduct product_;
};

template <ConvKind kKind>
class GpuFusedConvKernel {
 public:
  static StatusOr<GpuFusedConvKernel> Make(const KernelInit& init) {
    GpuFusedConvKernel k;
    MR_ASSIGN_OR_RETURN(const auto format,
                        init.Attr<std::string>("data_format"));
    std::string filter_format = "HWIO";
    if (init.HasAttr("filter_format")) {
      MR_ASSIGN_OR_RETURN(filter_format,
                          init.Attr<std::string>("filter_format"));
    }
    if (format == "NCHW_VECT_C" || filter_format != "HWIO") {
      return Unimplemented(
          "Fused Conv implementation supports only filters HWIO and images of "
          "whole channels: ",
          format, ", ", filter_format);
    }
    if (init.HasAttr("padding_list")) {
      MR_ASSIGN_OR_RETURN(const auto paddings,
                          init.Attr<std::vector<int64_t>>("padding_list"));
      if (!paddings.empty()) {
        return Unimplemented("Fused Conv implementation has no padding_list");
      }
    }
    MR_ASSIGN_OR_RETURN(k.attrs_, ConvAttrs::Make(init, kKind));
    MR_ASSIGN_OR_RETURN(k.epilogue_, GpuEpilogue::Make(init, "Conv2D", 2));
    k.nodes_ = LazyFusedKernels::Of(init);
    k.channels_first_ = format == "NCHW" || format == "NCDHW";
    const DataType type = init.output_type(0);
    if constexpr (kKind == ConvKind::kDepthwise) {
      k.conv_ =
          DepthwiseConv(init, type, ConvPass::kForward, k.channels_first_);
    } else {
      k.conv_ = GpuConv(init, type, ConvPass::kForward);
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    StatusOr<ConvProblem> resolved =
        attrs_.Resolve(input.dtype(), input.shape(), filter.shape());
    if (nodes_ &&
        !(resolved.ok() && IsBiasOf(ctx.input(2), resolved->out_depth))) {
      return nodes_.RunOneByOne(ctx);
    }
    MR_ASSIGN_OR_RETURN(const ConvProblem p, std::move(resolved));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, attrs_.OutputShape(p)));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(
        p.MultiplyAdds() == 0
            ? ZeroOutput(ctx, *out)
            : conv_.Run(ctx, p,
                        {GpuInput(input), GpuInput(filter), GpuOutput(*out)}));
    return epilogue_.Run(ctx, channels_first_ ? 1 : out->rank() - 1, out);
  }

 private:
  using Conv =
      std::conditional_t<kKind == ConvKind::kDepthwise, DepthwiseConv, GpuConv>;

  ConvAttrs attrs_;
  Conv conv_;
  GpuEpilogue epilogue_;
  // Run where shapes do not fit, so that the errors are theirs.
  LazyFusedKernels nodes_;
  bool channels_first_ = false;
};

}  // namespace

MR_KERNELS(_FusedMatMul, Gpu){{.types = "T: float, half, bfloat16",
                               .make = MakeKernel<GpuFusedMatMulKernel>}};
MR_KERNELS(_FusedConv2D,
           Gpu){{.types = "T: float, half, double",
                 .make = MakeKernel<GpuFusedConvKernel<ConvKind::k2D>>,
                 .host = "host_args"}};
MR_KERNELS(_FusedDepthwiseConv2dNative,
           Gpu){{.types = "T: float, half, bfloat16",
                 .make = MakeKernel<GpuFusedConvKernel<ConvKind::kDepthwise>>}};
MR_KERNELS(_FusedConv3D,
           Gpu){{.types = "T: float, half, bfloat16",
                 .make = MakeKernel<GpuFusedConvKernel<ConvKind::k3D>>}};

}  // namespace millrace::ops
