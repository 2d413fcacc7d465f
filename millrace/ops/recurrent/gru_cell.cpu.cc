// Kernels of a time step of a GRU layer, in float.
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/recurrent/column_sums.h"
#include "millrace/ops/recurrent/gru_cell_kernels.h"

namespace millrace::ops {
namespace {

MR_TARGET_CLONES void ComputeGruGates(const GruGates& g, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    g.r[k] = float_math::Sigmoid(g.x_ru[k] + g.h_ru[k] + g.b_ru[k]);
  }
  for (int64_t k = 0; k < n; ++k) {
    g.u[k] = float_math::Sigmoid(g.x_ru[n + k] + g.h_ru[n + k] + g.b_ru[n + k]);
  }
  for (int64_t k = 0; k < n; ++k) g.r_h[k] = g.r[k] * g.h_prev[k];
}

MR_TARGET_CLONES void ComputeGruOutput(const GruOutput& g, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    g.c[k] = float_math::Tanh(g.x_c[k] + g.h_c[k] + g.b_c[k]);
  }
  for (int64_t k = 0; k < n; ++k) {
    g.h[k] = g.u[k] * g.h_prev[k] + (1.0f - g.u[k]) * g.c[k];
  }
}

class CpuGru {
 public:
  static StatusOr<CpuGru> Make(const KernelInit&) { return CpuGru(); }
  static const float* Read(const Tensor& t) { return t.flat<float>().data(); }
  static float* Write(Tensor* t) { return t->mutable_flat<float>().data(); }

  Status Product(KernelContext& ctx, const MatrixProblem& p, const float* a,
                 const float* b, float* c) const {
    return ProductOrZero(ctx, product_, p, reinterpret_cast<const char*>(a),
                         reinterpret_cast<const char*>(b),
                         reinterpret_cast<char*>(c));
  }

  static Status Gates(KernelContext& ctx, const GruSizes& s,
                      const GruGates& g) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; i += n) {
        ComputeGruGates({g.x_ru + 2 * i, g.h_ru + 2 * i, g.b_ru, g.h_prev + i,
                         g.r + i, g.u + i, g.r_h + i},
                        n);
      }
    });
  }
  static Status Output(KernelContext& ctx, const GruSizes& s,
                       const GruOutput& g) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; i += n) {
        ComputeGruOutput({g.x_c + i, g.h_c + i, g.b_c, g.h_prev + i, g.u + i,
                          g.c + i, g.h + i},
                         n);
      }
    });
  }
  static Status BackToCandidate(KernelContext& ctx, const GruSizes& s,
                                const GruBack& g) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; ++i) {
        g.d_c[i] = g.d_h[i] * (1.0f - g.u[i]) * (1.0f - g.c[i] * g.c[i]);
        g.d_ru[i / n * 2 * n + n + i % n] =
            g.d_h[i] * (g.h_prev[i] - g.c[i]) * g.u[i] * (1.0f - g.u[i]);
      }
    });
  }
  static Status BackToReset(KernelContext& ctx, const GruSizes& s,
                            const GruBack& g) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; ++i) {
        g.d_ru[i / n * 2 * n + i % n] =
            g.d_r_h[i] * g.h_prev[i] * g.r[i] * (1.0f - g.r[i]);
      }
    });
  }
  static Status Finish(KernelContext& ctx, const GruSizes& s,
                       const GruFinish& g) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * s.input; i < end * s.input; ++i) {
        g.d_x[i] += g.more_x[i];
      }
      for (int64_t i = begin * n; i < end * n; ++i) {
        g.d_h_prev[i] += g.d_r_h[i] * g.r[i] + g.d_h[i] * g.u[i];
      }
    });
  }

 private:
  // Calls f(first row of some, one behind the last).
  template <class F>
  static Status ForRows(KernelContext& ctx, const GruSizes& s, F&& f) {
    return ctx.ParallelFor(s.batch, s.cell * 10 + 1, f);
  }

  MatrixProduct product_;
};

}  // namespace

MR_KERNELS(GRUBlockCell, Cpu){
    {.types = "T: float", .make = MakeKernel<gru_cell::GruCellKernel<CpuGru>>}};
MR_KERNELS(GRUBlockCellGrad,
           Cpu){{.types = "T: float",
                 .make = MakeKernel<gru_cell::GruCellGradKernel<CpuGru>>}};

}  // namespace millrace::ops
