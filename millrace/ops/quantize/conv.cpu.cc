// Kernel of QuantizedConv2D: a product of the windows of images, one for each
// row, with the filters, one for each column.
#include <algorithm>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/quantize/byte_product.h"
#include "millrace/ops/quantize/range.h"
#include "millrace/ops/quantize/window_rows.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Computes the convolution if the type has no number for 0, so that the padding
// could not be represented.
Status PlainConv(KernelContext& ctx, const ConvProblem& p, const uint8_t* x,
                 const uint8_t* filter, int32_t x_zero, int32_t filter_zero,
                 int32_t* out) {
  const Window &h = p.window[1], &w = p.window[2];
  const int64_t n = p.out_depth;
  return ctx.ParallelFor(
      p.batch * h.output * w.output, p.Taps() * p.in_depth * n + 1,
      [&](int64_t begin, int64_t end) {
        for (int64_t pixel = begin; pixel < end; ++pixel) {
          int32_t* to = out + pixel * n;
          std::fill(to, to + n, 0);
          const int64_t image = pixel / (h.output * w.output);
          const int64_t top = pixel / w.output % h.output * h.stride - h.before;
          const int64_t left = pixel % w.output * w.stride - w.before;
          for (int64_t tap = 0; tap < p.Taps(); ++tap) {
            const int64_t iy = top + tap / w.filter, ix = left + tap % w.filter;
            if (iy < 0 || iy >= h.input || ix < 0 || ix >= w.input) continue;
            const uint8_t* from =
                x + ((image * h.input + iy) * w.input + ix) * p.in_depth;
            for (int64_t c = 0; c < p.in_depth; ++c) {
              const uint32_t a = from[c] - static_cast<uint32_t>(x_zero);
              const uint8_t* f = filter + (tap * p.in_depth + c) * n;
              for (int64_t j = 0; j < n; ++j) {
                const uint32_t b = static_cast<uint32_t>(int32_t{f[j]}) -
                                   static_cast<uint32_t>(filter_zero);
                to[j] =
                    static_cast<int32_t>(static_cast<uint32_t>(to[j]) + a * b);
              }
            }
          }
        }
      });
}

class QuantizedConv2D {
 public:
  static StatusOr<QuantizedConv2D> Make(const KernelInit& init) {
    QuantizedConv2D k;
    const AttrMap& attrs = init.node().attrs;
    MR_ASSIGN_OR_RETURN(const auto strides, Int32ListOr(attrs, "strides", {}));
    if (strides.size() != 4) {
      return InvalidArgument(
          "Sliding window strides field must specify 4 dimensions");
    }
    if (strides[1] != strides[2]) {
      return InvalidArgument(
          "Current implementation only supports equal length strides in the "
          "row and column dimensions.");
    }
    if (strides[0] != 1 || strides[3] != 1) {
      return InvalidArgument(
          "Current implementation does not yet support strides in the batch "
          "and depth dimensions.");
    }
    MR_ASSIGN_OR_RETURN(const auto dilations,
                        Int32ListOr(attrs, "dilations", {}));
    if (dilations.size() != 4) {
      return InvalidArgument("Dilations field must specify 4 dimensions");
    }
    if (dilations[1] != 1 || dilations[2] != 1) {
      return InvalidArgument(
          "Current implementation only supports dilated rate as 1 in the row "
          "and column dimensions.");
    }
    if (dilations[0] != 1 || dilations[3] != 1) {
      return InvalidArgument(
          "Current implementation does not yet support dilations in the batch "
          "and depth dimensions.");
    }
    MR_ASSIGN_OR_RETURN(k.attrs_, ConvAttrs::Make(init, ConvKind::k2D));
    MR_ASSIGN_OR_RETURN(const auto padding, init.Attr<std::string>("padding"));
    k.is_valid_ = padding == "VALID";
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor &x = ctx.input(0), &filter = ctx.input(1);
    if (x.rank() != 4) {
      return InvalidArgument("input must be rank 4 but is rank ", x.rank());
    }
    if (filter.rank() != 4) {
      return InvalidArgument("filter must be rank 4 but is rank ",
                             filter.rank());
    }
    constexpr const char* kRanges[] = {"min_input", "max_input", "min_filter",
                                       "max_filter"};
    for (int i = 0; i < 4; ++i) {
      if (ctx.input(2 + i).rank() != 0) {
        return InvalidArgument(kRanges[i], " must be rank 0 but is rank ",
                               ctx.input(2 + i).rank());
      }
    }
    MR_ASSIGN_OR_RETURN(const Range range_x, RangeInput(ctx, 2, 3));
    MR_ASSIGN_OR_RETURN(const Range range_f, RangeInput(ctx, 4, 5));
    if (x.dim(3) != filter.dim(2)) {
      return InvalidArgument("input and filter must have the same depth: ",
                             x.dim(3), " vs ", filter.dim(2));
    }
    MR_ASSIGN_OR_RETURN(
        ConvProblem p,
        attrs_.Resolve(DataType::kQuint8, x.shape(), filter.shape()));
    // Stock centres windows even if they leave pixels over.
    for (Window* const w : {&p.window[1], &p.window[2]}) {
      const int64_t beyond = (w->output - 1) * w->stride + w->filter - w->input;
      w->before = (beyond + (is_valid_ ? 1 : 0)) / 2;
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, attrs_.OutputShape(p)));
    MR_RETURN_IF_ERROR(Convolve(ctx, p, range_x, range_f, out));
    return SetRange(ctx, 1, RangeOfProducts<Quint8, Quint8>(range_x, range_f));
  }

 private:
  Status Convolve(KernelContext& ctx, const ConvProblem& p, Range range_x,
                  Range range_f, Tensor* out) const {
    if (out->num_elements() == 0) return OkStatus();
    const auto* x = reinterpret_cast<const uint8_t*>(ctx.input(0).data());
    const auto* f = reinterpret_cast<const uint8_t*>(ctx.input(1).data());
    auto* z = reinterpret_cast<int32_t*>(out->mutable_data());
    const int32_t zero_x = ZeroOf<Quint8>(range_x);
    const int32_t zero_f = ZeroOf<Quint8>(range_f);
    if (zero_x < 0 || zero_x > 255) {
      return PlainConv(ctx, p, x, f, zero_x, zero_f, z);
    }
    const WindowRows<uint8_t> rows(p, x, static_cast<uint8_t>(zero_x));
    return product_.Run(ctx, p.batch * p.OutputPixels(), rows, zero_x,
                        {ctx.input(1), p.Taps() * p.in_depth, p.out_depth},
                        zero_f, z);
  }

  ConvAttrs attrs_;
  bool is_valid_ = false;
  ByteProduct product_;
};

}  // namespace

MR_KERNELS(QuantizedConv2D,
           Cpu){{.types = "Tinput: quint8; Tfilter: quint8; out_type: "
                          "qint32",
                 .make = MakeKernel<QuantizedConv2D>}};

}  // namespace millrace::ops
