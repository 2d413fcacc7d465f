#include "millrace/ops/random/fill.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "millrace/base/target_clones.h"
#include "millrace/ops/elementwise/double_math.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/random/distributions.h"
#include "millrace/ops/random/philox_block.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

constexpr int kBlockWords = 4 * kPhiloxBlock;

MR_TARGET_CLONES void UniformsOfFloat(const uint32_t* words, float* out) {
  for (int i = 0; i < kBlockWords; ++i) out[i] = UniformFloat(words[i]);
}

MR_TARGET_CLONES void UniformsOfDouble(const uint32_t* words, double* out) {
  for (int i = 0; i < kBlockWords / 2; ++i) {
    out[i] = UniformDouble(words[2 * i], words[2 * i + 1]);
  }
}

// Makes normal numbers as NormalFloats does, by vector code.
MR_TARGET_CLONES void NormalsOfFloat(const uint32_t* words, float* out) {
  for (int i = 0; i < kBlockWords / 2; ++i) {
    const float u = UniformFloat(words[2 * i]);
    const float angle = static_cast<float>(2.0 * std::numbers::pi *
                                           UniformFloat(words[2 * i + 1]));
    const float radius =
        std::sqrt(-2.0f * float_math::Log(u < 1.0e-7f ? 1.0e-7f : u));
    out[2 * i] = float_math::Sin(angle) * radius;
    out[2 * i + 1] = float_math::Cos(angle) * radius;
  }
}

// Makes normal numbers as NormalDoubles does, by vector code.
MR_TARGET_CLONES void NormalsOfDouble(const uint32_t* words, double* out) {
  for (int i = 0; i < kBlockWords / 4; ++i) {
    const uint32_t* w = words + 4 * i;
    const double u = UniformDouble(w[0], w[1]);
    const double angle = 2.0 * std::numbers::pi * UniformDouble(w[2], w[3]);
    const double radius =
        std::sqrt(-2.0 * double_math::Log(u < 1.0e-7 ? 1.0e-7 : u));
    out[2 * i] = double_math::Sin(angle) * radius;
    out[2 * i + 1] = double_math::Cos(angle) * radius;
  }
}

// Uniform and normal numbers: each result of Philox gives `kGroup` outputs.
// FillBlock makes those of a block of results.
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
  static void FillBlock(const uint32_t* words, T* out) {
    if constexpr (std::is_same_v<T, float>) {
      UniformsOfFloat(words, out);
    } else {
      // The fractions of half and bfloat16 as those of float, which is exact.
      constexpr int kBits = std::is_same_v<T, Half> ? 10 : 7;
      uint32_t fractions[kBlockWords];
      float floats[kBlockWords];
      for (int i = 0; i < kBlockWords; ++i) {
        fractions[i] = words[i] << (23 - kBits);
      }
      UniformsOfFloat(fractions, floats);
      FromFloats(DataTypeOf<T>, floats, out, kBlockWords);
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
  static void FillBlock(const uint32_t* words, double* out) {
    UniformsOfDouble(words, out);
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
  static void FillBlock(const uint32_t* words, T* out) {
    if constexpr (std::is_same_v<T, float>) {
      NormalsOfFloat(words, out);
    } else {
      float floats[kBlockWords];
      NormalsOfFloat(words, floats);
      FromFloats(DataTypeOf<T>, floats, out, kBlockWords);
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
  static void FillBlock(const uint32_t* words, double* out) {
    NormalsOfDouble(words, out);
  }
};

// Fills groups [begin, end) of `size` outputs. Requires: begin is a whole
// number of blocks.
template <class D, class T>
void FillGroups(Philox4x32 generator, T* out, int64_t size, int64_t begin,
                int64_t end) {
  generator.Skip(static_cast<uint64_t>(begin));
  int64_t g = begin;
  while (g < end) {
    const int64_t at = g * D::kGroup;
    if (g + kPhiloxBlock <= end && (g + kPhiloxBlock) * D::kGroup <= size) {
      uint32_t words[kBlockWords];
      PhiloxBlock(&generator, words);
      D::FillBlock(words, out + at);
      g += kPhiloxBlock;
      continue;
    }
    if (at + D::kGroup <= size) {
      D::Fill(generator(), out + at);
    } else {
      T last[D::kGroup];
      D::Fill(generator(), last);
      std::copy_n(last, size - at, out + at);
    }
    ++g;
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
    const int64_t groups = (size + kGroup - 1) / kGroup;
    // Threads get whole blocks, so that how many there are changes no number.
    const int group_nanos = distribution == Distribution::kTruncated ? 120
                            : distribution == Distribution::kNormal  ? 6
                                                                     : 2;
    return ctx.ParallelFor(
        (groups + kPhiloxBlock - 1) / kPhiloxBlock, kPhiloxBlock * group_nanos,
        [&](int64_t first, int64_t last) {
          const int64_t begin = first * kPhiloxBlock;
          const int64_t end = std::min(groups, last * kPhiloxBlock);
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
