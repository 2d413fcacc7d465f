// Kernels of a single time step of an LSTM layer, for a recurrence R
// (recurrence.h).
#pragma once

#include "millrace/ops/recurrent/recurrence.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops::lstm_cell {

// The inputs that both ops share, in their order.
enum LstmCellInput { kX, kCsPrev, kHPrev, kW, kWci, kWcf, kWco, kB };

// Requires dimension d of input i to be `size`; `what` begins the message.
inline Status ExpectDim(const KernelContext& ctx, int i, int d, int64_t size,
                        const char* what) {
  const Tensor& t = ctx.input(i);
  const int64_t found = d < t.rank() ? t.dim(d) : 0;
  if (found == size) return OkStatus();
  return InvalidArgument(what, ": ", found, " vs. ", size);
}

// Requires a rank of input i, whose name in messages is `name`.
inline Status ExpectRank(const KernelContext& ctx, int i, int rank,
                         const char* name) {
  const int found = ctx.input(i).rank();
  if (found == rank) return OkStatus();
  return InvalidArgument(name, " must be rank ", rank, " but is rank ", found,
                         ".");
}

// Requires the peephole weights to reach all cells, if they are used.
inline Status ExpectPeepholes(const KernelContext& ctx, const LstmLayer& l) {
  constexpr const char* kNames[] = {"wci", "wcf", "wco"};
  for (int k = 0; l.use_peephole && k < 3; ++k) {
    const int64_t found = ctx.input(kWci + k).dim(0);
    if (found < l.cell) {
      return InvalidArgument(kNames[k], ".dim_size(0) != cell_size: ", found,
                             " vs. ", l.cell);
    }
  }
  return OkStatus();
}

// Checks the shapes of the shared inputs and sets the layer's sizes.
inline Status ResolveLstmCell(const KernelContext& ctx, LstmLayer* l) {
  const Tensor& x = ctx.input(kX);
  const Tensor& cs_prev = ctx.input(kCsPrev);
  l->batch = x.rank() > 0 ? x.dim(0) : 0;
  l->input = x.rank() > 1 ? x.dim(1) : 0;
  l->cell = cs_prev.rank() > 1 ? cs_prev.dim(1) : 0;
  MR_RETURN_IF_ERROR(
      ExpectDim(ctx, kCsPrev, 0, l->batch, "cs_prev.dims(0) != batch_size"));
  MR_RETURN_IF_ERROR(
      ExpectDim(ctx, kHPrev, 0, l->batch, "h_prev.dims(0) != batch_size"));
  MR_RETURN_IF_ERROR(
      ExpectDim(ctx, kHPrev, 1, l->cell, "h_prev.dims(1) != cell_size"));
  MR_RETURN_IF_ERROR(ExpectDim(ctx, kW, 0, l->input + l->cell,
                               "w.dim_size(0) != input_size + cell_size"));
  MR_RETURN_IF_ERROR(
      ExpectDim(ctx, kW, 1, l->cell * 4, "w.dim_size(1) != cell_size * 4"));
  return ExpectDim(ctx, kB, 0, l->cell * 4, "b.dim_size(0) != cell_size * 4");
}

inline Status ExpectLstmCellRanks(const KernelContext& ctx) {
  MR_RETURN_IF_ERROR(ExpectRank(ctx, kX, 2, "x_tensor"));
  MR_RETURN_IF_ERROR(ExpectRank(ctx, kCsPrev, 2, "cs_prev_tensor"));
  MR_RETURN_IF_ERROR(ExpectRank(ctx, kHPrev, 2, "h_prev_tensor"));
  MR_RETURN_IF_ERROR(ExpectRank(ctx, kW, 2, "w_tensor"));
  MR_RETURN_IF_ERROR(ExpectRank(ctx, kWci, 1, "wci_tensor"));
  MR_RETURN_IF_ERROR(ExpectRank(ctx, kWcf, 1, "wcf_tensor"));
  MR_RETURN_IF_ERROR(ExpectRank(ctx, kWco, 1, "wco_tensor"));
  return ExpectRank(ctx, kB, 1, "b_tensor");
}

template <class R, class T>
Peepholes<T> PeepholesOf(const KernelContext& ctx) {
  return {R::template Read<T>(ctx.input(kWci)),
          R::template Read<T>(ctx.input(kWcf)),
          R::template Read<T>(ctx.input(kWco))};
}

template <class R>
class LstmCellKernel {
 public:
  static StatusOr<LstmCellKernel> Make(const KernelInit& init) {
    LstmCellKernel k;
    MR_ASSIGN_OR_RETURN(k.recurrence_, R::Make(init));
    MR_ASSIGN_OR_RETURN(k.layer_.forget_bias, init.Attr<float>("forget_bias"));
    MR_ASSIGN_OR_RETURN(k.layer_.cell_clip, init.Attr<float>("cell_clip"));
    MR_ASSIGN_OR_RETURN(k.layer_.use_peephole, init.Attr<bool>("use_peephole"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    LstmLayer l = layer_;
    MR_RETURN_IF_ERROR(ResolveLstmCell(ctx, &l));
    MR_RETURN_IF_ERROR(ExpectLstmCellRanks(ctx));
    if (l.batch == 0 || l.cell == 0) {
      return InvalidArgument("cs_prev_tensor is empty, has shape: (", l.batch,
                             ",", l.cell, ").");
    }
    MR_RETURN_IF_ERROR(ExpectPeepholes(ctx, l));
    return Dispatch<float, Half>(ctx.input_type(kX), [&]<class T>() -> Status {
      return RunTyped<T>(ctx, l);
    });
  }

 private:
  template <class T>
  Status RunTyped(KernelContext& ctx, const LstmLayer& l) const {
    const TensorShape shape({l.batch, l.cell});
    T* outputs[7];
    for (int i = 0; i < 7; ++i) {
      MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(i, shape));
      outputs[i] = R::template Write<T>(out);
    }
    Tensor memory[2];
    GateSums<T> sums{.bias = R::template Read<T>(ctx.input(kB))};
    MR_RETURN_IF_ERROR(recurrence_.template MultiplyInputs<T>(
        ctx, l, R::template Read<T>(ctx.input(kX)),
        R::template Read<T>(ctx.input(kHPrev)),
        R::template Read<T>(ctx.input(kW)), memory, &sums));
    return recurrence_.template Step<T>(
        ctx, l, sums, PeepholesOf<R, T>(ctx),
        R::template Read<T>(ctx.input(kCsPrev)),
        {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4], outputs[5],
         outputs[6]});
  }

  LstmLayer layer_;
  R recurrence_;
};

template <class R>
class LstmCellGradKernel {
 public:
  static StatusOr<LstmCellGradKernel> Make(const KernelInit& init) {
    LstmCellGradKernel k;
    MR_ASSIGN_OR_RETURN(k.recurrence_, R::Make(init));
    MR_ASSIGN_OR_RETURN(k.layer_.use_peephole, init.Attr<bool>("use_peephole"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    LstmLayer l = layer_;
    MR_RETURN_IF_ERROR(ResolveLstmCell(ctx, &l));
    MR_RETURN_IF_ERROR(CheckSaved(ctx, l));
    MR_RETURN_IF_ERROR(ExpectLstmCellRanks(ctx));
    constexpr const char* kNames[] = {
        "i_tensor",  "cs_tensor", "f_tensor",       "o_tensor",
        "ci_tensor", "co_tensor", "cs_grad_tensor", "h_grad_tensor"};
    for (int i = kI; i <= kHGrad; ++i) {
      MR_RETURN_IF_ERROR(ExpectRank(ctx, i, 2, kNames[i - kI]));
    }
    MR_RETURN_IF_ERROR(ExpectPeepholes(ctx, l));
    return Dispatch<float, Half>(ctx.input_type(kX), [&]<class T>() -> Status {
      return RunTyped<T>(ctx, l);
    });
  }

 private:
  enum Input { kI = 8, kCs, kF, kO, kCi, kCo, kCsGrad, kHGrad };

  static Status CheckSaved(const KernelContext& ctx, const LstmLayer& l) {
    struct Words {
      const char *batch, *cell;
    };
    // As in stock, the forget gate's second message names the input gate.
    constexpr Words kWords[] = {
        {"i.dim_size(0) != batch_size", "i.dim_size(1) != cell_size"},
        {"cs.dim_size(0) != batch_size", "cs.dim_size(1) != cell_size"},
        {"f.dim_size(0) != batch_size", "i.dim_size(1) != cell_size"},
        {"o.dim_size(0) != batch_size", "o.dim_size(1) != cell_size"},
        {"ci.dim_size(0) != batch_size", "ci.dim_size(1) != cell_size"},
        {"co.dim_size(0) != batch_size", "co.dim_size(1) != cell_size"},
        {"cs_grad_tensor.dims(0) != batch_size",
         "cs_grad_tensor.dims(1) != cell_size"},
        {"h_grad_tensor.dims(0) != batch_size",
         "h_grad_tensor.dims(1) != cell_size"}};
    for (int i = kI; i <= kHGrad; ++i) {
      const Words& words = kWords[i - kI];
      MR_RETURN_IF_ERROR(ExpectDim(ctx, i, 0, l.batch, words.batch));
      MR_RETURN_IF_ERROR(ExpectDim(ctx, i, 1, l.cell, words.cell));
    }
    return OkStatus();
  }

  template <class T>
  Status RunTyped(KernelContext& ctx, const LstmLayer& l) const {
    const auto in = [&](int i) { return R::template Read<T>(ctx.input(i)); };
    MR_ASSIGN_OR_RETURN(const TensorShape gates,
                        TensorShape::Make({l.batch, 4 * l.cell}));
    MR_ASSIGN_OR_RETURN(Tensor* const cs_prev_grad,
                        ctx.AllocateOutput(0, TensorShape({l.batch, l.cell})));
    MR_ASSIGN_OR_RETURN(Tensor* const dgates, ctx.AllocateOutput(1, gates));
    const LstmStepGradient<T> step{in(kI),  in(kF),      in(kO),    in(kCi),
                                   in(kCo), in(kCsGrad), in(kHGrad)};
    T* const d = R::template Write<T>(dgates);
    MR_RETURN_IF_ERROR(recurrence_.template StepBack<T>(
        ctx, l, step, PeepholesOf<R, T>(ctx), in(kCsPrev), d,
        R::template Write<T>(cs_prev_grad)));
    const bool has_sums = l.use_peephole && l.batch > 0 && l.cell > 0;
    T* sums[3];
    for (int k = 0; k < 3; ++k) {
      const TensorShape& shape = ctx.input(kWci + k).shape();
      MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(2 + k, shape));
      sums[k] = R::template Write<T>(out);
      // The weights that no cell uses have no gradient.
      if (has_sums && shape.num_elements() == l.cell) continue;
      MR_RETURN_IF_ERROR(recurrence_.Zero(ctx, sums[k], shape.num_elements()));
    }
    if (!has_sums) return OkStatus();
    const auto sum = [&](int64_t gate, int values, T* to) -> RowSum<T> {
      return {l.cell, d + gate, 4 * l.cell, in(values), nullptr, to};
    };
    return recurrence_.template SumRows<T>(
        ctx, l.batch, l.batch,
        {sum(0, kCsPrev, sums[0]), sum(l.ForgetGate(), kCsPrev, sums[1]),
         sum(l.OutputGate(), kCs, sums[2])});
  }

  LstmLayer layer_;
  R recurrence_;
};

}  // namespace millrace::ops::lstm_cell
