// Kernels of a time step of a GRU layer, in float, for a recurrence R that
// computes on a device (gru_cell.cpu.cc, gru_cell.gpu.cc).
#pragma once

#include "millrace/kernel/kernel.h"
#include "millrace/ops/recurrent/gru_step.h"

namespace millrace::ops::gru_cell {

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

inline Status ExpectGruRank(const KernelContext& ctx, int i, int rank,
                            const char* name) {
  const int found = ctx.input(i).rank();
  if (found == rank) return OkStatus();
  return InvalidArgument("Rank of ", name, " must be ", rank, ", got ", found);
}

inline Status ExpectGruDim(const KernelContext& ctx, int i, int d, int64_t size,
                           const char* what) {
  const int64_t found = ctx.input(i).dim(d);
  if (found == size) return OkStatus();
  return InvalidArgument(what, ": ", found, " vs. ", size);
}

// Checks the inputs of the forward op.
inline StatusOr<GruSizes> ResolveGru(const KernelContext& ctx) {
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
inline Status ExpectGruSaved(const KernelContext& ctx, const GruSizes& s) {
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

template <class R>
GruInputs InputsOf(const KernelContext& ctx) {
  const auto in = [&](int i) { return R::Read(ctx.input(i)); };
  return {in(kGruX),  in(kGruHPrev), in(kGruWRu),
          in(kGruWC), in(kGruBRu),   in(kGruBC)};
}

template <class R>
class GruCellKernel {
 public:
  static StatusOr<GruCellKernel> Make(const KernelInit& init) {
    GruCellKernel k;
    MR_ASSIGN_OR_RETURN(k.recurrence_, R::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const GruSizes s, ResolveGru(ctx));
    const TensorShape shape({s.batch, s.cell});
    float* out[4];
    for (int i = 0; i < 4; ++i) {
      MR_ASSIGN_OR_RETURN(Tensor* const t, ctx.AllocateOutput(i, shape));
      out[i] = R::Write(t);
    }
    if (shape.num_elements() == 0) return OkStatus();
    return recurrence_.Step(ctx, s, InputsOf<R>(ctx),
                            {out[0], out[1], out[2], out[3]});
  }

 private:
  R recurrence_;
};

template <class R>
class GruCellGradKernel {
 public:
  static StatusOr<GruCellGradKernel> Make(const KernelInit& init) {
    GruCellGradKernel k;
    MR_ASSIGN_OR_RETURN(k.recurrence_, R::Make(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const GruSizes s, ResolveGru(ctx));
    MR_RETURN_IF_ERROR(ExpectGruSaved(ctx, s));
    const int64_t b = s.batch, n = s.cell;
    const TensorShape cells({b, n});
    MR_ASSIGN_OR_RETURN(Tensor* const d_x,
                        ctx.AllocateOutput(0, TensorShape({b, s.input})));
    MR_ASSIGN_OR_RETURN(Tensor* const d_h_prev, ctx.AllocateOutput(1, cells));
    MR_ASSIGN_OR_RETURN(Tensor* const d_c, ctx.AllocateOutput(2, cells));
    MR_ASSIGN_OR_RETURN(Tensor* const d_ru,
                        ctx.AllocateOutput(3, TensorShape({b, 2 * n})));
    const auto in = [&](int i) { return R::Read(ctx.input(i)); };
    return recurrence_.StepBack(
        ctx, s, InputsOf<R>(ctx), {in(kGruR), in(kGruU), in(kGruC), in(kGruDh)},
        {R::Write(d_x), R::Write(d_h_prev), R::Write(d_c), R::Write(d_ru)});
  }

 private:
  R recurrence_;
};

}  // namespace millrace::ops::gru_cell
