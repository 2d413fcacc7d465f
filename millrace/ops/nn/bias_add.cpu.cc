#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// A tensor is [outer, channels, inner].
struct Channels {
  int64_t outer = 1, channels = 1, inner = 1;
};

StatusOr<Channels> SplitChannels(const TensorShape& shape,
                                 bool channels_first) {
  if (shape.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: ",
                           shape.DebugString());
  }
  const int channel = channels_first ? 1 : shape.rank() - 1;
  return Channels{shape.NumElements(0, channel), shape.dim(channel),
                  shape.NumElements(channel + 1, shape.rank())};
}

StatusOr<bool> ChannelsFirst(const KernelInit& init) {
  if (!init.HasAttr("data_format")) return false;
  MR_ASSIGN_OR_RETURN(const std::string format,
                      init.Attr<std::string>("data_format"));
  return format == "NCHW";
}

struct AddOp {
  template <class T>
  static T Do(T x, T y) {
    return Plus(x, y);
  }
};
constexpr BinaryTable kAdd = MakeBinaryTable<AddOp>(NumberLoops());

class BiasAddKernel {
 public:
  static StatusOr<BiasAddKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const bool channels_first, ChannelsFirst(init));
    MR_ASSIGN_OR_RETURN(
        BinaryRunner add,
        BinaryRunner::Make(kAdd, init.input_type(0), init.output_type(0)));
    return BiasAddKernel(channels_first, std::move(add));
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& value = ctx.input(0);
    const Tensor& bias = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const Channels c,
                        SplitChannels(value.shape(), channels_first_));
    if (bias.rank() != 1) {
      return InvalidArgument("Biases must be 1D: ", bias.shape().DebugString());
    }
    if (bias.dim(0) != c.channels) {
      return InvalidArgument(
          "Must provide as many biases as the last dimension of the input "
          "tensor: ",
          bias.shape().DebugString(), " vs. ", value.shape().DebugString());
    }
    const size_t bytes = SizeOf(value.dtype());
    const char* x = value.data();
    const char* y = bias.data();
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.ForwardOrAllocateOutput({0}, 0, value.shape()));
    if (value.num_elements() == 0) return OkStatus();
    // The input may have moved into the output.
    char* z = out->mutable_data();
    if (!ctx.input(0).valid()) x = z;
    if (c.inner == 1) {
      return ctx.ParallelFor(c.outer, std::max<int64_t>(1, c.channels / 4),
                             [&](int64_t begin, int64_t end) {
                               for (int64_t i = begin; i < end; ++i) {
                                 const int64_t at = i * c.channels *
                                                    static_cast<int64_t>(bytes);
                                 add_.Run(BinaryRunner::Form::kVectorVector,
                                          x + at, y, z + at, c.channels);
                               }
                             });
    }
    return ctx.ParallelFor(
        c.outer * c.channels, std::max<int64_t>(1, c.inner / 4),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t at = i * c.inner * static_cast<int64_t>(bytes);
            add_.Run(BinaryRunner::Form::kVectorScalar, x + at,
                     y + (i % c.channels) * static_cast<int64_t>(bytes), z + at,
                     c.inner);
          }
        });
  }

 private:
  BiasAddKernel(bool channels_first, BinaryRunner add)
      : channels_first_(channels_first), add_(std::move(add)) {}
  bool channels_first_;
  BinaryRunner add_;
};

// Computes sums[c] += x[i, c] for rows of `channels` elements.
template <class T, class S>
void AddRows(const T* x, int64_t rows, int64_t channels, S* sums) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t c = 0; c < channels; ++c) {
      sums[c] = Plus(sums[c], static_cast<S>(x[i * channels + c]));
    }
  }
}
MR_TARGET_CLONES void AddFloatRows(const float* x, int64_t rows,
                                   int64_t channels, float* sums) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t c = 0; c < channels; ++c) sums[c] += x[i * channels + c];
  }
}

// Sums are made over pieces of rows, then over the pieces in order: the result
// has the same bits for any number of threads.
constexpr int64_t kRowsPerPiece = 1024;

class BiasAddGradKernel {
 public:
  static StatusOr<BiasAddGradKernel> Make(const KernelInit& init) {
    BiasAddGradKernel k;
    MR_ASSIGN_OR_RETURN(k.channels_first_, ChannelsFirst(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const Channels c,
                        SplitChannels(x.shape(), channels_first_));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape({c.channels})));
    return Dispatch(NumericTypes{}, x.dtype(), [&]<class T>() -> Status {
      if (x.num_elements() == 0) {
        std::fill_n(out->mutable_flat<T>().data(), out->num_elements(), T(0));
        return OkStatus();
      }
      return c.inner == 1 ? SumRows<T>(ctx, x, c, out)
                          : SumPlanes<T>(ctx, x, c, out);
    });
  }

 private:
  template <class T>
  static Status SumRows(KernelContext& ctx, const Tensor& x, const Channels& c,
                        Tensor* out) {
    using S = ComputeType<T>;
    const T* in = x.flat<T>().data();
    const int64_t pieces =
        std::max<int64_t>(1, (c.outer + kRowsPerPiece - 1) / kRowsPerPiece);
    // CheckedSize is not needed: there are no more sums than elements in the
    // input.
    CountedVector<S> sums(static_cast<size_t>(pieces * c.channels), S(0));
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        pieces, kRowsPerPiece * c.channels / 4 + 1,
        [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p) {
            const int64_t first = p * kRowsPerPiece;
            const int64_t rows = std::min(kRowsPerPiece, c.outer - first);
            S* sum = sums.data() + p * c.channels;
            if constexpr (std::is_same_v<T, float>) {
              AddFloatRows(in + first * c.channels, rows, c.channels, sum);
            } else {
              AddRows(in + first * c.channels, rows, c.channels, sum);
            }
          }
        }));
    T* z = out->mutable_flat<T>().data();
    for (int64_t i = 0; i < c.channels; ++i) {
      S total = sums[i];
      for (int64_t p = 1; p < pieces; ++p) {
        total = Plus(total, sums[p * c.channels + i]);
      }
      z[i] = static_cast<T>(total);
    }
    return OkStatus();
  }

  template <class T>
  static Status SumPlanes(KernelContext& ctx, const Tensor& x,
                          const Channels& c, Tensor* out) {
    using S = ComputeType<T>;
    const T* in = x.flat<T>().data();
    T* z = out->mutable_flat<T>().data();
    return ctx.ParallelFor(
        c.channels, c.outer * c.inner / 2 + 1, [&](int64_t begin, int64_t end) {
          for (int64_t channel = begin; channel < end; ++channel) {
            S total(0);
            for (int64_t n = 0; n < c.outer; ++n) {
              const T* plane = in + (n * c.channels + channel) * c.inner;
              S sum(0);
              for (int64_t i = 0; i < c.inner; ++i) {
                sum = Plus(sum, static_cast<S>(plane[i]));
              }
              total = Plus(total, sum);
            }
            z[channel] = static_cast<T>(total);
          }
        });
  }

  bool channels_first_ = false;
};

#define MR_BIAS_TYPES                                                \
  "T: bfloat16, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, uint16, uint32, uint64, uint8"

}  // namespace

MR_KERNELS(BiasAdd,
           Cpu){{.types = MR_BIAS_TYPES, .make = MakeKernel<BiasAddKernel>}};
MR_KERNELS(BiasAddV1,
           Cpu){{.types = MR_BIAS_TYPES, .make = MakeKernel<BiasAddKernel>}};
MR_KERNELS(BiasAddGrad, Cpu){
    {.types = MR_BIAS_TYPES, .make = MakeKernel<BiasAddGradKernel>}};

}  // namespace millrace::ops
