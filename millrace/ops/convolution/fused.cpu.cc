// Kernels of products with an epilogue, into which graph rewriting fuses
// several ops: a stock master's rewriting, or our own (pass/fuse_nodes.h).
#include <optional>
#include <string>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/convolution/conv_best.h"
#include "millrace/ops/convolution/epilogue.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

// Returns the kernels of the nodes that our own rewriting has fused. They run
// if shapes do not fit, which the rewriting cannot know, so that the errors are
// theirs.
StatusOr<std::optional<FusedKernels>> OwnNodes(const KernelInit& init) {
  std::optional<FusedKernels> nodes;
  if (init.node().fused != nullptr) {
    MR_ASSIGN_OR_RETURN(nodes, FusedKernels::Make(init));
  }
  return nodes;
}

// Returns INVALID_ARGUMENT unless the numbers of arguments that attributes of a
// node of stock's rewriting say are those that there are.
Status CheckArgumentCounts(const KernelInit& init) {
  if (init.node().fused != nullptr || !init.HasAttr("num_host_args")) {
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(const int args, init.Attr<int32_t>("num_args"));
  MR_ASSIGN_OR_RETURN(const int host, init.Attr<int32_t>("num_host_args"));
  if (int64_t{args} + host + 2 == init.num_inputs()) return OkStatus();
  return InvalidArgument(
      "Fused Conv2D must have the number of inputs equal to 2 + num_args + "
      "num_host_args but in fact the number of inputs is ",
      init.num_inputs(), " and num_args is ", args, " and num_host_args is ",
      host);
}

bool IsBias(const Tensor& t, int64_t channels) {
  return t.rank() == 1 && t.dim(0) == channels;
}

class FusedMatMulKernel {
 public:
  static StatusOr<FusedMatMulKernel> Make(const KernelInit& init) {
    FusedMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    MR_ASSIGN_OR_RETURN(k.epilogue_, Epilogue::Make(init, "MatMul", 2));
    MR_ASSIGN_OR_RETURN(k.nodes_, OwnNodes(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (nodes_ && !Fits(ctx)) return nodes_->RunOneByOne(ctx);
    MR_RETURN_IF_ERROR(ExpectMatrices(a, b));
    MR_ASSIGN_OR_RETURN(const MatrixProblem p,
                        ProblemOfMatrices(a, transpose_a_, b, transpose_b_));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(p.k == 0 ? ZeroTensor(ctx, out)
                                : product_.Run(ctx, p, a.data(), b.data(),
                                               out->mutable_data()));
    return epilogue_.Run(ctx, out);
  }

 private:
  bool Fits(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.rank() != 2 || b.rank() != 2) return false;
    const StatusOr<MatrixProblem> p =
        ProblemOfMatrices(a, transpose_a_, b, transpose_b_);
    return p.ok() && IsBias(ctx.input(2), p->n);
  }

  bool transpose_a_ = false, transpose_b_ = false;
  Epilogue epilogue_;
  std::optional<FusedKernels> nodes_;
  MatrixProduct product_;
};

template <ConvKind kKind>
class FusedConvKernel {
 public:
  static StatusOr<FusedConvKernel> Make(const KernelInit& init) {
    FusedConvKernel k;
    MR_ASSIGN_OR_RETURN(const auto format,
                        init.Attr<std::string>("data_format"));
    std::string filter_format = "HWIO";
    if (init.HasAttr("filter_format")) {
      MR_ASSIGN_OR_RETURN(filter_format,
                          init.Attr<std::string>("filter_format"));
    }
    if ((format != "NHWC" && format != "NDHWC") || filter_format != "HWIO") {
      return Unimplemented(
          "Fused Conv implementation supports only the tensor formats NHWC and "
          "NDHWC: ",
          format, ", ", filter_format);
    }
    std::vector<int64_t> paddings;
    if (init.HasAttr("padding_list")) {
      MR_ASSIGN_OR_RETURN(paddings,
                          init.Attr<std::vector<int64_t>>("padding_list"));
    }
    if (!paddings.empty()) {
      return Unimplemented("Fused Conv implementation has no padding_list");
    }
    MR_RETURN_IF_ERROR(CheckArgumentCounts(init));
    MR_ASSIGN_OR_RETURN(k.attrs_, ConvAttrs::Make(init, kKind));
    MR_ASSIGN_OR_RETURN(k.epilogue_, Epilogue::Make(init, "Conv2D", 2));
    MR_ASSIGN_OR_RETURN(k.nodes_, OwnNodes(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    const Tensor& filter = ctx.input(1);
    StatusOr<ConvProblem> resolved =
        attrs_.Resolve(input.dtype(), input.shape(), filter.shape());
    if (nodes_ && !Fits(ctx, resolved)) return nodes_->RunOneByOne(ctx);
    MR_ASSIGN_OR_RETURN(const ConvProblem p, std::move(resolved));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, attrs_.OutputShape(p)));
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
  bool Fits(KernelContext& ctx, const StatusOr<ConvProblem>& p) const {
    if (!p.ok()) return false;
    const TensorShape out = attrs_.OutputShape(*p);
    return IsBias(ctx.input(2), out.dim(out.rank() - 1));
  }

  ConvAttrs attrs_;
  BestConv conv_;
  Epilogue epilogue_;
  std::optional<FusedKernels> nodes_;
};

}  // namespace

MR_KERNELS(_FusedMatMul, Cpu){{.types = "T: float, half, bfloat16",
                               .make = MakeKernel<FusedMatMulKernel>}};
MR_KERNELS(_FusedConv2D,
           Cpu){{.types = "T: float, half, double",
                 .make = MakeKernel<FusedConvKernel<ConvKind::k2D>>}};
MR_KERNELS(_FusedDepthwiseConv2dNative,
           Cpu){{.types = "T: float, half, bfloat16",
                 .make = MakeKernel<FusedConvKernel<ConvKind::kDepthwise>>}};
MR_KERNELS(_FusedConv3D,
           Cpu){{.types = "T: float, half, bfloat16",
                 .make = MakeKernel<FusedConvKernel<ConvKind::k3D>>}};

}  // namespace millrace::ops
