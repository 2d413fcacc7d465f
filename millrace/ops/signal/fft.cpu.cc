// Kernels of Fourier transforms along the last one to three dimensions.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/signal/fft.h"
#include "millrace/ops/signal/fourier.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using PlanPointer = std::shared_ptr<const FourierPlan>;

// The plans of a kernel, by length. Thread-safe.
class Plans {
 public:
  StatusOr<PlanPointer> Get(int64_t n) {
    {
      MutexLock lock(mu_);
      const auto it = plans_.find(n);
      if (it != plans_.end()) return it->second;
    }
    MR_ASSIGN_OR_RETURN(PlanPointer plan, FourierPlan::Make(n));
    MutexLock lock(mu_);
    if (plans_.size() >= kMaxPlans) plans_.clear();
    plans_[n] = plan;
    return plan;
  }

 private:
  static constexpr size_t kMaxPlans = 8;
  Mutex mu_;
  std::map<int64_t, PlanPointer> plans_;
};

// An array [batch, sizes ...] of complex numbers whose lines are transformed.
struct Array {
  Complex128* data = nullptr;
  int64_t batch = 1;
  DimVector sizes;

  int64_t size() const {
    int64_t n = batch;
    for (const int64_t s : sizes) n *= s;
    return n;
  }
};

// Charges a line of the plan's length and its working memory for each thread
// that takes some of the `lines`.
Status ChargeLines(KernelContext& ctx, const FourierPlan& plan, int64_t lines,
                   MemoryCharge* charge) {
  constexpr auto kElement = static_cast<int64_t>(sizeof(Complex128));
  const int64_t threads =
      std::min<int64_t>(lines, ctx.device().lanes().intra_op.width());
  return charge->Set((plan.length() + plan.work_size()) * kElement * threads,
                     "the lines of a Fourier transform");
}

// Transforms the lines along dimension `axis` of the sizes.
Status RunAxis(KernelContext& ctx, const FourierPlan& plan,
               FourierDirection direction, size_t axis, const Array& a) {
  int64_t inner = 1;
  for (size_t d = axis + 1; d < a.sizes.size(); ++d) inner *= a.sizes[d];
  const int64_t n = a.sizes[axis];
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(ChargeLines(ctx, plan, a.size() / n, &charge));
  return ctx.ParallelFor(
      a.size() / n, n * 20 + 50, [&](int64_t begin, int64_t end) {
        std::vector<Complex128> line(static_cast<size_t>(n));
        std::vector<Complex128> work(static_cast<size_t>(plan.work_size()));
        for (int64_t i = begin; i < end; ++i) {
          Complex128* first = a.data + i / inner * inner * n + i % inner;
          for (int64_t k = 0; k < n; ++k) line[k] = first[k * inner];
          plan.Run(direction, line.data(), work.data());
          for (int64_t k = 0; k < n; ++k) first[k * inner] = line[k];
        }
      });
}

// Calls f(element of the tensor, element of the array) for the elements that
// both have, since the array's sizes may be smaller than the tensor's last
// dimensions. `f` is called for the first element of each row of `n`.
template <class F>
Status ForRows(KernelContext& ctx, const DimVector& tensor_sizes,
               const Array& a, F&& f) {
  const size_t rank = a.sizes.size();
  const int64_t n = a.sizes[rank - 1];
  const int64_t row = tensor_sizes[rank - 1];
  return ctx.ParallelFor(a.size() / n, n * 2 + 20,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             int64_t rest = i, at = 0, step = row;
                             for (size_t d = rank - 1; d-- > 0;) {
                               at += rest % a.sizes[d] * step;
                               rest /= a.sizes[d];
                               step *= tensor_sizes[d];
                             }
                             f(at + rest * step, i * n, n);
                           }
                         });
}

// Attributes and transforms that the ops share.
class FftBase {
 public:
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const FftSizes sizes, options_.Plan(ctx));
    const DimVector &in_sizes = sizes.in, &lengths = sizes.lengths;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, sizes.shape));
    if (out->num_elements() == 0) return OkStatus();
    if (x.num_elements() == 0) {
      std::memset(out->mutable_data(), 0, out->size_bytes());
      return OkStatus();
    }
    Array a;
    a.batch = sizes.batch;
    a.sizes = sizes.half;
    MR_ASSIGN_OR_RETURN(Tensor temp, ctx.AllocateTemp(DataType::kComplex128,
                                                      TensorShape({a.size()})));
    a.data = temp.mutable_flat<Complex128>().data();
    const size_t last = lengths.size() - 1;
    if (options_.real && !options_.inverse()) {
      MR_RETURN_IF_ERROR(FromReal(ctx, x, in_sizes, lengths.back(), a));
    } else {
      MR_RETURN_IF_ERROR(FromComplex(ctx, x, in_sizes, a));
    }
    const size_t axes = options_.real ? last : last + 1;
    for (size_t d = 0; d < axes; ++d) {
      if (lengths[d] == 1) continue;
      MR_ASSIGN_OR_RETURN(const PlanPointer plan, plans_->Get(lengths[d]));
      MR_RETURN_IF_ERROR(RunAxis(ctx, *plan, options_.direction, d, a));
    }
    return options_.real && options_.inverse()
               ? ToReal(ctx, a, lengths.back(), out)
               : ToComplex(ctx, a, out);
  }

 protected:
  explicit FftBase(const FftOptions& options) : options_(options) {}

  const FftOptions options_;

 private:
  static Status FromComplex(KernelContext& ctx, const Tensor& x,
                            const DimVector& sizes, const Array& a) {
    return Dispatch(ComplexTypes{}, x.dtype(), [&]<class T>() -> Status {
      const T* from = x.flat<T>().data();
      return ForRows(ctx, sizes, a, [&](int64_t at, int64_t to, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          a.data[to + i] = static_cast<Complex128>(from[at + i]);
        }
      });
    });
  }
  static Status ToComplex(KernelContext& ctx, const Array& a, Tensor* out) {
    return Dispatch(ComplexTypes{}, out->dtype(), [&]<class T>() -> Status {
      T* to = out->mutable_flat<T>().data();
      return ctx.ParallelFor(a.size(), 2, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(a.data[i]);
      });
    });
  }

  // Transforms real lines of `length` along the last dimension to their halves.
  Status FromReal(KernelContext& ctx, const Tensor& x, const DimVector& sizes,
                  int64_t length, const Array& a) const {
    MR_ASSIGN_OR_RETURN(const PlanPointer plan, plans_->Get(length));
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(
        ChargeLines(ctx, *plan, a.size() / a.sizes.back(), &charge));
    return Dispatch<float, double>(x.dtype(), [&]<class T>() -> Status {
      const T* from = x.flat<T>().data();
      return ForRows(ctx, sizes, a, [&](int64_t at, int64_t to, int64_t n) {
        std::vector<Complex128> line(static_cast<size_t>(length));
        std::vector<Complex128> work(static_cast<size_t>(plan->work_size()));
        for (int64_t i = 0; i < length; ++i) {
          line[i] = static_cast<double>(from[at + i]);
        }
        plan->Run(FourierDirection::kForward, line.data(), work.data());
        std::copy(line.begin(), line.begin() + n, a.data + to);
      });
    });
  }
  // Computes the real lines whose halves are in the last dimension.
  Status ToReal(KernelContext& ctx, const Array& a, int64_t length,
                Tensor* out) const {
    MR_ASSIGN_OR_RETURN(const PlanPointer plan, plans_->Get(length));
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(
        ChargeLines(ctx, *plan, a.size() / a.sizes.back(), &charge));
    const int64_t half = a.sizes.back();
    return Dispatch<float, double>(out->dtype(), [&]<class T>() -> Status {
      T* to = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          a.size() / half, length * 20 + 50, [&](int64_t begin, int64_t end) {
            std::vector<Complex128> line(static_cast<size_t>(length));
            std::vector<Complex128> work(
                static_cast<size_t>(plan->work_size()));
            for (int64_t i = begin; i < end; ++i) {
              const Complex128* from = a.data + i * half;
              std::copy(from, from + half, line.begin());
              // An element that is its own conjugate is real.
              line[0] = line[0].real();
              if (length % 2 == 0) line[half - 1] = line[half - 1].real();
              for (int64_t k = half; k < length; ++k) {
                line[k] = std::conj(from[length - k]);
              }
              plan->Run(FourierDirection::kInverse, line.data(), work.data());
              for (int64_t k = 0; k < length; ++k) {
                to[i * length + k] = static_cast<T>(line[k].real());
              }
            }
          });
    });
  }

  const std::unique_ptr<Plans> plans_ = std::make_unique<Plans>();
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
