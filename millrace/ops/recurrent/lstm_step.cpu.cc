#include "millrace/ops/recurrent/lstm_step.h"

#include <algorithm>

#include "millrace/base/target_clones.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/elementwise/float_math.h"

namespace millrace::ops {
namespace {

// Cells of a row are computed in blocks of floats that stay in the caches.
constexpr int64_t kLstmBlock = 256;
using LstmFloats = float[kLstmBlock];

// Estimates of the nanoseconds for a cell.
constexpr int64_t kStepCost = 20, kStepBackCost = 15;

void LoadLstm(const float* from, int64_t n, float* to) {
  std::copy_n(from, n, to);
}
void LoadLstm(const Half* from, int64_t n, float* to) {
  ToFloats(DataType::kHalf, from, to, n);
}
void StoreLstm(const float* from, int64_t n, float* to) {
  std::copy_n(from, n, to);
}
void StoreLstm(const float* from, int64_t n, Half* to) {
  FromFloats(DataType::kHalf, from, to, n);
}

// Adds `more` to `to`.
template <class T>
void AddLstm(const T* more, int64_t n, float* to) {
  LstmFloats x;
  LoadLstm(more, n, x);
  for (int64_t k = 0; k < n; ++k) to[k] += x[k];
}

// A block of cells: the gates' sums become the results.
struct ForwardBlock {
  LstmFloats i, ci, f, o, cs, co, h, cs_prev;
  LstmFloats wci, wcf, wco;
};

MR_TARGET_CLONES void ComputeGates(ForwardBlock* b, int64_t n, bool peephole,
                                   float forget_bias) {
  if (peephole) {
    for (int64_t k = 0; k < n; ++k) b->i[k] += b->cs_prev[k] * b->wci[k];
    for (int64_t k = 0; k < n; ++k) b->f[k] += b->cs_prev[k] * b->wcf[k];
  }
  for (int64_t k = 0; k < n; ++k) b->i[k] = float_math::Sigmoid(b->i[k]);
  for (int64_t k = 0; k < n; ++k) b->ci[k] = float_math::Tanh(b->ci[k]);
  for (int64_t k = 0; k < n; ++k) {
    b->f[k] = float_math::Sigmoid(b->f[k] + forget_bias);
  }
  for (int64_t k = 0; k < n; ++k) {
    b->cs[k] = b->i[k] * b->ci[k] + b->f[k] * b->cs_prev[k];
  }
}

MR_TARGET_CLONES void ComputeOutput(ForwardBlock* b, int64_t n, bool peephole,
                                    float clip) {
  if (clip > 0) {
    for (int64_t k = 0; k < n; ++k) {
      const float low = b->cs[k] < -clip ? -clip : b->cs[k];
      b->cs[k] = low > clip ? clip : low;
    }
  }
  if (peephole) {
    for (int64_t k = 0; k < n; ++k) b->o[k] += b->cs[k] * b->wco[k];
  }
  for (int64_t k = 0; k < n; ++k) b->co[k] = float_math::Tanh(b->cs[k]);
  for (int64_t k = 0; k < n; ++k) b->o[k] = float_math::Sigmoid(b->o[k]);
  for (int64_t k = 0; k < n; ++k) b->h[k] = b->o[k] * b->co[k];
}

struct BackBlock {
  LstmFloats i, ci, f, o, co, cs_prev, cs_grad, h_grad;
  LstmFloats wci, wcf, wco;
  LstmFloats di, dci, df, do_, cs_prev_grad;
};

MR_TARGET_CLONES void ComputeBack(BackBlock* b, int64_t n, bool peephole) {
  for (int64_t k = 0; k < n; ++k) {
    b->do_[k] = b->o[k] * (1.0f - b->o[k]) * b->h_grad[k] * b->co[k];
  }
  // The gradient of the cells takes the place of cs_grad.
  for (int64_t k = 0; k < n; ++k) {
    b->cs_grad[k] += (1.0f - b->co[k] * b->co[k]) * b->h_grad[k] * b->o[k];
  }
  if (peephole) {
    for (int64_t k = 0; k < n; ++k) b->cs_grad[k] += b->do_[k] * b->wco[k];
  }
  for (int64_t k = 0; k < n; ++k) {
    b->dci[k] = (1.0f - b->ci[k] * b->ci[k]) * b->cs_grad[k] * b->i[k];
  }
  for (int64_t k = 0; k < n; ++k) {
    b->df[k] = b->f[k] * (1.0f - b->f[k]) * b->cs_grad[k] * b->cs_prev[k];
  }
  for (int64_t k = 0; k < n; ++k) {
    b->di[k] = b->i[k] * (1.0f - b->i[k]) * b->cs_grad[k] * b->ci[k];
  }
  for (int64_t k = 0; k < n; ++k) {
    b->cs_prev_grad[k] = b->cs_grad[k] * b->f[k];
  }
  if (peephole) {
    for (int64_t k = 0; k < n; ++k) {
      b->cs_prev_grad[k] += b->di[k] * b->wci[k] + b->df[k] * b->wcf[k];
    }
  }
}

// Calls f(row, first cell, number of cells) for all blocks of the rows.
template <class F>
Status ForLstmBlocks(KernelContext& ctx, const LstmLayer& l, int64_t cost,
                     F&& f) {
  return ctx.ParallelFor(l.batch, l.cell * cost + 1,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t row = begin; row < end; ++row) {
                             for (int64_t c = 0; c < l.cell; c += kLstmBlock) {
                               f(row, c, std::min(kLstmBlock, l.cell - c));
                             }
                           }
                         });
}

}  // namespace

template <class T>
Status RunLstmStep(KernelContext& ctx, const LstmLayer& l,
                   const GateSums<T>& sums, const Peepholes<T>& w,
                   const T* cs_prev, const LstmResults<T>& out) {
  if (l.batch == 0 || l.cell == 0) return OkStatus();
  const auto block = [&](int64_t row, int64_t c, int64_t n) {
    ForwardBlock b;
    const auto load_gate = [&](int64_t gate, float* to) {
      const int64_t at = row * 4 * l.cell + gate + c;
      LoadLstm(sums.from_x + at, n, to);
      AddLstm(sums.from_h + at, n, to);
      AddLstm(sums.bias + gate + c, n, to);
    };
    load_gate(0, b.i);
    load_gate(l.CellGate(), b.ci);
    load_gate(l.ForgetGate(), b.f);
    load_gate(l.OutputGate(), b.o);
    const int64_t at = row * l.cell + c;
    LoadLstm(cs_prev + at, n, b.cs_prev);
    if (l.use_peephole) {
      LoadLstm(w.wci + c, n, b.wci);
      LoadLstm(w.wcf + c, n, b.wcf);
      LoadLstm(w.wco + c, n, b.wco);
    }
    ComputeGates(&b, n, l.use_peephole, l.forget_bias);
    ComputeOutput(&b, n, l.use_peephole, l.cell_clip);
    StoreLstm(b.i, n, out.i + at);
    StoreLstm(b.cs, n, out.cs + at);
    StoreLstm(b.f, n, out.f + at);
    StoreLstm(b.o, n, out.o + at);
    StoreLstm(b.ci, n, out.ci + at);
    StoreLstm(b.co, n, out.co + at);
    StoreLstm(b.h, n, out.h + at);
  };
  return ForLstmBlocks(ctx, l, kStepCost, block);
}

template <class T>
Status RunLstmStepBack(KernelContext& ctx, const LstmLayer& l,
                       const LstmStepGradient<T>& in, const Peepholes<T>& w,
                       const T* cs_prev, T* dgates, T* cs_prev_grad) {
  if (l.batch == 0 || l.cell == 0) return OkStatus();
  const auto block = [&](int64_t row, int64_t c, int64_t n) {
    BackBlock b;
    const int64_t at = row * l.cell + c;
    LoadLstm(in.i + at, n, b.i);
    LoadLstm(in.ci + at, n, b.ci);
    LoadLstm(in.f + at, n, b.f);
    LoadLstm(in.o + at, n, b.o);
    LoadLstm(in.co + at, n, b.co);
    LoadLstm(cs_prev + at, n, b.cs_prev);
    LoadLstm(in.cs_grad + at, n, b.cs_grad);
    LoadLstm(in.h_grad + at, n, b.h_grad);
    if (in.later_cs_grad != nullptr) {
      AddLstm(in.later_cs_grad + at, n, b.cs_grad);
    }
    if (in.later_h_grad != nullptr) {
      AddLstm(in.later_h_grad + at, n, b.h_grad);
    }
    if (l.use_peephole) {
      LoadLstm(w.wci + c, n, b.wci);
      LoadLstm(w.wcf + c, n, b.wcf);
      LoadLstm(w.wco + c, n, b.wco);
    }
    ComputeBack(&b, n, l.use_peephole);
    T* gates = dgates + row * 4 * l.cell + c;
    StoreLstm(b.di, n, gates);
    StoreLstm(b.dci, n, gates + l.CellGate());
    StoreLstm(b.df, n, gates + l.ForgetGate());
    StoreLstm(b.do_, n, gates + l.OutputGate());
    StoreLstm(b.cs_prev_grad, n, cs_prev_grad + at);
  };
  return ForLstmBlocks(ctx, l, kStepBackCost, block);
}

MR_LSTM_STEP(, float)
MR_LSTM_STEP(, Half)

}  // namespace millrace::ops
