// Kernels of Fourier transforms along the last one to three dimensions.
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <map>
#include <memory>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/signal/fft.h"
#include "millrace/ops/signal/fourier.h"
#include "millrace/ops/signal/fourier_lines.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The plans of a kernel, by length. Thread-safe.
template <class Plan>
class Plans {
 public:
  using Pointer = std::shared_ptr<const Plan>;

  StatusOr<Pointer> Get(int64_t n) {
    {
      MutexLock lock(mu_);
      const auto it = plans_.find(n);
      if (it != plans_.end()) return it->second;
    }
    MR_ASSIGN_OR_RETURN(Pointer plan, Plan::Make(n));
    MutexLock lock(mu_);
    if (plans_.size() >= kMaxPlans) plans_.clear();
    plans_[n] = plan;
    return plan;
  }

 private:
  static constexpr size_t kMaxPlans = 8;
  Mutex mu_;
  std::map<int64_t, Pointer> plans_;
};

template <class T>
using LinePointers = std::array<T*, kMostFourierLines<T>>;

// The lines that a thread transforms at once, and its memory.
template <class T>
struct Group {
  int64_t first = 0, count = 0;  // of all lines
  Planes<T> planes;              // with room for length + 1 elements of each
  T* work = nullptr;
};

// Calls f(group) for groups of all `lines`, each of them of `plan.length()`
// complex numbers.
template <class T, class Plan, class F>
Status ForGroups(KernelContext& ctx, const Plan& plan, int64_t lines, F&& f) {
  const int64_t n = plan.length();
  const int64_t threads = ctx.device().lanes().intra_op.width();
  // As many as fill a vector, unless they leave the cache or other threads
  // would have nothing to do.
  constexpr int64_t kCached = 1 << 16, kLong = 1 << 10;
  int64_t most = kMostFourierLines<T>;
  while (most > 4 && (n * most > kCached ||
                      (n >= kLong && most * (threads - 1) >= lines))) {
    most /= 2;
  }
  const int64_t groups = (lines + most - 1) / most;
  const int64_t plane = (n + 1) * most;
  const int64_t numbers = 2 * plane + plan.work_size() * most;
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(charge.Set(
      numbers * static_cast<int64_t>(sizeof(T)) * std::min(groups, threads),
      "the lines of a Fourier transform"));
  return ctx.ParallelFor(
      groups, (n * 4 + 50) * most, [&](int64_t begin, int64_t end) {
        const auto memory =
            std::make_unique_for_overwrite<T[]>(static_cast<size_t>(numbers));
        Group<T> g;
        g.work = memory.get() + 2 * plane;
        for (int64_t i = begin; i < end; ++i) {
          g.first = i * most;
          g.count = std::min(most, lines - g.first);
          g.planes = {memory.get(), memory.get() + plane};
          f(g);
        }
      });
}

template <class T>
Planes<T> Swapped(Planes<T> x) {
  return {x.im, x.re};
}

// Transforms the lines of an array along an axis of n elements, behind which
// there are `inner`. `to` may be `from`.
template <class T>
Status RunAxis(KernelContext& ctx, const FourierPlan<T>& plan, bool inverse,
               int64_t inner, int64_t lines, const T* from, T* to) {
  const int64_t n = plan.length();
  // Numbers are scaled before they are added, so that sums are finite.
  const T scale = inverse ? 1 / static_cast<T>(n) : 1;
  return ForGroups<T>(ctx, plan, lines, [&](const Group<T>& g) {
    const auto place = [&](int64_t line) {
      return 2 * (line / inner * inner * n + line % inner);
    };
    // What neighbouring lines have side by side is moved together.
    int64_t done = 0;
    const auto columns = [&](auto&& f) {
      for (done = 0; done < g.count;) {
        const int64_t line = g.first + done;
        const int64_t some = std::min(g.count - done, inner - line % inner);
        f(some, place(line));
        done += some;
      }
    };
    const auto transform = [&] {
      return inverse ? Swapped(plan.Forward(g.count, Swapped(g.planes), g.work))
                     : plan.Forward(g.count, g.planes, g.work);
    };
    if (inner == 1) {
      std::array<const T*, kMostFourierLines<T>> in;
      LinePointers<T> out;
      for (int64_t v = 0; v < g.count; ++v) {
        in[v] = from + place(g.first + v);
        out[v] = to + place(g.first + v);
      }
      GatherLines(g.count, n, scale, in.data(), g.planes);
      ScatterLines(g.count, n, transform(), out.data());
      return;
    }
    columns([&](int64_t some, int64_t at) {
      GatherColumns(g.count, some, n, scale, from + at, inner,
                    {g.planes.re + done, g.planes.im + done});
    });
    const Planes<T> y = transform();
    columns([&](int64_t some, int64_t at) {
      ScatterColumns(g.count, some, n, {y.re + done, y.im + done}, to + at,
                     inner);
    });
  });
}

// Finds the rows of a tensor, of which only the first `kept` elements of each
// dimension but the last one are read.
class Rows {
 public:
  Rows(const DimVector& sizes, const DimVector& kept)
      : sizes_(sizes), kept_(kept) {}

  // Returns the place of the first element of row i of what is kept.
  int64_t operator[](int64_t i) const {
    int64_t at = 0, step = sizes_.back();
    for (size_t d = sizes_.size() - 1; d-- > 0;) {
      at += i % kept_[d] * step;
      i /= kept_[d];
      step *= sizes_[d];
    }
    return at + i * step;
  }

 private:
  const DimVector &sizes_, &kept_;
};

// Transforms of numbers of type T.
template <class T>
class Fft {
 public:
  Status Run(KernelContext& ctx, const FftOptions& options, const FftSizes& s,
             const Tensor& x, Tensor* out) {
    const bool inverse = options.inverse();
    const size_t last = s.lengths.size() - 1;
    int64_t rows = s.batch;
    for (size_t d = 0; d < last; ++d) rows *= s.lengths[d];
    if (!options.real) {
      MR_ASSIGN_OR_RETURN(const auto plan, plans_.Get(s.lengths.back()));
      T* const to = Numbers(out);
      MR_RETURN_IF_ERROR(RunAxis(ctx, *plan, inverse, 1, rows, Numbers(x), to));
      return RunOuterAxes(ctx, inverse, s, rows, to);
    }
    MR_ASSIGN_OR_RETURN(const auto plan, real_plans_.Get(s.lengths.back()));
    if (!inverse) {
      T* const to = Numbers(out);
      MR_RETURN_IF_ERROR(FromReal(ctx, *plan, s, rows, Numbers(x), to));
      return RunOuterAxes(ctx, inverse, s, rows, to);
    }
    if (last == 0) {
      return ToReal(ctx, *plan, s, rows, Numbers(x), s.in.back(), Numbers(out));
    }
    MR_ASSIGN_OR_RETURN(
        Tensor temp,
        ctx.AllocateTemp(x.dtype(), TensorShape({rows * s.half.back()})));
    T* const kept = Numbers(&temp);
    MR_RETURN_IF_ERROR(Keep(ctx, s, rows, Numbers(x), kept));
    MR_RETURN_IF_ERROR(RunOuterAxes(ctx, inverse, s, rows, kept));
    return ToReal(ctx, *plan, s, rows, kept, s.half.back(), Numbers(out));
  }

 private:
  // The parts of complex numbers follow each other.
  static const T* Numbers(const Tensor& t) {
    return reinterpret_cast<const T*>(t.data());
  }
  static T* Numbers(Tensor* t) {
    return reinterpret_cast<T*>(t->mutable_data());
  }

  // Transforms all axes but the last one of an array of `rows` of half the
  // last length.
  Status RunOuterAxes(KernelContext& ctx, bool inverse, const FftSizes& s,
                      int64_t rows, T* data) {
    int64_t inner = s.half.back();
    for (size_t d = s.lengths.size() - 1; d-- > 0;) {
      const int64_t n = s.lengths[d];
      if (n != 1) {
        MR_ASSIGN_OR_RETURN(const auto plan, plans_.Get(n));
        MR_RETURN_IF_ERROR(RunAxis<T>(ctx, *plan, inverse, inner,
                                      rows * s.half.back() / n, data, data));
      }
      inner *= n;
    }
    return OkStatus();
  }

  static Status Keep(KernelContext& ctx, const FftSizes& s, int64_t rows,
                     const T* from, T* to) {
    const Rows places(s.in, s.half);
    const int64_t n = s.half.back();
    return ctx.ParallelFor(rows, n * 2 + 20, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::memcpy(to + 2 * i * n, from + 2 * places[i],
                    2 * sizeof(T) * static_cast<size_t>(n));
      }
    });
  }

  // Transforms the real rows of the input to their halves.
  static Status FromReal(KernelContext& ctx, const RealFourierPlan<T>& plan,
                         const FftSizes& s, int64_t rows, const T* from,
                         T* to) {
    const Rows places(s.in, s.half);
    const int64_t half = s.half.back();
    return ForGroups<T>(ctx, plan, rows, [&](const Group<T>& g) {
      std::array<const T*, kMostFourierLines<T>> in;
      LinePointers<T> out;
      for (int64_t v = 0; v < g.count; ++v) {
        in[v] = from + places[g.first + v];
        out[v] = to + 2 * (g.first + v) * half;
      }
      if (plan.paired()) {
        GatherLines(g.count, plan.length(), T(1), in.data(), g.planes);
      } else {
        for (int64_t k = 0; k < plan.length(); ++k) {
          for (int64_t v = 0; v < g.count; ++v) {
            g.planes.re[k * g.count + v] = in[v][k];
            g.planes.im[k * g.count + v] = 0;
          }
        }
      }
      const Planes<T> y = plan.Forward(g.count, g.planes, g.work);
      ScatterLines(g.count, half, y, out.data());
    });
  }

  // Computes the real rows whose halves are the first elements of rows that
  // are `step` complex numbers apart.
  static Status ToReal(KernelContext& ctx, const RealFourierPlan<T>& plan,
                       const FftSizes& s, int64_t rows, const T* from,
                       int64_t step, T* to) {
    const int64_t n = s.lengths.back(), half = s.half.back();
    return ForGroups<T>(ctx, plan, rows, [&](const Group<T>& g) {
      std::array<const T*, kMostFourierLines<T>> in;
      LinePointers<T> out;
      for (int64_t v = 0; v < g.count; ++v) {
        in[v] = from + 2 * (g.first + v) * step;
        out[v] = to + (g.first + v) * n;
      }
      GatherLines(g.count, half, 1 / static_cast<T>(n), in.data(), g.planes);
      const Planes<T> y = plan.Inverse(g.count, g.planes, g.work);
      if (plan.paired()) {
        ScatterLines(g.count, plan.length(), y, out.data());
        return;
      }
      for (int64_t v = 0; v < g.count; ++v) {
        for (int64_t k = 0; k < n; ++k) out[v][k] = y.re[k * g.count + v];
      }
    });
  }

  Plans<FourierPlan<T>> plans_;
  Plans<RealFourierPlan<T>> real_plans_;
};

// Attributes and transforms that the ops share.
class FftBase {
 public:
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const FftSizes sizes, options_.Plan(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, sizes.shape));
    if (out->num_elements() == 0) return OkStatus();
    if (x.num_elements() == 0) {
      std::memset(out->mutable_data(), 0, out->size_bytes());
      return OkStatus();
    }
    const bool wide =
        x.dtype() == DataType::kDouble || x.dtype() == DataType::kComplex128;
    return wide ? double_->Run(ctx, options_, sizes, x, out)
                : float_->Run(ctx, options_, sizes, x, out);
  }

 protected:
  explicit FftBase(const FftOptions& options) : options_(options) {}

  const FftOptions options_;

 private:
  const std::unique_ptr<Fft<float>> float_ = std::make_unique<Fft<float>>();
  const std::unique_ptr<Fft<double>> double_ = std::make_unique<Fft<double>>();
};

template <FourierDirection kDirection, bool kReal, int kRank>
class FftKernel : public FftBase {
 public:
  static StatusOr<std::unique_ptr<FftKernel>> Make(const KernelInit& init) {
    auto k = std::make_unique<FftKernel>();
    MR_RETURN_IF_ERROR(k->options_.CheckTypes(init));
    return k;
  }
  FftKernel() : FftBase({kDirection, kReal, kRank}) {}
};

template <int kRank>
constexpr KernelEntry kForward = {
    .make = MakeKernel<FftKernel<FourierDirection::kForward, false, kRank>>};
template <int kRank>
constexpr KernelEntry kInverse = {
    .make = MakeKernel<FftKernel<FourierDirection::kInverse, false, kRank>>};
template <int kRank>
constexpr KernelEntry kRealForward = {
    .make = MakeKernel<FftKernel<FourierDirection::kForward, true, kRank>>};
template <int kRank>
constexpr KernelEntry kRealInverse = {
    .make = MakeKernel<FftKernel<FourierDirection::kInverse, true, kRank>>};

}  // namespace

MR_KERNELS(FFT, Cpu){kForward<1>};
MR_KERNELS(IFFT, Cpu){kInverse<1>};
MR_KERNELS(FFT2D, Cpu){kForward<2>};
MR_KERNELS(IFFT2D, Cpu){kInverse<2>};
MR_KERNELS(FFT3D, Cpu){kForward<3>};
MR_KERNELS(IFFT3D, Cpu){kInverse<3>};
MR_KERNELS(RFFT, Cpu){kRealForward<1>};
MR_KERNELS(IRFFT, Cpu){kRealInverse<1>};
MR_KERNELS(RFFT2D, Cpu){kRealForward<2>};
MR_KERNELS(IRFFT2D, Cpu){kRealInverse<2>};
MR_KERNELS(RFFT3D, Cpu){kRealForward<3>};
MR_KERNELS(IRFFT3D, Cpu){kRealInverse<3>};

}  // namespace millrace::ops
