// Kernels of Fourier transforms on GPUs. Numbers of complex64 are computed as
// such, as in TensorFlow on GPUs, with roots of double.
#include "millrace/ops/signal/fft.h"

#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/signal/fourier.gpu.h"

MR_GPU_SOURCE(signal_fft);

namespace millrace::ops {
namespace {

// As in the device text.
struct FftDims {
  int64_t v[3] = {1, 1, 1};

  explicit FftDims(const DimVector& dims) {
    for (size_t i = 0; i < dims.size(); ++i) v[i + 3 - dims.size()] = dims[i];
  }
};

int64_t ProductOf(const DimVector& dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

template <FourierDirection kDirection, bool kReal, int kRank>
class FftGpu {
 public:
  static StatusOr<FftGpu> Make(const KernelInit& init) {
    FftGpu k;
    MR_RETURN_IF_ERROR(k.options_.CheckTypes(init));
    k.type_ = kDirection == FourierDirection::kInverse ? init.input_type(0)
                                                       : init.output_type(0);
    MR_ASSIGN_OR_RETURN(k.fourier_, GpuFourier::Make(init, k.type_));
    const auto load = [&](const char* entry, DataType type) {
      return LoadGpuFunction(init, MR_GPU_SOURCE_OF(signal_fft), entry,
                             {{"T", GpuTypeName(type)}});
    };
    MR_ASSIGN_OR_RETURN(k.load_, load("Load", init.input_type(0)));
    MR_ASSIGN_OR_RETURN(k.store_, load("Store", init.output_type(0)));
    if (kInverseReal) {
      MR_ASSIGN_OR_RETURN(k.extend_, load("Extend", init.input_type(0)));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const FftSizes sizes, options_.Plan(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, sizes.shape));
    if (out->num_elements() == 0) return OkStatus();
    if (ctx.input(0).num_elements() == 0) {
      return FillGpuBytes(ctx, GpuOutput(*out), 0,
                          static_cast<int64_t>(out->size_bytes()));
    }
    // Inverse transforms are those of conjugates, conjugated.
    MR_ASSIGN_OR_RETURN(
        Tensor array,
        Load(ctx, sizes, kInverseReal ? sizes.half : sizes.lengths));
    const size_t last = sizes.lengths.size() - 1;
    const int64_t length = sizes.lengths[last];
    const int64_t lines = sizes.batch * ProductOf(sizes.lengths) / length;
    if constexpr (kRealForward) {
      MR_RETURN_IF_ERROR(fourier_.Forward(ctx, lines, length, 1, &array));
      if (kRank > 1) {
        MR_ASSIGN_OR_RETURN(Tensor halves,
                            Allocate(ctx, lines * sizes.half[last]));
        MR_RETURN_IF_ERROR(
            Store(ctx, array, sizes.half[last], length, &halves));
        array = std::move(halves);
      }
    }
    for (size_t d = 0; d < last + (kReal ? 0 : 1); ++d) {
      MR_RETURN_IF_ERROR(Transform(ctx, sizes, d, &array));
    }
    if constexpr (kInverseReal) {
      MR_ASSIGN_OR_RETURN(Tensor whole, Allocate(ctx, lines * length));
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, extend_, GridOver(lines * length),
                                   GpuInput(array), GpuOutput(whole),
                                   lines * length, length, sizes.half[last]));
      array = std::move(whole);
      MR_RETURN_IF_ERROR(fourier_.Forward(ctx, lines, length, 1, &array));
    }
    const int64_t row = sizes.shape.dim(sizes.shape.rank() - 1);
    return Store(ctx, array, row, kRealForward && kRank == 1 ? length : row,
                 out);
  }

 private:
  static constexpr bool kInverse = kDirection == FourierDirection::kInverse;
  static constexpr bool kInverseReal = kReal && kInverse;
  static constexpr bool kRealForward = kReal && !kInverse;

  StatusOr<Tensor> Allocate(KernelContext& ctx, int64_t n) const {
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make({n}));
    return ctx.AllocateTemp(type_, shape);
  }

  // Returns the input as an array [batch, dims], scaled as the result is.
  StatusOr<Tensor> Load(KernelContext& ctx, const FftSizes& sizes,
                        const DimVector& dims) const {
    const int64_t count = sizes.batch * ProductOf(dims);
    MR_ASSIGN_OR_RETURN(Tensor array, Allocate(ctx, count));
    const double scale =
        kInverse ? 1 / static_cast<double>(ProductOf(sizes.lengths)) : 1;
    const auto launch = [&](auto of_type) {
      return LaunchGpu(ctx, load_, GridOver(count), GpuInput(ctx.input(0)),
                       GpuOutput(array), count, FftDims(dims),
                       FftDims(sizes.in), of_type, kInverse);
    };
    MR_RETURN_IF_ERROR(type_ == DataType::kComplex128
                           ? launch(scale)
                           : launch(static_cast<float>(scale)));
    return array;
  }

  // Transforms along dimension `d` of an array [batch, half], which is not the
  // last one of real transforms.
  Status Transform(KernelContext& ctx, const FftSizes& sizes, size_t d,
                   Tensor* array) const {
    int64_t outer = sizes.batch, inner = 1;
    for (size_t i = 0; i < d; ++i) outer *= sizes.half[i];
    for (size_t i = d + 1; i < sizes.half.size(); ++i) inner *= sizes.half[i];
    return fourier_.Forward(ctx, outer, sizes.half[d], inner, array);
  }

  // Writes the first `row` elements of lines.
  Status Store(KernelContext& ctx, const Tensor& array, int64_t row,
               int64_t length, Tensor* out) const {
    const int64_t count = out->num_elements();
    return LaunchGpu(ctx, store_, GridOver(count), GpuInput(array),
                     GpuOutput(*out), count, row, length, kInverse);
  }

  const FftOptions options_{kDirection, kReal, kRank};
  DataType type_ = DataType::kInvalid;
  GpuFourier fourier_;
  GpuFunction load_, store_, extend_;
};

constexpr FourierDirection kForwards = FourierDirection::kForward;
constexpr FourierDirection kBackwards = FourierDirection::kInverse;
template <FourierDirection kDirection, int kRank>
constexpr KernelEntry kComplexOnGpu = {
    .make = MakeKernel<FftGpu<kDirection, false, kRank>>};
template <FourierDirection kDirection, int kRank>
constexpr KernelEntry kRealOnGpu = {
    .make = MakeKernel<FftGpu<kDirection, true, kRank>>, .host = "fft_length"};

}  // namespace

MR_KERNELS(FFT, Gpu){kComplexOnGpu<kForwards, 1>};
MR_KERNELS(IFFT, Gpu){kComplexOnGpu<kBackwards, 1>};
MR_KERNELS(FFT2D, Gpu){kComplexOnGpu<kForwards, 2>};
MR_KERNELS(IFFT2D, Gpu){kComplexOnGpu<kBackwards, 2>};
MR_KERNELS(FFT3D, Gpu){kComplexOnGpu<kForwards, 3>};
MR_KERNELS(IFFT3D, Gpu){kComplexOnGpu<kBackwards, 3>};
MR_KERNELS(RFFT, Gpu){kRealOnGpu<kForwards, 1>};
MR_KERNELS(IRFFT, Gpu){kRealOnGpu<kBackwards, 1>};
MR_KERNELS(RFFT2D, Gpu){kRealOnGpu<kForwards, 2>};
MR_KERNELS(IRFFT2D, Gpu){kRealOnGpu<kBackwards, 2>};
MR_KERNELS(RFFT3D, Gpu){kRealOnGpu<kForwards, 3>};
MR_KERNELS(IRFFT3D, Gpu){kRealOnGpu<kBackwards, 3>};

}  // namespace millrace::ops
