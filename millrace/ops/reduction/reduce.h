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
// Each type needs two loops, but for half and bfloat16, which use those of
// float; the kernel handles dimensions, threads and partial results for all of
// them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/reduction/reduce_float_blocks.h"
#include "millrace/ops/reduction/reduce_rows.h"
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
  ReduceLoops loops = {sizeof(typename Op<T>::Acc), &InitAcc<Op<T>, T>};
  loops.merge = &MergeAcc<Op<T>, T>;
  loops.finish = &FinishAcc<Op<T>, T>;
  if constexpr (ComputesInFloat(DataTypeOf<T>)) {
    using F = Op<float>;
    static_assert(std::is_same_v<typename Op<T>::Acc, typename F::Acc>);
    loops.rows = &RowsByFloats<T, typename F::Acc, &ReduceRows<F, float>>;
    loops.columns =
        &ColumnsByFloats<T, typename F::Acc, &ReduceColumns<F, float>>;
  } else {
    loops.rows = &ReduceRows<Op<T>, T>;
    loops.columns = &ReduceColumns<Op<T>, T>;
  }
  return loops;
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
