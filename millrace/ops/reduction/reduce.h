// Reductions over some dimensions: Sum, Mean, Prod, Max, Min, All, Any,
// EuclideanNorm.
//
// An op is a template struct over the element type:
//   template <class T> struct SumOp {
//     using Acc = ...;                       // what it accumulates in
//     static Acc Identity();
//     static Acc Take(Acc a, T x);
//     static Acc Merge(Acc a, Acc b);
//     static T Finish(Acc a, int64_t count);  // of `count` elements
//     static constexpr bool kChooses = true;  // if Take is one of the two
//   };
// Each type needs two loops; the kernel handles dimensions, threads and partial
// results for all of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

struct ReduceLoops {
  size_t acc_bytes = 0;  // at most 16
  void (*init)(void* acc, int64_t n) = nullptr;
  // acc[r] accumulates x[r * stride] ... x[r * stride + n - 1], for r < rows.
  void (*rows)(const void* x, int64_t stride, int64_t rows, int64_t n,
               void* acc) = nullptr;
  // acc[j] accumulates x[r * stride + j] for all r < rows, for j < n.
  void (*columns)(const void* x, int64_t stride, int64_t rows, int64_t n,
                  void* acc) = nullptr;
  void (*merge)(void* acc, const void* other, int64_t n) = nullptr;
  void (*finish)(const void* acc, int64_t count, void* out,
                 int64_t n) = nullptr;
};

struct ReduceTable {
  std::array<ReduceLoops, kDataTypeLimit> loops = {};
  // The reduction of a single element is that element.
  bool keeps_one = true;
};

namespace internal {

template <class Op, class T>
void InitAcc(void* accv, int64_t n) {
  using Acc = typename Op::Acc;
  Acc* acc = static_cast<Acc*>(accv);
  for (int64_t i = 0; i < n; ++i) acc[i] = Op::Identity();
}

// Rows of at least this many bytes are read as two streams: the hardware
// prefetches up to the end of a page for each of them. With four streams, Zen 5
// reads no faster than with one, or at a third of that speed.
inline constexpr int64_t kManyStreamBytes = 128 << 10;

template <class Op>
concept Chooses = requires {
  requires Op::kChooses;
};

template <class Op, class T>
MR_TARGET_CLONES void ReduceRows(const void* xv, int64_t stride, int64_t rows,
                                 int64_t n, void* accv) {
  using Acc = typename Op::Acc;
  // Enough to fill vector registers and hide the latency of an addition.
  constexpr int kLanes = sizeof(Acc) > 8 ? 4 : 32;
  constexpr int kStreams = 2;
  constexpr int kStep = kLanes / kStreams;  // elements of a stream at a time
  const T* x = static_cast<const T*>(xv);
  Acc* acc = static_cast<Acc*>(accv);
  for (int64_t r = 0; r < rows; ++r, x += stride) {
    Acc a = acc[r];
    int64_t i = 0;
    if (n >= 2 * kLanes) {
      Acc lanes[kLanes];
      for (int l = 0; l < kLanes; ++l) lanes[l] = Op::Identity();
      const bool streams =
          n >= kManyStreamBytes / static_cast<int64_t>(sizeof(T));
      const int64_t steps = n / kLanes;
      const int64_t distance = streams ? steps * kStep : kStep;
      const T* from[kStreams];
#pragma GCC unroll 4
      for (int k = 0; k < kStreams; ++k) from[k] = x + k * distance;
      for (int64_t at = 0; at < steps * kLanes / (streams ? kStreams : 1);
           at += streams ? kStep : kLanes) {
        if constexpr (Chooses<Op>) {
          // The compiler makes vectors of a choice in loops only; where they
          // are written out, it branches for each element.
#pragma GCC unroll 4
          for (int k = 0; k < kStreams; ++k) {
            const T* const now = from[k] + at;
            Acc* const chosen = lanes + k * kStep;
#pragma GCC unroll 1
            for (int l = 0; l < kStep; ++l) {
              chosen[l] = Op::Take(chosen[l], now[l]);
            }
          }
        } else {
#pragma GCC unroll 32
          for (int l = 0; l < kLanes; ++l) {
            lanes[l] = Op::Take(lanes[l], from[l / kStep][at + l % kStep]);
          }
        }
      }
      i = steps * kLanes;
      for (int l = 0; l < kLanes; ++l) a = Op::Merge(a, lanes[l]);
    }
    for (; i < n; ++i) a = Op::Take(a, x[i]);
    acc[r] = a;
  }
}

template <class Op, class T>
MR_TARGET_CLONES void ReduceColumns(const void* xv, int64_t stride,
                                    int64_t rows, int64_t n, void* accv) {
  using Acc = typename Op::Acc;
  const T* x = static_cast<const T*>(xv);
  Acc* acc = static_cast<Acc*>(accv);
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, x += 4 * stride) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      Acc a = Op::Take(acc[j], x[j]);
      a = Op::Take(a, x[stride + j]);
      a = Op::Take(a, x[2 * stride + j]);
      acc[j] = Op::Take(a, x[3 * stride + j]);
    }
  }
  for (; r < rows; ++r, x += stride) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) acc[j] = Op::Take(acc[j], x[j]);
  }
}

template <class Op, class T>
void MergeAcc(void* accv, const void* otherv, int64_t n) {
  using Acc = typename Op::Acc;
  Acc* acc = static_cast<Acc*>(accv);
  const Acc* other = static_cast<const Acc*>(otherv);
  for (int64_t i = 0; i < n; ++i) acc[i] = Op::Merge(acc[i], other[i]);
}

template <class Op, class T>
void FinishAcc(const void* accv, int64_t count, void* outv, int64_t n) {
  using Acc = typename Op::Acc;
  const Acc* acc = static_cast<const Acc*>(accv);
  T* out = static_cast<T*>(outv);
  for (int64_t i = 0; i < n; ++i) out[i] = Op::Finish(acc[i], count);
}

template <template <class> class Op, class T>
constexpr ReduceLoops MakeReduceLoops() {
  return {sizeof(typename Op<T>::Acc), &InitAcc<Op<T>, T>,
          &ReduceRows<Op<T>, T>,       &ReduceColumns<Op<T>, T>,
          &MergeAcc<Op<T>, T>,         &FinishAcc<Op<T>, T>};
}

}  // namespace internal

template <template <class> class Op, class... Ts>
constexpr ReduceTable MakeReduceTable(Types<Ts...>) {
  ReduceTable table;
  ((table.loops[static_cast<int>(DataTypeOf<Ts>)] =
        internal::MakeReduceLoops<Op, Ts>()),
   ...);
  return table;
}

// The result of a reduction of a tensor of shape `x` over `axes`, which lies in
// host memory. Returns INVALID_ARGUMENT for axes that `x` has not, or that are
// there twice.
struct ReducePlan {
  std::vector<bool> reduced;  // by dimension
  TensorShape shape;
  int64_t count = 1;  // elements that each result is made of
};
StatusOr<ReducePlan> PlanReduction(const TensorShape& x, const Tensor& axes,
                                   bool keep_dims);

// Return the loops of Sum, Mean, Prod, Max and Min, for ops that reduce in
// other ways.
const ReduceTable& SumReduction();
const ReduceTable& MeanReduction();
const ReduceTable& ProdReduction();
const ReduceTable& MaxReduction();
const ReduceTable& MinReduction();

StatusOr<std::unique_ptr<Kernel>> MakeReduceKernel(const KernelInit& init,
                                                   const ReduceTable& table);

template <const ReduceTable& kTable>
StatusOr<std::unique_ptr<Kernel>> MakeReduce(const KernelInit& init) {
  return MakeReduceKernel(init, kTable);
}

}  // namespace millrace::ops
