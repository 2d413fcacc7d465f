// CpuRecurrence: how kernels of recurrent cells compute on a CPU. The kernels
// are templates of a class like it, so that those for GPUs, whose memory the
// host cannot read, say the same (recurrence.gpu.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/recurrent/column_sums.h"
#include "millrace/ops/recurrent/lstm_step.h"

namespace millrace::ops {

// The recurrence of one kernel. Pointers are addresses in the device's memory;
// all that it does is done in the order of the calls.
class CpuRecurrence {
 public:
  static StatusOr<CpuRecurrence> Make(const KernelInit&) {
    return CpuRecurrence();
  }

  // Return where the elements of a tensor begin.
  template <class T>
  static const T* Read(const Tensor& t) {
    return t.flat<T>().data();
  }
  template <class T>
  static T* Write(Tensor* t) {
    return t->mutable_flat<T>().data();
  }

  // Sets c, which has p.m * p.n elements of p.type, to the product of a and b;
  // to zeros if there is nothing to add up.
  Status Product(KernelContext& ctx, const MatrixProblem& p, const void* a,
                 const void* b, void* c) const {
    return ProductOrZero(ctx, product_, p, static_cast<const char*>(a),
                         static_cast<const char*>(b), static_cast<char*>(c));
  }
  template <class T>
  Status Step(KernelContext& ctx, const LstmLayer& layer,
              const GateSums<T>& sums, const Peepholes<T>& w, const T* cs_prev,
              const LstmResults<T>& out) const {
    return RunLstmStep<T>(ctx, layer, sums, w, cs_prev, out);
  }
  template <class T>
  Status StepBack(KernelContext& ctx, const LstmLayer& layer,
                  const LstmStepGradient<T>& in, const Peepholes<T>& w,
                  const T* cs_prev, T* dgates, T* cs_prev_grad) const {
    return RunLstmStepBack<T>(ctx, layer, in, w, cs_prev, dgates, cs_prev_grad);
  }
  // Adds to sums, as AddColumnSums.
  template <class T>
  Status AddSums(KernelContext& ctx, int64_t rows, int64_t columns, RowsOf<T> a,
                 RowsOf<T> b, float* sums) const {
    return AddColumnSums<T>(ctx, rows, columns, a, b, sums);
  }
  // Rounds n floats to T.
  template <class T>
  Status Round(KernelContext&, const float* from, int64_t n, T* to) const {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i]);
    return OkStatus();
  }
  // Set n elements to zero, or to those of another place.
  template <class T>
  Status Zero(KernelContext&, T* to, int64_t n) const {
    std::fill_n(to, n, T(0.0f));
    return OkStatus();
  }
  template <class T>
  Status Copy(KernelContext&, T* to, const T* from, int64_t n) const {
    std::copy_n(from, n, to);
    return OkStatus();
  }

 private:
  MatrixProduct product_;
};

}  // namespace millrace::ops
