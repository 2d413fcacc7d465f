#include "millrace/ops/random/fill.h"

#include <algorithm>
#include <type_traits>

#include "millrace/ops/random/distributions.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Uniform and normal numbers: each result of Philox gives `kGroup` outputs.
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

// Fills with truncated numbers: each group of outputs samples, one number at a
// time, from its own part of the stream.
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

template <class U>
void FillIntegerGroups(Philox4x32 generator, U low, U range, U* out,
                       int64_t size, int64_t begin, int64_t end) {
  constexpr int kGroup = sizeof(U) == 8 ? 2 : 4;
  generator.Skip(static_cast<uint64_t>(begin));
  for (int64_t g = begin; g < end; ++g) {
    const Philox4x32::Result r = generator();
    for (int i = 0; i < kGroup && g * kGroup + i < size; ++i) {
      U bits;
      if constexpr (sizeof(U) == 8) {
        bits = r[2 * i] | U{r[2 * i + 1]} << 32;
      } else {
        bits = r[i];
      }
      out[g * kGroup + i] = range == 0 ? bits : low + bits % range;
    }
  }
}

template <class U>
Status FillIntegersOf(KernelContext& ctx, const Philox4x32& base, uint64_t low,
                      uint64_t range, Tensor* out) {
  constexpr int kGroup = sizeof(U) == 8 ? 2 : 4;
  const int64_t size = out->num_elements();
  U* const z = reinterpret_cast<U*>(out->mutable_data());
  return ctx.ParallelFor(
      (size + kGroup - 1) / kGroup, 20, [&](int64_t begin, int64_t end) {
        FillIntegerGroups<U>(base, static_cast<U>(low), static_cast<U>(range),
                             z, size, begin, end);
      });
}

}  // namespace

Status FillRandom(KernelContext& ctx, Distribution distribution,
                  const Philox4x32& base, Tensor* out) {
  const int64_t size = out->num_elements();
  if (size == 0) return OkStatus();
  return Dispatch(FloatTypes{}, out->dtype(), [&]<class T>() -> Status {
    constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
    T* const z = out->mutable_flat<T>().data();
    return ctx.ParallelFor(
        (size + kGroup - 1) / kGroup,
        distribution == Distribution::kUniform ? 12 : 120,
        [&](int64_t begin, int64_t end) {
          switch (distribution) {
            case Distribution::kUniform:
              FillGroups<Uniform<T>>(base, z, size, begin, end);
              break;
            case Distribution::kNormal:
              FillGroups<Normal<T>>(base, z, size, begin, end);
              break;
            case Distribution::kTruncated:
              FillTruncated(base, z, size, begin, end);
              break;
          }
        });
  });
}

Status FillIntegers(KernelContext& ctx, const Philox4x32& base, uint64_t low,
                    uint64_t range, Tensor* out) {
  if (out->num_elements() == 0) return OkStatus();
  return SizeOf(out->dtype()) == 8
             ? FillIntegersOf<uint64_t>(ctx, base, low, range, out)
             : FillIntegersOf<uint32_t>(ctx, base, low, range, out);
}

}  // namespace millrace::ops
