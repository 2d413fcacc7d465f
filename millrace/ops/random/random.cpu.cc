#include <algorithm>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/distributions.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// A run takes 256 results of the stream for each output, as stock does; so
// truncated numbers, which need an unknown amount, have enough, and the next
// run starts where stock's does.
constexpr uint64_t kReservedPerOutput = 256;

// Uniform and normal numbers: `kGroup` outputs from each result of Philox.
template <class T>
struct Uniform {
  static constexpr int kGroup = 4;
  static void Fill(const Philox4x32::Result& r, T* out) {
    for (int i = 0; i < 4; ++i) {
      if constexpr (std::is_same_v<T, float>) {
        out[i] = UniformFloat(r[i]);
      } else if constexpr (std::is_same_v<T, Half>) {
        out[i] = UniformHalf(r[i]);
      } else {
        out[i] = UniformBfloat16(r[i]);
      }
    }
  }
};
template <>
struct Uniform<double> {
  static constexpr int kGroup = 2;
  static void Fill(const Philox4x32::Result& r, double* out) {
    out[0] = UniformDouble(r[0], r[1]);
    out[1] = UniformDouble(r[2], r[3]);
  }
};

template <class T>
struct Normal {
  static constexpr int kGroup = 4;
  static void Fill(const Philox4x32::Result& r, T* out) {
    for (int i = 0; i < 4; i += 2) {
      const FloatPair pair = NormalFloats(r[i], r[i + 1]);
      out[i] = static_cast<T>(pair.first);
      out[i + 1] = static_cast<T>(pair.second);
    }
  }
};
template <>
struct Normal<double> {
  static constexpr int kGroup = 2;
  static void Fill(const Philox4x32::Result& r, double* out) {
    const DoublePair pair = NormalDoubles(r[0], r[1], r[2], r[3]);
    out[0] = pair.first;
    out[1] = pair.second;
  }
};

// Fills groups [begin, end) of `size` outputs.
template <class D, class T>
void FillGroups(Philox4x32 generator, T* out, int64_t size, int64_t begin,
                int64_t end) {
  generator.Skip(static_cast<uint64_t>(begin));
  for (int64_t g = begin; g < end; ++g) {
    const int64_t at = g * D::kGroup;
    if (at + D::kGroup <= size) {
      D::Fill(generator(), out + at);
    } else {
      T last[D::kGroup];
      D::Fill(generator(), last);
      std::copy_n(last, size - at, out + at);
    }
  }
}

// Truncated numbers: each group of outputs draws, one number at a time, from a
// part of the stream of its own.
template <class T>
void FillTruncated(const Philox4x32& base, T* out, int64_t size, int64_t begin,
                   int64_t end) {
  constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  constexpr uint64_t kResultsPerGroup = kGroup * kReservedPerOutput / 4;
  for (int64_t g = begin; g < end; ++g) {
    Philox4x32 generator = base;
    generator.Skip(static_cast<uint64_t>(g) * kResultsPerGroup);
    SingleNumbers next(&generator);
    const int64_t first = g * kGroup;
    const int64_t last = std::min(size, first + kGroup);
    int64_t at = first;
    while (at < last) {
      double pair[2];
      if constexpr (std::is_same_v<T, double>) {
        const uint32_t a = next(), b = next(), c = next(), d = next();
        const DoublePair p = NormalDoubles(a, b, c, d);
        pair[0] = p.first;
        pair[1] = p.second;
      } else {
        const uint32_t a = next(), b = next();
        const FloatPair p = NormalFloats(a, b);
        pair[0] = p.first;
        pair[1] = p.second;
      }
      for (double x : pair) {
        if (std::abs(x) < kTruncateAt && at < last) {
          out[at++] = static_cast<T>(static_cast<ComputeType<T>>(x));
        }
      }
    }
  }
}

enum class Distribution { kUniform, kNormal, kTruncated };

template <Distribution kDistribution>
class RandomKernel {
 public:
  static StatusOr<RandomKernel> Make(const KernelInit& init) {
    RandomKernel k;
    MR_ASSIGN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(TensorShape shape, ShapeFromTensor(ctx.input(0)));
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, std::move(shape)));
    const int64_t size = out->num_elements();
    if (size == 0) return OkStatus();
    const Philox4x32 base =
        stream_->Reserve(static_cast<uint64_t>(size) * kReservedPerOutput);
    return Dispatch(FloatTypes{}, out->dtype(), [&]<class T>() -> Status {
      constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
      T* z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          (size + kGroup - 1) / kGroup,
          kDistribution == Distribution::kUniform ? 12 : 120,
          [&](int64_t begin, int64_t end) {
            if constexpr (kDistribution == Distribution::kUniform) {
              FillGroups<Uniform<T>>(base, z, size, begin, end);
            } else if constexpr (kDistribution == Distribution::kNormal) {
              FillGroups<Normal<T>>(base, z, size, begin, end);
            } else {
              FillTruncated(base, z, size, begin, end);
            }
          });
    });
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

class RandomUniformIntKernel {
 public:
  static StatusOr<RandomUniformIntKernel> Make(const KernelInit& init) {
    RandomUniformIntKernel k;
    MR_ASSIGN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(TensorShape shape, ShapeFromTensor(ctx.input(0)));
    for (int i : {1, 2}) {
      if (ctx.input(i).rank() != 0) {
        return InvalidArgument(i == 1 ? "minval" : "maxval",
                               " must be 0-D, got shape ",
                               ctx.input(i).shape().DebugString());
      }
    }
    const int64_t low = IntValues(ctx.input(1))[0];
    const int64_t high = IntValues(ctx.input(2))[0];
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, std::move(shape)));
    const int64_t size = out->num_elements();
    if (size == 0) return OkStatus();
    if (low >= high) {
      return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    }
    const Philox4x32 base =
        stream_->Reserve(static_cast<uint64_t>(size) * kReservedPerOutput);
    return Dispatch(IndexTypes{}, out->dtype(), [&]<class T>() -> Status {
      using U = std::make_unsigned_t<T>;
      constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
      const U first = static_cast<U>(low);
      const U range = static_cast<U>(high) - first;
      T* z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          (size + kGroup - 1) / kGroup, 20, [&](int64_t begin, int64_t end) {
            Philox4x32 generator = base;
            generator.Skip(static_cast<uint64_t>(begin));
            for (int64_t g = begin; g < end; ++g) {
              const Philox4x32::Result r = generator();
              for (int i = 0; i < kGroup && g * kGroup + i < size; ++i) {
                U bits;
                if constexpr (sizeof(T) == 8) {
                  bits = r[2 * i] | U{r[2 * i + 1]} << 32;
                } else {
                  bits = r[i];
                }
                z[g * kGroup + i] = static_cast<T>(first + bits % range);
              }
            }
          });
    });
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

class RandomShuffleKernel {
 public:
  static StatusOr<RandomShuffleKernel> Make(const KernelInit& init) {
    RandomShuffleKernel k;
    MR_ASSIGN(k.stream_, RandomStream::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor value = ctx.input(0);
    if (value.rank() == 0 || value.num_elements() <= 1 || value.dim(0) <= 1) {
      ctx.set_output(0, value);
      return OkStatus();
    }
    const int64_t rows = value.dim(0);
    const int64_t row_size = value.shape().NumElements(1, value.rank());
    std::vector<int64_t> order(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) order[i] = i;
    Philox4x32 generator =
        stream_->Reserve(static_cast<uint64_t>(rows - 1 + 3) / 4);
    SingleNumbers next(&generator);
    for (int64_t i = 0; i + 1 < rows; ++i) {
      std::swap(order[i], order[i + next() % static_cast<uint32_t>(rows - i)]);
    }
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, value.shape()));
    return DispatchBySize(value.dtype(), [&]<class T>() -> Status {
      const T* x = reinterpret_cast<const T*>(value.data());
      T* z = reinterpret_cast<T*>(out->mutable_data());
      for (int64_t i = 0; i < rows; ++i) {
        std::copy_n(x + order[i] * row_size, row_size, z + i * row_size);
      }
      return OkStatus();
    });
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

#define MR_RANDOM_TYPES "dtype: bfloat16, double, float, half"

}  // namespace
}  // namespace millrace::ops

using namespace millrace;
using namespace millrace::ops;

MR_KERNELS(RandomUniform,
           Cpu){{.types = MR_RANDOM_TYPES,
                 .make = MakeKernel<RandomKernel<Distribution::kUniform>>,
                 .host = "shape"}};
MR_KERNELS(RandomStandardNormal,
           Cpu){{.types = MR_RANDOM_TYPES,
                 .make = MakeKernel<RandomKernel<Distribution::kNormal>>,
                 .host = "shape"}};
MR_KERNELS(TruncatedNormal,
           Cpu){{.types = MR_RANDOM_TYPES,
                 .make = MakeKernel<RandomKernel<Distribution::kTruncated>>,
                 .host = "shape"}};
MR_KERNELS(RandomUniformInt, Cpu){{.make = MakeKernel<RandomUniformIntKernel>,
                                   .host = "shape, minval, maxval"}};
MR_KERNELS(RandomShuffle, Cpu){
    {.types = "T: bfloat16, bool, complex128, complex64, double, float, half, "
              "int16, int32, int64, int8, resource, string, uint16, uint32, "
              "uint64, uint8, variant",
     .make = MakeKernel<RandomShuffleKernel>}};
