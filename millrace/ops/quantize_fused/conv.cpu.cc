// Kernels of fused quantized convolutions: a product of the windows of images,
// one for each row, with the filters, one for each column; depthwise ones are
// computed by plain loops.
#include <algorithm>

#include "millrace/base/memory/checked_size.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/quantize/byte_product.h"
#include "millrace/ops/quantize/window_rows.h"
#include "millrace/ops/quantize_fused/finish.h"

namespace millrace::ops {
namespace {

Status DepthwiseSums(KernelContext& ctx, const ConvProblem& p, const uint8_t* x,
                     const int8_t* filter, int32_t* sums) {
  const int64_t n = p.out_depth, times = n / std::max<int64_t>(p.in_depth, 1);
  return ctx.ParallelFor(
      p.batch * p.OutputPixels(), p.Taps() * n + 1,
      [&](int64_t begin, int64_t end) {
        for (int64_t pixel = begin; pixel < end; ++pixel) {
          const WindowPlace place(p, pixel);
          int32_t* to = sums + pixel * n;
          std::fill(to, to + n, 0);
          for (int64_t tap = 0; tap < p.Taps(); ++tap) {
            const int64_t at = place.PixelAt(p, tap);
            if (at < 0) continue;
            for (int64_t j = 0; j < n; ++j) {
              const int32_t product =
                  int32_t{x[at * p.in_depth + j / times]} * filter[tap * n + j];
              to[j] = static_cast<int32_t>(static_cast<uint32_t>(to[j]) +
                                           static_cast<uint32_t>(product));
            }
          }
        }
      });
}

enum class Activation { kNone, kRelu };

template <ConvKind kKind, Activation kActivation>
class FusedConvKernel {
 public:
  static StatusOr<FusedConvKernel> Make(const KernelInit& init) {
    FusedConvKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, ConvAttrs::Make(init, kKind));
    MR_ASSIGN_OR_RETURN(k.paddings_,
                        IntListOr(init.node().attrs, "padding_list", {}));
    if (!k.paddings_.empty() && k.paddings_.size() != 8) {
      return InvalidArgument("padding_list must have 8 numbers, but has ",
                             k.paddings_.size());
    }
    for (const int64_t padding : k.paddings_) {
      if (padding < 0) {
        return InvalidArgument("padding_list must not be negative, but has ",
                               padding);
      }
    }
    const auto& inputs = init.node().op->inputs;
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
      const std::string& name = inputs[static_cast<size_t>(i)].name;
      if (name == "bias") k.bias_ = i;
      if (name == "min_input") k.range_ = i;
      if (name == "min_freezed_output") k.out_range_ = i;
      if (name == "summand") k.summand_ = i;
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor &x = ctx.input(0), &filter = ctx.input(1);
    MR_ASSIGN_OR_RETURN(
        ConvProblem p,
        attrs_.Resolve(DataType::kQuint8, x.shape(), filter.shape()));
    if (kKind == ConvKind::k2D && p.groups != 1) {
      return InvalidArgument("input and filter must have the same depth: ",
                             x.dim(3), " vs ", filter.dim(2));
    }
    MR_RETURN_IF_ERROR(PadExplicitly(&p));
    MR_ASSIGN_OR_RETURN(const Range range_x,
                        RangeInput(ctx, range_, range_ + 1));
    MR_RETURN_IF_ERROR(CheckFilterRanges(ctx, p.out_depth));
    FinishSpec spec;
    const TensorShape shape = attrs_.OutputShape(p);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out_range_ >= 0) {
      MR_ASSIGN_OR_RETURN(const Range r,
                          RangeInput(ctx, out_range_, out_range_ + 1));
      spec.out_step = SymmetricStep(r, out->dtype());
      MR_RETURN_IF_ERROR(SetRange(ctx, 1, r));
    } else {
      MR_RETURN_IF_ERROR(SetRangesOfSums(ctx));
    }
    MR_RETURN_IF_ERROR(ReadSummand(ctx, shape, &spec));
    // Without an element there may be any number of channels.
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(ReadScales(ctx, range_x, p.out_depth, &spec));
    Tensor temporary;
    auto* sums = reinterpret_cast<int32_t*>(out->mutable_data());
    if (out->dtype() != DataType::kQint32) {
      MR_ASSIGN_OR_RETURN(temporary, ctx.AllocateTemp(DataType::kInt32, shape));
      sums = temporary.mutable_flat<int32_t>().data();
    }
    MR_RETURN_IF_ERROR(ComputeSums(ctx, p, sums));
    return FinishSums(ctx, spec, sums, out);
  }

 private:
  // The paddings replace those of the attribute `padding`.
  Status PadExplicitly(ConvProblem* p) const {
    if (paddings_.empty()) return OkStatus();
    for (int i = 0; i < 2; ++i) {
      Window& w = p->window[1 + i];
      w.before = paddings_[static_cast<size_t>(2 + 2 * i)];
      w.after = paddings_[static_cast<size_t>(3 + 2 * i)];
      MR_ASSIGN_OR_RETURN(const int64_t rest,
                          (CheckedSize(w.input) + w.before + w.after - w.span())
                              .Get("the padded size"));
      w.output = rest / w.stride + 1;
    }
    const int64_t sizes[] = {p->batch, p->window[1].output, p->window[2].output,
                             p->out_depth};
    return TensorShape::Make(sizes).status();
  }

  // Returns the range of channel `i` of inputs `min` and `min` + 1.
  static Range RangeAt(const KernelContext& ctx, int min, int64_t i) {
    const auto at = [&](int input) {
      const Tensor& t = ctx.input(input);
      return t
          .flat<float>()[static_cast<size_t>(t.num_elements() == 1 ? 0 : i)];
    };
    return {at(min), at(min + 1)};
  }

  Status CheckFilterRanges(const KernelContext& ctx, int64_t depth) const {
    for (const int i : {range_ + 2, range_ + 3}) {
      const Tensor& t = ctx.input(i);
      if (t.rank() == 0) continue;
      if (t.rank() != 1 || (t.dim(0) != 1 && t.dim(0) != depth) ||
          t.dim(0) == 0) {
        return InvalidArgument(
            "min_filter and max_filter must be scalars or have ", depth,
            " numbers, but have shape ", t.shape().DebugString());
      }
    }
    return OkStatus();
  }

  Status ReadScales(KernelContext& ctx, Range range_x, int64_t depth,
                    FinishSpec* spec) const {
    const float step_x = SymmetricStep(range_x, ctx.input_type(0));
    float largest = 0;
    for (int64_t i = 0; i < depth; ++i) {
      spec->scales.push_back(step_x * SymmetricStep(RangeAt(ctx, range_ + 2, i),
                                                    DataType::kQint8));
      largest = std::max(largest, spec->scales.back());
    }
    if (out_range_ < 0) spec->out_step = largest;
    spec->relu = kActivation == Activation::kRelu;
    return bias_ < 0 ? OkStatus() : ReadBias(ctx, bias_, spec);
  }

  Status ReadSummand(KernelContext& ctx, const TensorShape& shape,
                     FinishSpec* spec) const {
    if (summand_ < 0) return OkStatus();
    const Tensor& summand = ctx.input(summand_);
    if (summand.shape() != shape) {
      return InvalidArgument("summand must have the shape of the output: ",
                             summand.shape().DebugString(), " vs. ",
                             shape.DebugString());
    }
    spec->summand = &summand;
    if (summand.dtype() == DataType::kFloat) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Range r,
                        RangeInput(ctx, summand_ + 1, summand_ + 2));
    spec->summand_step = SymmetricStep(r, summand.dtype());
    return OkStatus();
  }

  // Sets the ranges that qint32 spans, of each channel if filters have one.
  Status SetRangesOfSums(KernelContext& ctx) const {
    const float step_x = SpreadStep(RangeAt(ctx, range_, 0), ctx.input_type(0));
    const Tensor& mins = ctx.input(range_ + 2);
    const Tensor& longer =
        mins.num_elements() > 1 ? mins : ctx.input(range_ + 3);
    MR_ASSIGN_OR_RETURN(Tensor* const min,
                        ctx.AllocateOutput(1, longer.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const max,
                        ctx.AllocateOutput(2, longer.shape()));
    for (int64_t i = 0; i < longer.num_elements(); ++i) {
      const float step =
          step_x * SpreadStep(RangeAt(ctx, range_ + 2, i), DataType::kQint8);
      min->mutable_flat<float>()[static_cast<size_t>(i)] = step * -0x1p31f;
      max->mutable_flat<float>()[static_cast<size_t>(i)] = step * 0x1p31f;
    }
    return OkStatus();
  }

  Status ComputeSums(KernelContext& ctx, const ConvProblem& p,
                     int32_t* sums) const {
    const char* const x = ctx.input(0).data();
    if constexpr (kKind == ConvKind::kDepthwise) {
      const auto* f = reinterpret_cast<const int8_t*>(ctx.input(1).data());
      return DepthwiseSums(ctx, p, reinterpret_cast<const uint8_t*>(x), f,
                           sums);
    } else {
      // `zero` is the number of 0 in the rows.
      const auto multiply = [&](const RowSource& rows, int32_t zero) {
        return product_.Run(ctx, p.batch * p.OutputPixels(), rows, zero,
                            {ctx.input(1), p.Taps() * p.in_depth, p.out_depth},
                            0, sums);
      };
      if (ctx.input_type(0) == DataType::kQint8) {
        return multiply(
            WindowRows<int8_t>(p, reinterpret_cast<const int8_t*>(x), 0), 128);
      }
      return multiply(
          WindowRows<uint8_t>(p, reinterpret_cast<const uint8_t*>(x), 0), 0);
    }
  }

  ConvAttrs attrs_;
  std::vector<int64_t> paddings_;
  // Numbers of inputs; -1: the op has none.
  int bias_ = -1, range_ = 2, out_range_ = -1, summand_ = -1;
  ByteProduct product_;
};

template <Activation kActivation>
constexpr KernelMaker kFusedConv =
    MakeKernel<FusedConvKernel<ConvKind::k2D, kActivation>>;
template <Activation kActivation>
constexpr KernelMaker kFusedDepthwise =
    MakeKernel<FusedConvKernel<ConvKind::kDepthwise, kActivation>>;

}  // namespace

#define MR_UNSIGNED "Tinput: quint8; Tfilter: qint8; out_type: "
#define MR_EITHER "Tinput: quint8, qint8; Tfilter: qint8; out_type: "

MR_KERNELS(QuantizedConv2DPerChannel, Cpu){
    {.types = MR_UNSIGNED "qint32", .make = kFusedConv<Activation::kNone>}};
MR_KERNELS(QuantizedConv2DAndRelu, Cpu){
    {.types = MR_UNSIGNED "qint32", .make = kFusedConv<Activation::kRelu>}};
MR_KERNELS(QuantizedConv2DAndRequantize, Cpu){
    {.types = MR_UNSIGNED "qint8", .make = kFusedConv<Activation::kNone>}};
MR_KERNELS(QuantizedConv2DAndReluAndRequantize, Cpu){
    {.types = MR_UNSIGNED "quint8", .make = kFusedConv<Activation::kRelu>}};
MR_KERNELS(QuantizedConv2DWithBias, Cpu){
    {.types = MR_EITHER "qint32", .make = kFusedConv<Activation::kNone>}};
MR_KERNELS(QuantizedConv2DWithBiasAndRelu, Cpu){
    {.types = MR_EITHER "qint32", .make = kFusedConv<Activation::kRelu>}};
MR_KERNELS(QuantizedConv2DWithBiasAndRequantize, Cpu){
    {.types = MR_EITHER "qint8", .make = kFusedConv<Activation::kNone>}};
MR_KERNELS(QuantizedConv2DWithBiasAndReluAndRequantize, Cpu){
    {.types = MR_EITHER "quint8", .make = kFusedConv<Activation::kRelu>}};
MR_KERNELS(QuantizedConv2DWithBiasSumAndRelu, Cpu){
    {.types = MR_UNSIGNED "qint32", .make = kFusedConv<Activation::kRelu>}};
MR_KERNELS(QuantizedConv2DWithBiasSumAndReluAndRequantize,
           Cpu){{.types = MR_UNSIGNED "quint8; Tsummand: quint8",
                 .make = kFusedConv<Activation::kRelu>}};
MR_KERNELS(QuantizedConv2DWithBiasSignedSumAndReluAndRequantize,
           Cpu){{.types = MR_UNSIGNED "quint8; Tsummand: qint8",
                 .make = kFusedConv<Activation::kRelu>}};
MR_KERNELS(QuantizedDepthwiseConv2D,
           Cpu){{.types = MR_UNSIGNED "qint32",
                 .make = kFusedDepthwise<Activation::kNone>}};
MR_KERNELS(QuantizedDepthwiseConv2DWithBias,
           Cpu){{.types = MR_UNSIGNED "qint32",
                 .make = kFusedDepthwise<Activation::kNone>}};
MR_KERNELS(QuantizedDepthwiseConv2DWithBiasAndRelu,
           Cpu){{.types = MR_UNSIGNED "qint32",
                 .make = kFusedDepthwise<Activation::kRelu>}};
MR_KERNELS(QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize,
           Cpu){{.types = MR_UNSIGNED "quint8",
                 .make = kFusedDepthwise<Activation::kRelu>}};

}  // namespace millrace::ops
