// Pooling over windows of random sizes (Graham, "Fractional max-pooling",
// 2014).
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "millrace/base/random.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/random/distributions.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Shuffles sizes of windows, which differ by 1 at most. Sets sequence[i], for i
// from 0 to `windows`, to where window i begins, or where the last one ends.
void SequenceByShuffle(int64_t size, int64_t windows, Philox4x32* generator,
                       int64_t* sequence) {
  Philox4x32 local = *generator;
  generator->Skip((static_cast<uint64_t>(windows) + 3) / 4);
  SingleNumbers next(&local);
  int64_t* const sizes = sequence + 1;
  const int64_t larger = size % windows;
  for (int64_t i = 0; i < windows; ++i)
    sizes[i] = size / windows + (i < larger);
  for (int64_t i = 0; i + 1 < windows; ++i) {
    const auto left = static_cast<uint32_t>(
        std::min<int64_t>(windows - i, std::numeric_limits<uint32_t>::max()));
    std::swap(sizes[i], sizes[i + next() % left]);
  }
  sequence[0] = 0;
  for (int64_t i = 1; i <= windows; ++i) sequence[i] += sequence[i - 1];
}

// Rounds positions at equal distances, which begin at a random one.
void SequenceByRounding(int64_t size, int64_t windows, Philox4x32* generator,
                        int64_t* sequence) {
  Philox4x32 local = *generator;
  generator->Skip(1);
  SingleNumbers next(&local);
  const auto n = static_cast<double>(size), m = static_cast<double>(windows);
  const double alpha = n / m;
  const auto k = static_cast<double>(size / windows);
  // So that the first and the last window have k or k + 1 elements.
  const double most =
      std::min((k + 2) / alpha - 1, (n + 1 - k) / alpha - (m - 1));
  const uint32_t high = next(), low = next();
  const double u = UniformDouble(high, low) * most;
  sequence[0] = 0;
  for (int64_t i = 1; i < windows; ++i) {
    const double at = std::ceil(alpha * (static_cast<double>(i) + u));
    sequence[i] = std::clamp<int64_t>(static_cast<int64_t>(at) - 1, 0, size);
  }
  sequence[windows] = size;
}

// The elements [begin, end) of a window along a dimension of `size` elements.
struct FractionalWindow {
  int64_t begin, end;
};
FractionalWindow WindowAt(const int64_t* sequence, int64_t i, bool overlapping,
                          int64_t size) {
  return {sequence[i], std::min(sequence[i + 1] + (overlapping ? 1 : 0), size)};
}

enum class FractionalPool { kMax, kAvg };

// Computes row `row` of an image's windows: `in` is the image, `out` the row.
template <FractionalPool kPool, class T>
void PoolRow(const T* in, int64_t width, int64_t depth, FractionalWindow rows,
             const int64_t* columns, int64_t windows, bool overlapping,
             T* out) {
  constexpr bool kMax = kPool == FractionalPool::kMax;
  for (int64_t j = 0; j < windows; ++j, out += depth) {
    const FractionalWindow cols = WindowAt(columns, j, overlapping, width);
    std::fill_n(out, depth, kMax ? std::numeric_limits<T>::lowest() : T(0));
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = cols.begin; x < cols.end; ++x) {
        const T* from = in + (y * width + x) * depth;
        for (int64_t c = 0; c < depth; ++c) {
          if constexpr (kMax) {
            if (out[c] < from[c]) out[c] = from[c];
          } else {
            out[c] = Plus(out[c], from[c]);
          }
        }
      }
    }
    if constexpr (!kMax) {
      const T count =
          static_cast<T>((rows.end - rows.begin) * (cols.end - cols.begin));
      if (count == 0) continue;
      for (int64_t c = 0; c < depth; ++c) {
        if constexpr (std::is_integral_v<T>) {
          out[c] = Quotient(out[c], count);
        } else {
          out[c] /= count;
        }
      }
    }
  }
}

template <FractionalPool kPool>
class FractionalPoolKernel {
 public:
  static StatusOr<FractionalPoolKernel> Make(const KernelInit& init) {
    FractionalPoolKernel k;
    MR_ASSIGN_OR_RETURN(k.ratios_,
                        init.Attr<std::vector<float>>("pooling_ratio"));
    MR_ASSIGN_OR_RETURN(k.pseudo_random_, init.Attr<bool>("pseudo_random"));
    MR_ASSIGN_OR_RETURN(k.overlapping_, init.Attr<bool>("overlapping"));
    MR_ASSIGN_OR_RETURN(k.deterministic_, init.Attr<bool>("deterministic"));
    MR_ASSIGN_OR_RETURN(const int64_t seed, init.Attr<int64_t>("seed"));
    MR_ASSIGN_OR_RETURN(const int64_t seed2, init.Attr<int64_t>("seed2"));
    if (k.ratios_.size() != 4) {
      return InvalidArgument("pooling_ratio field must specify 4 dimensions");
    }
    for (const float ratio : k.ratios_) {
      if (!(ratio >= 1)) {
        return InvalidArgument("pooling_ratio cannot be smaller than 1, got: ",
                               ratio);
      }
    }
    if (k.ratios_[0] != 1 || k.ratios_[3] != 1) {
      return Unimplemented(
          "Fractional ", kPool == FractionalPool::kMax ? "max" : "average",
          " pooling is not yet supported on the batch nor channel dimension.");
    }
    if (k.deterministic_) {
      // Without seeds, the windows are random but the same in each run.
      const bool by_chance = seed == 0 && seed2 == 0;
      k.generator_ = by_chance ? RandomGenerator()
                               : Philox4x32(static_cast<uint64_t>(seed),
                                            static_cast<uint64_t>(seed2));
    } else if (seed != 0 || seed2 != 0) {
      return InvalidArgument(
          "Both seed and seed2 should be 0 if deterministic is false.");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    if (in.rank() != 4) {
      return InvalidArgument("tensor_in must be 4-dimensional");
    }
    int64_t sizes[4];
    for (int i = 0; i < 4; ++i) {
      const auto size = static_cast<float>(in.dim(i));
      const float ratio = ratios_[static_cast<size_t>(i)];
      if (!(size >= ratio)) {
        return InvalidArgument(
            "Pooling ratio is higher than input dimension size for dimension ",
            i, ". Input dim size: ", in.dim(i), " pooling ratio: ", ratio);
      }
      // Sizes that float rounds up may not grow.
      sizes[i] = std::clamp<int64_t>(
          static_cast<int64_t>(std::floor(size / ratio)), 1, in.dim(i));
    }
    Philox4x32 generator = deterministic_ ? generator_ : RandomGenerator();
    const int64_t* sequences[2];
    for (int i = 0; i < 2; ++i) {
      const int64_t windows = sizes[i + 1];
      MR_ASSIGN_OR_RETURN(
          Tensor* const out,
          ctx.AllocateOutput(i + 1, TensorShape({windows + 1})));
      int64_t* const sequence = out->mutable_flat<int64_t>().data();
      (pseudo_random_ ? SequenceByRounding : SequenceByShuffle)(
          in.dim(i + 1), windows, &generator, sequence);
      sequences[i] = sequence;
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape(sizes)));
    return Dispatch<float, double, int32_t, int64_t>(
        in.dtype(), [&]<class T>() -> Status {
          return Pool<T>(ctx, sequences[0], sequences[1], out);
        });
  }

 private:
  static Philox4x32 RandomGenerator() {
    const uint64_t seed = RandomUint64();
    return Philox4x32(seed, RandomUint64());
  }

  template <class T>
  Status Pool(KernelContext& ctx, const int64_t* row_sequence,
              const int64_t* col_sequence, Tensor* out) const {
    const Tensor& in = ctx.input(0);
    const int64_t height = in.dim(1), width = in.dim(2), depth = in.dim(3);
    const int64_t rows = out->dim(1), columns = out->dim(2);
    const T* const x = in.flat<T>().data();
    T* const z = out->mutable_flat<T>().data();
    const int64_t cost = in.num_elements() / (out->dim(0) * rows) + 1;
    return ctx.ParallelFor(
        out->dim(0) * rows, cost, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t image = i / rows, row = i % rows;
            PoolRow<kPool>(x + image * height * width * depth, width, depth,
                           WindowAt(row_sequence, row, overlapping_, height),
                           col_sequence, columns, overlapping_,
                           z + i * columns * depth);
          }
        });
  }

  std::vector<float> ratios_;
  bool pseudo_random_ = false, overlapping_ = false, deterministic_ = false;
  Philox4x32 generator_;
};

}  // namespace

MR_KERNELS(FractionalMaxPool, Cpu){
    {.types = "T: float, double, int32, int64",
     .make = MakeKernel<FractionalPoolKernel<FractionalPool::kMax>>}};
MR_KERNELS(FractionalAvgPool, Cpu){
    {.types = "T: float, double, int32, int64",
     .make = MakeKernel<FractionalPoolKernel<FractionalPool::kAvg>>}};

}  // namespace millrace::ops
