// Kernels of a time step of a GRU layer (Cho et al., "Learning phrase
// representations using RNN encoder-decoder", EMNLP 2014), in float.
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/float_math.h"
#include "millrace/ops/recurrent/column_sums.h"

namespace millrace::ops {
namespace {

enum GruInput {
  kGruX,
  kGruHPrev,
  kGruWRu,
  kGruWC,
  kGruBRu,
  kGruBC,
  kGruR,
  kGruU,
  kGruC,
  kGruDh
};

struct GruSizes {
  int64_t batch = 0, input = 0, cell = 0;
};

const float* GruFloats(const KernelContext& ctx, int i) {
  return ctx.input(i).flat<float>().data();
}
const char* GruBytes(const float* elements) {
  return reinterpret_cast<const char*>(elements);
}

Status ExpectGruRank(const KernelContext& ctx, int i, int rank,
                     const char* name) {
  const int found = ctx.input(i).rank();
  if (found == rank) return OkStatus();
  return InvalidArgument("Rank of ", name, " must be ", rank, ", got ", found);
}

Status ExpectGruDim(const KernelContext& ctx, int i, int d, int64_t size,
                    const char* what) {
  const int64_t found = ctx.input(i).dim(d);
  if (found == size) return OkStatus();
  return InvalidArgument(what, ": ", found, " vs. ", size);
}

// Checks the inputs of the forward op.
StatusOr<GruSizes> ResolveGru(const KernelContext& ctx) {
  GruSizes s;
  MR_RETURN_IF_ERROR(ExpectGruRank(ctx, kGruX, 2, "x"));
  s.batch = ctx.input(kGruX).dim(0);
  s.input = ctx.input(kGruX).dim(1);
  MR_RETURN_IF_ERROR(ExpectGruRank(ctx, kGruHPrev, 2, "h_prev"));
  MR_RETURN_IF_ERROR(
      ExpectGruDim(ctx, kGruHPrev, 0, s.batch, "h_prev.dims(0) != batch_size"));
  s.cell = ctx.input(kGruHPrev).dim(1);
  MR_RETURN_IF_ERROR(ExpectGruRank(ctx, kGruWRu, 2, "w_ru_"));
  MR_RETURN_IF_ERROR(ExpectGruDim(ctx, kGruWRu, 0, s.input + s.cell,
                                  "w_ru.dim_size(0) != input_size + "
                                  "cell_size"));
  MR_RETURN_IF_ERROR(ExpectGruDim(ctx, kGruWRu, 1, s.cell * 2,
                                  "w_ru.dim_size(1) != cell_size * 2"));
  MR_RETURN_IF_ERROR(ExpectGruRank(ctx, kGruWC, 2, "w_c"));
  MR_RETURN_IF_ERROR(ExpectGruDim(ctx, kGruWC, 0, s.input + s.cell,
                                  "w_c.dim_size(0) != input_size + cell_size"));
  MR_RETURN_IF_ERROR(
      ExpectGruDim(ctx, kGruWC, 1, s.cell, "w_c.dim_size(1) != cell_size"));
  MR_RETURN_IF_ERROR(ExpectGruRank(ctx, kGruBRu, 1, "b_ru"));
  MR_RETURN_IF_ERROR(ExpectGruDim(ctx, kGruBRu, 0, s.cell * 2,
                                  "b_ru.dim_size(0) != cell_size * 2"));
  MR_RETURN_IF_ERROR(ExpectGruRank(ctx, kGruBC, 1, "b_c"));
  MR_RETURN_IF_ERROR(
      ExpectGruDim(ctx, kGruBC, 0, s.cell, "b_c.dim_size(0) != cell_size"));
  return s;
}

// Checks what the forward op computed and its gradient.
Status ExpectGruSaved(const KernelContext& ctx, const GruSizes& s) {
  struct Words {
    const char *name, *batch, *cell;
  };
  // As in stock, the message about the rank of c names w_c.
  constexpr Words kWords[] = {
      {"r", "r.dims(0) != batch_size", "r.dims(1) != cell_size"},
      {"u", "u.dims(0) != batch_size", "u.dims(1) != cell_size"},
      {"w_c", "c.dims(0) != batch_size", "c.dims(1) != cell_size"},
      {"d_h", "d_h.dims(0) != batch_size", "d_h.dims(1) != cell_size"}};
  for (int i = kGruR; i <= kGruDh; ++i) {
    const Words& words = kWords[i - kGruR];
    MR_RETURN_IF_ERROR(ExpectGruRank(ctx, i, 2, words.name));
    MR_RETURN_IF_ERROR(ExpectGruDim(ctx, i, 0, s.batch, words.batch));
    MR_RETURN_IF_ERROR(ExpectGruDim(ctx, i, 1, s.cell, words.cell));
  }
  return OkStatus();
}

// The elements of one row.
struct GruGates {
  const float *x_ru, *h_ru, *b_ru;  // the parts of the gates' sums, r then u
  const float* h_prev;
  float *r, *u, *r_h;  // r_h is r * h_prev
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

struct GruOutput {
  const float *x_c, *h_c, *b_c;  // the parts of the candidate's sum
  const float *h_prev, *u;
  float *c, *h;
};

MR_TARGET_CLONES void ComputeGruOutput(const GruOutput& g, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    g.c[k] = float_math::Tanh(g.x_c[k] + g.h_c[k] + g.b_c[k]);
  }
  for (int64_t k = 0; k < n; ++k) {
    g.h[k] = g.u[k] * g.h_prev[k] + (1.0f - g.u[k]) * g.c[k];
  }
}

// Calls f(first row of some, one behind the last).
template <class F>
Status ForGruRows(KernelContext& ctx, const GruSizes& s, F&& f) {
  return ctx.ParallelFor(s.batch, s.cell * 10 + 1, f);
}

class GruCellKernel {
 public:
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const GruSizes s, ResolveGru(ctx));
    const TensorShape shape({s.batch, s.cell});
    float* out[4];
    for (int i = 0; i < 4; ++i) {
      MR_ASSIGN_OR_RETURN(Tensor* const t, ctx.AllocateOutput(i, shape));
      out[i] = t->mutable_flat<float>().data();
    }
    const int64_t b = s.batch, n = s.cell;
    if (b == 0 || n == 0) return OkStatus();
    // From x and from h_prev: sums of the gates, then of the candidate.
    Tensor gates[2], candidate[2];
    for (int i = 0; i < 2; ++i) {
      MR_ASSIGN_OR_RETURN(gates[i], ctx.AllocateTemp(DataType::kFloat,
                                                     TensorShape({b, 2 * n})));
      MR_ASSIGN_OR_RETURN(candidate[i],
                          ctx.AllocateTemp(DataType::kFloat, shape));
    }
    MR_ASSIGN_OR_RETURN(Tensor r_h, ctx.AllocateTemp(DataType::kFloat, shape));
    const char* const x = ctx.input(kGruX).data();
    const char* const h_prev = ctx.input(kGruHPrev).data();
    const float* const w_ru = GruFloats(ctx, kGruWRu);
    const float* const w_c = GruFloats(ctx, kGruWC);
    MatrixProblem p{.type = DataType::kFloat, .m = b, .k = s.input, .n = 2 * n};
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, x, GruBytes(w_ru),
                                     gates[0].mutable_data()));
    p.n = n;
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, x, GruBytes(w_c),
                                     candidate[0].mutable_data()));
    p.k = n;
    p.n = 2 * n;
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, h_prev,
                                     GruBytes(w_ru + s.input * 2 * n),
                                     gates[1].mutable_data()));
    float* const reset = r_h.mutable_flat<float>().data();
    const float* const before = GruFloats(ctx, kGruHPrev);
    const float* const x_ru = gates[0].flat<float>().data();
    const float* const h_ru = gates[1].flat<float>().data();
    MR_RETURN_IF_ERROR(ForGruRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; i += n) {
        ComputeGruGates({x_ru + 2 * i, h_ru + 2 * i, GruFloats(ctx, kGruBRu),
                         before + i, out[0] + i, out[1] + i, reset + i},
                        n);
      }
    }));
    p.n = n;
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, r_h.data(),
                                     GruBytes(w_c + s.input * n),
                                     candidate[1].mutable_data()));
    const float* const x_c = candidate[0].flat<float>().data();
    const float* const h_c = candidate[1].flat<float>().data();
    return ForGruRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; i += n) {
        ComputeGruOutput({x_c + i, h_c + i, GruFloats(ctx, kGruBC), before + i,
                          out[1] + i, out[2] + i, out[3] + i},
                         n);
      }
    });
  }

 private:
  MatrixProduct product_;
};

class GruCellGradKernel {
 public:
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const GruSizes s, ResolveGru(ctx));
    MR_RETURN_IF_ERROR(ExpectGruSaved(ctx, s));
    const int64_t b = s.batch, n = s.cell;
    const TensorShape cells({b, n}), inputs({b, s.input});
    MR_ASSIGN_OR_RETURN(Tensor* const d_x, ctx.AllocateOutput(0, inputs));
    MR_ASSIGN_OR_RETURN(Tensor* const d_h_prev, ctx.AllocateOutput(1, cells));
    MR_ASSIGN_OR_RETURN(Tensor* const d_c_bar, ctx.AllocateOutput(2, cells));
    MR_ASSIGN_OR_RETURN(Tensor* const d_gates,
                        ctx.AllocateOutput(3, TensorShape({b, 2 * n})));
    MR_ASSIGN_OR_RETURN(Tensor x_part,
                        ctx.AllocateTemp(DataType::kFloat, inputs));
    MR_ASSIGN_OR_RETURN(Tensor d_r_h,
                        ctx.AllocateTemp(DataType::kFloat, cells));
    const float* const h_prev = GruFloats(ctx, kGruHPrev);
    const float* const r = GruFloats(ctx, kGruR);
    const float* const u = GruFloats(ctx, kGruU);
    const float* const c = GruFloats(ctx, kGruC);
    const float* const d_h = GruFloats(ctx, kGruDh);
    float* const dc = d_c_bar->mutable_flat<float>().data();
    float* const dg = d_gates->mutable_flat<float>().data();
    MR_RETURN_IF_ERROR(ForGruRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; ++i) {
        dc[i] = d_h[i] * (1.0f - u[i]) * (1.0f - c[i] * c[i]);
        dg[i / n * 2 * n + n + i % n] =
            d_h[i] * (h_prev[i] - c[i]) * u[i] * (1.0f - u[i]);
      }
    }));
    // Back through the candidate.
    const float* const w_c = GruFloats(ctx, kGruWC);
    MatrixProblem p{.type = DataType::kFloat,
                    .m = b,
                    .k = n,
                    .n = s.input,
                    .transpose_b = true};
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, d_c_bar->data(),
                                     GruBytes(w_c), x_part.mutable_data()));
    p.n = n;
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, d_c_bar->data(),
                                     GruBytes(w_c + s.input * n),
                                     d_r_h.mutable_data()));
    const float* const drh = d_r_h.flat<float>().data();
    MR_RETURN_IF_ERROR(ForGruRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * n; i < end * n; ++i) {
        dg[i / n * 2 * n + i % n] = drh[i] * h_prev[i] * r[i] * (1.0f - r[i]);
      }
    }));
    // Back through the gates.
    const float* const w_ru = GruFloats(ctx, kGruWRu);
    p.k = 2 * n;
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, d_gates->data(),
                                     GruBytes(w_ru + s.input * 2 * n),
                                     d_h_prev->mutable_data()));
    p.n = s.input;
    MR_RETURN_IF_ERROR(ProductOrZero(ctx, product_, p, d_gates->data(),
                                     GruBytes(w_ru), d_x->mutable_data()));
    float* const dx = d_x->mutable_flat<float>().data();
    float* const dh = d_h_prev->mutable_flat<float>().data();
    const float* const more = x_part.flat<float>().data();
    return ForGruRows(ctx, s, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * s.input; i < end * s.input; ++i)
        dx[i] += more[i];
      for (int64_t i = begin * n; i < end * n; ++i) {
        dh[i] += drh[i] * r[i] + d_h[i] * u[i];
      }
    });
  }

 private:
  MatrixProduct product_;
};

}  // namespace

MR_KERNELS(GRUBlockCell,
           Cpu){{.types = "T: float", .make = MakeKernel<GruCellKernel>}};
MR_KERNELS(GRUBlockCellGrad,
           Cpu){{.types = "T: float", .make = MakeKernel<GruCellGradKernel>}};

}  // namespace millrace::ops
