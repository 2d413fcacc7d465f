#include <algorithm>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/non_temporal.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/softmax.h"
#include "millrace/ops/nn/softmax_rows.h"
#include "millrace/ops/nn/softmax_short_rows.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Nanoseconds for an element: an exp and four passes.
constexpr int64_t kCostPerElement = 2;

// Returns rows in the type that they are computed in; the rows themselves if
// that is T. n is the number of their elements.
template <class T, class S>
const S* ToCompute(const T* rows, int64_t n, CountedVector<S>& scratch) {
  if constexpr (std::is_same_v<T, S>) {
    return rows;
  } else {
    scratch.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) scratch[i] = static_cast<S>(rows[i]);
    return scratch.data();
  }
}

// The number of rows of n elements that are computed in one go.
template <class S>
int64_t RowsAtOnce(int64_t n) {
  return n < kSideBySide<S> ? kSideBySide<S> : 1;
}

// Computes at most RowsAtOnce rows.
template <class S>
void SoftmaxRows(const S* x, S* z, int64_t rows, int64_t n, bool log) {
  if (n < kSideBySide<S>) {
    S max[kSideBySide<S>], sum[kSideBySide<S>];
    if (log) {
      LogSoftmaxShortRows(x, rows, n, z);
    } else {
      SoftmaxShortRows(x, rows, n, z, max, sum);
    }
    return;
  }
  const S max = RowMax(x, n);
  if (log) {
    Shift(z, std::log(ShiftAndSumExp(x, max, z, n)), n);
  } else {
    Scale(z, S(1) / ExpAndSum(x, max, z, n), n);
  }
}

template <bool kLog>
Status RunSoftmax(KernelContext& ctx) {
  const TensorShape shape = ctx.input(0).shape();
  if (shape.rank() < 1) {
    return InvalidArgument("logits must have >= 1 dimension, got ",
                           shape.DebugString());
  }
  const DataType dtype = ctx.input(0).dtype();
  const Tensor logits = ctx.input(0);
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
  const int64_t n = shape.dim(shape.rank() - 1);
  if (shape.num_elements() == 0) return OkStatus();
  return Dispatch(FloatTypes{}, dtype, [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* x = logits.flat<T>().data();
    T* z = out->mutable_flat<T>().data();
    const bool non_temporal =
        static_cast<size_t>(n) * sizeof(T) <= kMaxNonTemporalBytes &&
        IsNonTemporalFaster(2 * out->size_bytes(), WaitsFor::kComputing);
    return ctx.ParallelFor(
        shape.num_elements() / n, n * kCostPerElement,
        [&](int64_t begin, int64_t end) {
          CountedVector<S> in, result;
          const int64_t step = RowsAtOnce<S>(n);
          for (int64_t row = begin; row < end; row += step) {
            const int64_t rows = std::min(step, end - row);
            const int64_t count = rows * n;
            const S* from = ToCompute<T, S>(x + row * n, count, in);
            T* const to = z + row * n;
            if (std::is_same_v<T, S> && !non_temporal) {
              SoftmaxRows(from, reinterpret_cast<S*>(to), rows, n, kLog);
              continue;
            }
            result.resize(static_cast<size_t>(count));
            SoftmaxRows(from, result.data(), rows, n, kLog);
            if constexpr (std::is_same_v<T, S>) {
              NonTemporalCopy(reinterpret_cast<const char*>(result.data()),
                              reinterpret_cast<char*>(to),
                              static_cast<size_t>(count) * sizeof(T));
            } else {
              std::transform(result.begin(), result.end(), to,
                             [](S value) { return static_cast<T>(value); });
            }
          }
          if (non_temporal) NonTemporalFence();
        });
  });
}

// Computes loss = sum(labels * (log(sum(exp(shifted))) - shifted)) and backprop
// = softmax - labels, of at most RowsAtOnce rows.
template <class S>
void CrossEntropyRows(const S* x, const S* labels, int64_t rows, int64_t n,
                      S* losses, S* backprop) {
  if (n < kSideBySide<S>) {
    CrossEntropyShortRows(x, labels, rows, n, losses, backprop);
    return;
  }
  const S sum = ShiftAndSumExp(x, RowMax(x, n), backprop, n);
  const S log_sum = std::log(sum);
  S loss = 0;
  for (int64_t i = 0; i < n; ++i) {
    // A label of 0 adds nothing, even if the logit is -inf.
    loss += labels[i] == S(0) ? S(0) : labels[i] * (log_sum - backprop[i]);
    backprop[i] = ExpOfNegative(backprop[i]) / sum - labels[i];
  }
  *losses = loss;
}

// Returns a [batch, classes] operand in its broadcast shape.
StatusOr<Tensor> Expand(KernelContext& ctx, const Tensor& t, const Broadcast& b,
                        int operand) {
  if (b.IsDense(operand)) return t;
  MR_ASSIGN_OR_RETURN(Tensor full, ctx.AllocateTemp(t.dtype(), b.shape()));
  b.Gather(operand, t.data(), 0, b.total(), SizeOf(t.dtype()),
           full.mutable_data());
  return full;
}

Status RunCrossEntropy(KernelContext& ctx) {
  const Tensor& features = ctx.input(0);
  const Tensor& labels = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const Broadcast b,
                      CrossEntropyBroadcast(features.shape(), labels.shape()));
  const int64_t batch = b.shape().dim(0);
  const int64_t n = b.shape().dim(1);
  MR_ASSIGN_OR_RETURN(const Tensor x, Expand(ctx, features, b, 0));
  MR_ASSIGN_OR_RETURN(const Tensor y, Expand(ctx, labels, b, 1));
  MR_ASSIGN_OR_RETURN(Tensor* const loss,
                      ctx.AllocateOutput(0, TensorShape({batch})));
  MR_ASSIGN_OR_RETURN(Tensor* const backprop, ctx.AllocateOutput(1, b.shape()));
  if (batch == 0) return OkStatus();
  if (n == 0)
    return InvalidArgument(
        "Must have at least one class, but got "
        "logits_size=",
        features.shape().DebugString());
  return Dispatch(FloatTypes{}, features.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* logits = x.flat<T>().data();
    const T* target = y.flat<T>().data();
    T* losses = loss->mutable_flat<T>().data();
    T* grads = backprop->mutable_flat<T>().data();
    return ctx.ParallelFor(
        batch, n * kCostPerElement, [&](int64_t begin, int64_t end) {
          const int64_t step = RowsAtOnce<S>(n);
          S lost[kSideBySide<S>];
          CountedVector<S> in, wanted, result(static_cast<size_t>(step * n));
          for (int64_t row = begin; row < end; row += step) {
            const int64_t rows = std::min(step, end - row);
            const int64_t count = rows * n;
            const S* from = ToCompute<T, S>(logits + row * n, count, in);
            const S* to = ToCompute<T, S>(target + row * n, count, wanted);
            CrossEntropyRows(from, to, rows, n, lost, result.data());
            for (int64_t r = 0; r < rows; ++r) {
              losses[row + r] = static_cast<T>(lost[r]);
            }
            for (int64_t i = 0; i < count; ++i) {
              grads[row * n + i] = static_cast<T>(result[i]);
            }
          }
        });
  });
}

// Computes the losses of classes `labels` and backprop = softmax, minus 1 at
// the label, of at most RowsAtOnce rows. Labels out of range, which are errors
// as in stock's CPU kernel, are found before.
template <class S>
void SparseCrossEntropyRows(const S* x, const int64_t* labels, int64_t rows,
                            int64_t n, S* losses, S* backprop) {
  S max[kSideBySide<S>], sum[kSideBySide<S>];
  if (n < kSideBySide<S>) {
    SoftmaxShortRows(x, rows, n, backprop, max, sum);
  } else {
    max[0] = RowMax(x, n);
    sum[0] = ExpAndSum(x, max[0], backprop, n);
    Scale(backprop, S(1) / sum[0], n);
  }
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = r * n + labels[r];
    backprop[at] -= S(1);
    losses[r] = std::log(sum[r]) - (x[at] - max[r]);
  }
}

template <class L>
Status CheckLabels(absl::Span<const L> labels, int64_t classes) {
  for (const L label : labels) {
    if (label < 0 || label >= classes) {
      return InvalidArgument("Received a label value of ", label,
                             " which is outside the valid range of [0, ",
                             classes, ").");
    }
  }
  return OkStatus();
}

Status RunSparseCrossEntropy(KernelContext& ctx) {
  const Tensor logits = ctx.input(0);
  const Tensor& labels = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckSparseCrossEntropy(logits.shape(), labels.shape()));
  const int64_t batch = logits.dim(0);
  const int64_t n = logits.dim(1);
  const CountedVector<int64_t> classes = ManyIntValues(labels);
  MR_RETURN_IF_ERROR(CheckLabels<int64_t>(classes, n));
  MR_ASSIGN_OR_RETURN(Tensor* const loss,
                      ctx.AllocateOutput(0, TensorShape({batch})));
  MR_ASSIGN_OR_RETURN(Tensor* const backprop,
                      ctx.AllocateOutput(1, logits.shape()));
  if (batch == 0) return OkStatus();
  return Dispatch(FloatTypes{}, logits.dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* x = logits.flat<T>().data();
    T* losses = loss->mutable_flat<T>().data();
    T* grads = backprop->mutable_flat<T>().data();
    return ctx.ParallelFor(
        batch, n * kCostPerElement, [&](int64_t begin, int64_t end) {
          const int64_t step = RowsAtOnce<S>(n);
          S lost[kSideBySide<S>];
          CountedVector<S> in, result(static_cast<size_t>(step * n));
          for (int64_t row = begin; row < end; row += step) {
            const int64_t rows = std::min(step, end - row);
            const int64_t count = rows * n;
            const S* from = ToCompute<T, S>(x + row * n, count, in);
            SparseCrossEntropyRows(from, classes.data() + row, rows, n, lost,
                                   result.data());
            for (int64_t r = 0; r < rows; ++r) {
              losses[row + r] = static_cast<T>(lost[r]);
            }
            for (int64_t i = 0; i < count; ++i) {
              grads[row * n + i] = static_cast<T>(result[i]);
            }
          }
        });
  });
}

#define MR_FLOAT_TYPES "T: bfloat16, double, float, half"

}  // namespace

StatusOr<Broadcast> CrossEntropyBroadcast(const TensorShape& logits,
                                          const TensorShape& labels) {
  StatusOr<Broadcast> b = Broadcast::Make({&logits, &labels});
  if (!b.ok()) {
    return InvalidArgument(
        "logits and labels must be broadcastable: logits_size=",
        logits.DebugString(), " labels_size=", labels.DebugString());
  }
  if (b->shape().rank() != 2) {
    return InvalidArgument(
        "logits and labels must be either 2-dimensional, or "
        "broadcasted to be 2-dimensional, got ",
        b->shape().DebugString());
  }
  return b;
}

Status CheckSparseCrossEntropy(const TensorShape& logits,
                               const TensorShape& labels) {
  if (logits.rank() != 2) {
    return InvalidArgument("logits must be 2-D, but got shape ",
                           logits.DebugString());
  }
  if (labels.rank() != 1) {
    return InvalidArgument("labels must be 1-D, but got shape ",
                           labels.DebugString());
  }
  if (labels.dim(0) != logits.dim(0)) {
    return InvalidArgument(
        "logits and labels must have the same first dimension, got logits "
        "shape ",
        logits.DebugString(), " and labels shape ", labels.DebugString());
  }
  if (logits.dim(1) == 0) {
    return InvalidArgument(
        "Must have at least one class, but got logits "
        "shape ",
        logits.DebugString());
  }
  return OkStatus();
}

MR_KERNELS(Softmax, Cpu){
    {.types = MR_FLOAT_TYPES, .make = MakeFunctionKernel<RunSoftmax<false>>}};
MR_KERNELS(LogSoftmax, Cpu){
    {.types = MR_FLOAT_TYPES, .make = MakeFunctionKernel<RunSoftmax<true>>}};
MR_KERNELS(SoftmaxCrossEntropyWithLogits, Cpu){
    {.types = MR_FLOAT_TYPES, .make = MakeFunctionKernel<RunCrossEntropy>}};
MR_KERNELS(SparseSoftmaxCrossEntropyWithLogits,
           Cpu){{.types = MR_FLOAT_TYPES,
                 .make = MakeFunctionKernel<RunSparseCrossEntropy>}};

}  // namespace millrace::ops
