#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/nn/lrn.h"
#include "millrace/ops/pooling/lanes.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<LrnAttrs> LrnAttrs::Read(const KernelInit& init) {
  LrnAttrs a;
  MR_ASSIGN_OR_RETURN(a.radius, init.Attr<int64_t>("depth_radius"));
  MR_ASSIGN_OR_RETURN(a.bias, init.Attr<float>("bias"));
  MR_ASSIGN_OR_RETURN(a.alpha, init.Attr<float>("alpha"));
  MR_ASSIGN_OR_RETURN(a.beta, init.Attr<float>("beta"));
  // Stock says the same of those that are negative.
  if (a.radius < 0 || a.radius > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("depth_radius = ", a.radius, " larger than int max");
  }
  return a;
}

Status CheckLrnGrad(KernelContext& ctx) {
  const Tensor& grad = ctx.input(0);
  const Tensor& x = ctx.input(1);
  const Tensor& y = ctx.input(2);
  if (grad.rank() != 4 || x.rank() != 4) {
    return InvalidArgument("inputs must be 4-dimensional");
  }
  if (x.shape() != grad.shape() || y.shape() != grad.shape()) {
    return InvalidArgument(
        "input_grads, input_image, and out_image should have the same "
        "shape");
  }
  return OkStatus();
}

namespace {

// Sets sums[c] to the sum of padded[c ... c + 2 radius].
MR_TARGET_CLONES void SumWindows(const float* padded, int64_t radius, int64_t n,
                                 float* sums) {
  ForLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
    float sum[kLanes];
#pragma GCC unroll 4
    for (int k = 0; k < kLanes; ++k) sum[k] = padded[c + k];
    for (int64_t d = 1; d <= 2 * radius; ++d) {
#pragma GCC unroll 4
      for (int k = 0; k < kLanes; ++k) sum[k] += padded[c + d + k];
    }
    for (int k = 0; k < kLanes; ++k) sums[c + k] = sum[k];
  });
}

// Computes norms = bias + alpha * norms, and their powers. Other powers than
// those of positive numbers are left to the C library.
MR_TARGET_CLONES bool PowersOfPositive(const LrnAttrs& a, int64_t n,
                                       float* norms, float* powers) {
  const float bias = a.bias, alpha = a.alpha, exponent = -a.beta;
  int32_t others = 0;
#pragma GCC ivdep
  for (int64_t c = 0; c < n; ++c) {
    norms[c] = bias + alpha * norms[c];
    others |= norms[c] <= 0 ? 1 : 0;
    powers[c] = float_math::Exp(exponent * float_math::Log(norms[c]));
  }
  return others == 0;
}

int64_t CostOfRow(int64_t radius, int64_t n) { return n * (4 + radius / 4); }

template <class T>
void ReadRow(const T* x, int64_t n, float* row) {
  for (int64_t i = 0; i < n; ++i) row[i] = static_cast<float>(x[i]);
}

// The norms of rows, and their powers.
class Norms {
 public:
  Norms(const KernelContext& ctx, const LrnAttrs& attrs, int64_t n)
      : ctx_(ctx),
        attrs_(attrs),
        n_(n),
        radius_(std::min(attrs.radius, n)),
        padded_(static_cast<size_t>(n + 2 * radius_)),
        norms_(static_cast<size_t>(n)),
        powers_(norms_) {}

  // Sets norms to bias + alpha * sum of x^2 around each element, and powers to
  // those of the exponent -beta.
  void Set(const float* x) {
    for (int64_t i = 0; i < n_; ++i) padded_[radius_ + i] = x[i] * x[i];
    Sum(norms_.data());
    if (PowersOfPositive(attrs_, n_, norms_.data(), powers_.data())) return;
    for (int64_t i = 0; i < n_; ++i) {
      powers_[i] = std::pow(norms_[i], -attrs_.beta);
    }
  }
  // Sets `sums` to the sums of x around each element. Changes no norm.
  void SumAround(const float* x, float* sums) {
    std::copy(x, x + n_, padded_.begin() + radius_);
    Sum(sums);
  }

  float norm(int64_t c) const { return norms_[c]; }
  float power(int64_t c) const { return powers_[c]; }

 private:
  // The windows of one row may take hours. If the step is cancelled, the rest
  // of the sums is left as it is.
  void Sum(float* sums) {
    constexpr int64_t kAtOnce = 1 << 26;
    const int64_t block = std::max<int64_t>(64, kAtOnce / (2 * radius_ + 1));
    for (int64_t c = 0; c < n_; c += block) {
      if (c > 0 && !ctx_.CheckCancelled().ok()) return;
      SumWindows(padded_.data() + c, radius_, std::min(block, n_ - c),
                 sums + c);
    }
  }

  const KernelContext& ctx_;
  const LrnAttrs& attrs_;
  const int64_t n_, radius_;
  CountedVector<float> padded_;  // with zeros on both sides
  CountedVector<float> norms_, powers_;
};

class LrnKernel {
 public:
  static StatusOr<LrnKernel> Make(const KernelInit& init) {
    LrnKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, LrnAttrs::Read(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (x.rank() != 4) return InvalidArgument("in must be 4-dimensional");
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(3);
    return Dispatch<float, Half>(x.dtype(), [&]<class T>() -> Status {
      const T* in = x.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          x.num_elements() / n, CostOfRow(std::min(attrs_.radius, n), n),
          [&](int64_t begin, int64_t end) {
            CountedVector<float> row(static_cast<size_t>(n));
            Norms norms(ctx, attrs_, n);
            for (int64_t r = begin; r < end; ++r) {
              ReadRow(in + r * n, n, row.data());
              norms.Set(row.data());
              for (int64_t c = 0; c < n; ++c) {
                z[r * n + c] = static_cast<T>(row[c] * norms.power(c));
              }
            }
          });
    });
  }

 private:
  LrnAttrs attrs_;
};

class LrnGradKernel {
 public:
  static StatusOr<LrnGradKernel> Make(const KernelInit& init) {
    LrnGradKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, LrnAttrs::Read(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(0);
    const Tensor& x = ctx.input(1);
    const Tensor& y = ctx.input(2);
    MR_RETURN_IF_ERROR(CheckLrnGrad(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(3);
    return Dispatch<float, Half>(x.dtype(), [&]<class T>() -> Status {
      const T *d = grad.flat<T>().data(), *in = x.flat<T>().data(),
              *o = y.flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      return ctx.ParallelFor(
          x.num_elements() / n, 3 * CostOfRow(std::min(attrs_.radius, n), n),
          [&](int64_t begin, int64_t end) {
            CountedVector<float> dy(static_cast<size_t>(n)), row(dy), parts(dy),
                sums(dy);
            Norms norms(ctx, attrs_, n);
            for (int64_t r = begin; r < end; ++r) {
              ReadRow(d + r * n, n, dy.data());
              ReadRow(in + r * n, n, row.data());
              ReadRow(o + r * n, n, parts.data());
              norms.Set(row.data());
              // The contribution of each output to the gradients around it.
              for (int64_t c = 0; c < n; ++c) {
                parts[c] = dy[c] * parts[c] / norms.norm(c);
              }
              norms.SumAround(parts.data(), sums.data());
              for (int64_t c = 0; c < n; ++c) {
                z[r * n + c] = static_cast<T>(dy[c] * norms.power(c) -
                                              2 * attrs_.alpha * attrs_.beta *
                                                  row[c] * sums[c]);
              }
            }
          });
    });
  }

 private:
  LrnAttrs attrs_;
};

}  // namespace

MR_KERNELS(LRN,
           Cpu){{.types = "T: float, half", .make = MakeKernel<LrnKernel>}};
MR_KERNELS(LRNGrad,
           Cpu){{.types = "T: float, half", .make = MakeKernel<LrnGradKernel>}};

}  // namespace millrace::ops
