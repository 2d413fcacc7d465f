// One time step of an LSTM layer, forward and backward, without its products
// with the weights (Sak, Senior and Beaufays, "Long short-term memory recurrent
// neural network architectures for large scale acoustic modeling", 2014).
//
// With sigmoid s, the gates' sums g, and the peepholes w if there are any:
//   i = s(g_i + cs_prev w_i)      ci = tanh(g_c)
//   f = s(g_f + forget_bias + cs_prev w_f)
//   cs = i ci + f cs_prev, clipped   co = tanh(cs)
//   o = s(g_o + cs w_o)              h = o co
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// The order of the gates in a row of 4 * cell numbers.
enum class GateOrder {
  kCellBeforeForget,  // i, ci, f, o
  kForgetBeforeCell,  // i, f, ci, o
};

struct LstmLayer {
  int64_t batch = 0, input = 0, cell = 0;
  GateOrder order = GateOrder::kCellBeforeForget;
  float forget_bias = 0;
  float cell_clip = 0;  // cells are not clipped unless it is positive
  bool use_peephole = false;

  // Return where a gate begins in a row of gates.
  int64_t CellGate() const {
    return order == GateOrder::kCellBeforeForget ? cell : 2 * cell;
  }
  int64_t ForgetGate() const {
    return order == GateOrder::kCellBeforeForget ? 2 * cell : cell;
  }
  int64_t OutputGate() const { return 3 * cell; }
};

// Weights [cell] of the connections from a cell to its gates; read only if the
// layer uses them.
template <class T>
struct Peepholes {
  const T *wci = nullptr, *wcf = nullptr, *wco = nullptr;
};

// The parts of the gates' sums: the products of x and of h_prev with their rows
// of the weights, both [batch, 4 * cell], and the bias [4 * cell].
template <class T>
struct GateSums {
  const T *from_x = nullptr, *from_h = nullptr, *bias = nullptr;
};

// The results of a step, each [batch, cell].
template <class T>
struct LstmResults {
  T *i = nullptr, *cs = nullptr, *f = nullptr, *o = nullptr, *ci = nullptr,
    *co = nullptr, *h = nullptr;
};

template <class T>
Status RunLstmStep(KernelContext& ctx, const LstmLayer& layer,
                   const GateSums<T>& sums, const Peepholes<T>& w,
                   const T* cs_prev, const LstmResults<T>& out);

// The results of the forward step, and gradients. Those of cells and outputs
// are sums of two parts, the second of which may be null.
template <class T>
struct LstmStepGradient {
  const T *i, *f, *o, *ci, *co;
  const T *cs_grad, *h_grad;
  const T *later_cs_grad = nullptr, *later_h_grad = nullptr;
};

// Computes the gradients of the gates' sums, [batch, 4 * cell], and of cs_prev,
// [batch, cell], which may be `later_cs_grad` itself.
template <class T>
Status RunLstmStepBack(KernelContext& ctx, const LstmLayer& layer,
                       const LstmStepGradient<T>& in, const Peepholes<T>& w,
                       const T* cs_prev, T* dgates, T* cs_prev_grad);

#define MR_LSTM_STEP(prefix, T)                                     \
  prefix template Status RunLstmStep<T>(                            \
      KernelContext&, const LstmLayer&, const GateSums<T>&,         \
      const Peepholes<T>&, const T*, const LstmResults<T>&);        \
  prefix template Status RunLstmStepBack<T>(                        \
      KernelContext&, const LstmLayer&, const LstmStepGradient<T>&, \
      const Peepholes<T>&, const T*, T*, T*);
MR_LSTM_STEP(extern, float)
MR_LSTM_STEP(extern, Half)

}  // namespace millrace::ops
