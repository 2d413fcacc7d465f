#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/lrn.h"
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

// Computes norms[c] = bias + alpha * sum of x^2 around c.
void Norms(const LrnAttrs& a, const float* x, int64_t n, float* norms) {
  for (int64_t c = 0; c < n; ++c) {
    float sum = 0;
    const int64_t end = std::min(n, c + a.radius + 1);
    for (int64_t k = std::max<int64_t>(0, c - a.radius); k < end; ++k) {
      sum += x[k] * x[k];
    }
    norms[c] = a.bias + a.alpha * sum;
  }
}

int64_t CostOfRow(const LrnAttrs& a, int64_t n) {
  return n * (20 + 2 * std::min(n, 2 * a.radius + 1));
}

template <class T>
void ReadRow(const T* x, int64_t n, std::vector<float>& row) {
  row.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) row[i] = static_cast<float>(x[i]);
}

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
          x.num_elements() / n, CostOfRow(attrs_, n),
          [&](int64_t begin, int64_t end) {
            std::vector<float> row, norms(static_cast<size_t>(n));
            for (int64_t r = begin; r < end; ++r) {
              ReadRow(in + r * n, n, row);
              Norms(attrs_, row.data(), n, norms.data());
              for (int64_t c = 0; c < n; ++c) {
                z[r * n + c] =
                    static_cast<T>(row[c] * std::pow(norms[c], -attrs_.beta));
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
          x.num_elements() / n, 2 * CostOfRow(attrs_, n),
          [&](int64_t begin, int64_t end) {
            std::vector<float> dy, row, result;
            std::vector<float> norms(static_cast<size_t>(n)), parts(norms);
            for (int64_t r = begin; r < end; ++r) {
              ReadRow(d + r * n, n, dy);
              ReadRow(in + r * n, n, row);
              ReadRow(o + r * n, n, result);
              Norms(attrs_, row.data(), n, norms.data());
              // The contribution of each output to the gradients around it.
              for (int64_t c = 0; c < n; ++c) {
                parts[c] = dy[c] * result[c] / norms[c];
              }
              for (int64_t c = 0; c < n; ++c) {
                float sum = 0;
                const int64_t last = std::min(n, c + attrs_.radius + 1);
                for (int64_t k = std::max<int64_t>(0, c - attrs_.radius);
                     k < last; ++k) {
                  sum += parts[k];
                }
                z[r * n + c] = static_cast<T>(
                    dy[c] * std::pow(norms[c], -attrs_.beta) -
                    2 * attrs_.alpha * attrs_.beta * row[c] * sum);
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
