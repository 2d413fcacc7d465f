// Kernels of a time step of a GRU layer, in float.
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/recurrent/column_sums.h"
#include "millrace/ops/recurrent/gru_cell_kernels.h"

namespace millrace::ops {
namespace {

// The gates of a row from the parts of their sums; r_h is r * h_prev.
struct GruGates {
  const float *x_ru, *h_ru, *b_ru;
  const float* h_prev;
  float *r, *u, *r_h;
};

// The candidate c and the output h of a row from the parts of the candidate's
// sum.
struct GruOutput {
  const float *x_c, *h_c, *b_c;
  const float *h_prev, *u;
  float *c, *h;
};

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

  Status Step(KernelContext& ctx, const GruSizes& s, const GruInputs& in,
              const GruResults& out) const {
    const int64_t b = s.batch, n = s.cell;
    const TensorShape cells({b, n}), gates({b, 2 * n});
    MR_ASSIGN_OR_RETURN(Tensor x_ru, Floats(ctx, gates));
    MR_ASSIGN_OR_RETURN(Tensor h_ru, Floats(ctx, gates));
    MR_ASSIGN_OR_RETURN(Tensor x_c, Floats(ctx, cells));
    MR_ASSIGN_OR_RETURN(Tensor h_c, Floats(ctx, cells));
    MR_ASSIGN_OR_RETURN(Tensor r_h, Floats(ctx, cells));
    MatrixProblem p{.type = DataType::kFloat, .m = b, .k = s.input, .n = 2 * n};
    MR_RETURN_IF_ERROR(Product(ctx, p, in.x, in.w_ru, Write(&x_ru)));
    p.n = n;
    MR_RETURN_IF_ERROR(Product(ctx, p, in.x, in.w_c, Write(&x_c)));
    p.k = n;
    p.n = 2 * n;
    MR_RETURN_IF_ERROR(
        Product(ctx, p, in.h_prev, in.w_ru + s.input * 2 * n, Write(&h_ru)));
    MR_RETURN_IF_ERROR(Gates(ctx, s,
                             {Read(x_ru), Read(h_ru), in.b_ru, in.h_prev, out.r,
                              out.u, Write(&r_h)}));
    p.n = n;
    MR_RETURN_IF_ERROR(
        Product(ctx, p, Read(r_h), in.w_c + s.input * n, Write(&h_c)));
    return Output(
        ctx, s, {Read(x_c), Read(h_c), in.b_c, in.h_prev, out.u, out.c, out.h});
  }

  Status StepBack(KernelContext& ctx, const GruSizes& s, const GruInputs& in,
                  const GruSaved& saved, const GruGradients& out) const {
    const int64_t b = s.batch, n = s.cell;
    MR_ASSIGN_OR_RETURN(Tensor x_part, Floats(ctx, TensorShape({b, s.input})));
    MR_ASSIGN_OR_RETURN(Tensor d_r_h, Floats(ctx, TensorShape({b, n})));
    MR_RETURN_IF_ERROR(BackToCandidate(ctx, s, in.h_prev, saved, out));
    MatrixProblem p{.type = DataType::kFloat,
                    .m = b,
                    .k = n,
                    .n = s.input,
                    .transpose_b = true};
    MR_RETURN_IF_ERROR(Product(ctx, p, out.d_c, in.w_c, Write(&x_part)));
    p.n = n;
    MR_RETURN_IF_ERROR(
        Product(ctx, p, out.d_c, in.w_c + s.input * n, Write(&d_r_h)));
    MR_RETURN_IF_ERROR(BackToReset(ctx, s, in.h_prev, saved, Read(d_r_h), out));
    p.k = 2 * n;
    MR_RETURN_IF_ERROR(
        Product(ctx, p, out.d_ru, in.w_ru + s.input * 2 * n, out.d_h_prev));
    p.n = s.input;
    MR_RETURN_IF_ERROR(Product(ctx, p, out.d_ru, in.w_ru, out.d_x));
    return Finish(ctx, s, saved, Read(x_part), Read(d_r_h), out);
  }

 private:
  static StatusOr<Tensor> Floats(KernelContext& ctx, const TensorShape& shape) {
    return ctx.AllocateTemp(DataType::kFloat, shape);
  }

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
  // Computes the gradients of the candidate's sum, and of that of u.
  static Status BackToCandidate(KernelContext& ctx, const GruSizes& s,
                                const float* h_prev, const GruSaved& g,
                                const GruGradients& out) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; ++i) {
        out.d_c[i] = g.d_h[i] * (1.0f - g.u[i]) * (1.0f - g.c[i] * g.c[i]);
        out.d_ru[i / n * 2 * n + n + i % n] =
            g.d_h[i] * (h_prev[i] - g.c[i]) * g.u[i] * (1.0f - g.u[i]);
      }
    });
  }
  // Computes the gradient of the sum of r from that of r * h_prev.
  static Status BackToReset(KernelContext& ctx, const GruSizes& s,
                            const float* h_prev, const GruSaved& g,
                            const float* d_r_h, const GruGradients& out) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; ++i) {
        out.d_ru[i / n * 2 * n + i % n] =
            d_r_h[i] * h_prev[i] * g.r[i] * (1.0f - g.r[i]);
      }
    });
  }
  // Adds what the candidate gives to the gradients of x and h_prev.
  static Status Finish(KernelContext& ctx, const GruSizes& s, const GruSaved& g,
                       const float* x_part, const float* d_r_h,
                       const GruGradients& out) {
    const int64_t n = s.cell;
    return ForRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * s.input; i < end * s.input; ++i) {
        out.d_x[i] += x_part[i];
      }
      for (int64_t i = begin * n; i < end * n; ++i) {
        out.d_h_prev[i] += d_r_h[i] * g.r[i] + g.d_h[i] * g.u[i];
      }
    });
  }

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
