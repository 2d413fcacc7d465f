// Kernels of QuantizedMatMulWithBias and its fused forms.
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/quantize/byte_product.h"
#include "millrace/ops/quantize/matrix_rows.h"
#include "millrace/ops/quantize_fused/finish.h"

namespace millrace::ops {
namespace {

enum class ProductActivation { kNone, kRelu };

template <ProductActivation kActivation>
class FusedMatMulKernel {
 public:
  static StatusOr<FusedMatMulKernel> Make(const KernelInit& init) {
    FusedMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    MR_ASSIGN_OR_RETURN(const auto mode,
                        init.Attr<std::string>("input_quant_mode"));
    k.min_first_ = mode == "MIN_FIRST";
    k.requantizes_ = init.output_type(0) == DataType::kQuint8;
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    if (a.rank() != 2) return InvalidArgument("In[0] is not a matrix");
    if (b.rank() != 2) return InvalidArgument("In[1] is not a matrix");
    const int64_t k = a.dim(transpose_a_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument(
          "Matrix size-incompatible: In[0]: ", a.shape().DebugString(),
          ", In[1]: ", b.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(const Range range_a, RangeInput(ctx, 3, 4));
    MR_ASSIGN_OR_RETURN(const Range range_b, RangeInput(ctx, 5, 6));
    const int64_t m = a.dim(transpose_a_ ? 1 : 0);
    const int64_t n = b.dim(transpose_b_ ? 0 : 1);
    const float step_a = min_first_ ? SpreadStep(range_a, DataType::kQuint8)
                                    : SymmetricStep(range_a, DataType::kQuint8);
    const float step_b = SymmetricStep(range_b, DataType::kQint8);
    Range out_range;
    MR_ASSIGN_OR_RETURN(out_range, OutRange(ctx, range_a, range_b));
    FinishSpec spec;
    spec.relu = kActivation == ProductActivation::kRelu;
    spec.out_step = requantizes_ ? SymmetricStep(out_range, DataType::kQuint8)
                                 : step_a * step_b;
    const int64_t sizes[] = {m, n};
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(sizes));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(SetRange(ctx, 1, out_range));
    if (ctx.input(2).rank() != 1 || ctx.input(2).dim(0) != n) {
      return InvalidArgument("bias must be a vector of ", n,
                             " numbers, but has shape ",
                             ctx.input(2).shape().DebugString());
    }
    if (out->num_elements() == 0) return OkStatus();
    spec.scales.assign(static_cast<size_t>(n), step_a * step_b);
    MR_RETURN_IF_ERROR(ReadBias(ctx, 2, &spec));

    const ColumnMatrix columns{b, k, n, transpose_b_};
    if (min_first_ && range_a.min != 0) {
      // Each number of a stands for its step plus the start of the range.
      MR_ASSIGN_OR_RETURN(const CountedVector<int32_t> sums,
                          product_.ColumnSums(ctx, columns));
      for (size_t j = 0; j < sums.size(); ++j) {
        spec.bias[j] += range_a.min * step_b * static_cast<float>(sums[j]);
      }
    }
    Tensor temporary;
    auto* sums = reinterpret_cast<int32_t*>(out->mutable_data());
    if (requantizes_) {
      MR_ASSIGN_OR_RETURN(temporary, ctx.AllocateTemp(DataType::kInt32, shape));
      sums = temporary.mutable_flat<int32_t>().data();
    }
    const MatrixRows rows(reinterpret_cast<const uint8_t*>(a.data()), m, k,
                          transpose_a_);
    MR_RETURN_IF_ERROR(product_.Run(ctx, m, rows, 0, columns, 0, sums));
    return FinishSums(ctx, spec, sums, out);
  }

 private:
  // Returns the range that is asked for, or that qint32 spans.
  StatusOr<Range> OutRange(KernelContext& ctx, Range a, Range b) const {
    if (requantizes_) return RangeInput(ctx, 7, 8);
    const float step =
        SpreadStep(a, DataType::kQuint8) * SpreadStep(b, DataType::kQint8);
    return Range{step * -0x1p31f, step * 0x1p31f};
  }

  bool transpose_a_ = false, transpose_b_ = false;
  bool min_first_ = true, requantizes_ = false;
  ByteProduct product_;
};

}  // namespace

MR_KERNELS(QuantizedMatMulWithBias, Cpu){
    {.types = "T1: quint8; T2: qint8; Toutput: qint32",
     .make = MakeKernel<FusedMatMulKernel<ProductActivation::kNone>>}};
MR_KERNELS(QuantizedMatMulWithBiasAndRelu, Cpu){
    {.types = "T1: quint8; T2: qint8; Toutput: qint32",
     .make = MakeKernel<FusedMatMulKernel<ProductActivation::kRelu>>}};
MR_KERNELS(QuantizedMatMulWithBiasAndReluAndRequantize, Cpu){
    {.types = "T1: quint8; T2: qint8; Toutput: quint8",
     .make = MakeKernel<FusedMatMulKernel<ProductActivation::kRelu>>}};

}  // namespace millrace::ops
