// Loops of elementwise ops: an op on one element becomes functions over spans,
// one for each dtype, which are listed in a table by dtype.
//
//   struct NegOp {
//     template <class T> static T Do(T x) { return -x; }
//   };
//   constexpr UnaryTable kNeg = MakeUnaryTable<NegOp>(Types<float, double>());
//
// half and bfloat16 need no loops of their own: elementwise.h converts blocks
// and calls the loop of float (a table may still have one for them).
// elementwise.h also broadcasts and shards, so only the loops of this file are
// compiled for each op and dtype.
#pragma once

#include <array>
#include <cstdint>

#include "millrace/base/target_clones.h"
#include "millrace/tensor/dispatch.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Computes z[i] = op(x[i]) for i < n. z may be x if their elements have the
// same size.
using UnaryLoop = void (*)(const void* x, void* z, int64_t n);

// Computes z[i] = op(x[i], y[i]) for i < n; in two of the three forms x or y is
// one element for all i. z may be x or y. Returns false if an element has no
// result; the rest of z is then unspecified.
using BinaryLoop = bool (*)(const void* x, const void* y, void* z, int64_t n);
struct BinaryLoops {
  BinaryLoop vector_vector = nullptr;
  BinaryLoop vector_scalar = nullptr;
  BinaryLoop scalar_vector = nullptr;
  friend bool operator==(const BinaryLoops&, const BinaryLoops&) = default;
};

struct UnaryTable {
  std::array<UnaryLoop, kDataTypeLimit> loops = {};
  int cost_picos = 250;  // for an element of float
};

struct BinaryTable {
  std::array<BinaryLoops, kDataTypeLimit> loops = {};
  int cost_picos = 250;
  const char* no_result = "";  // the message if a loop returns false
};

namespace internal {

template <class Op, class T>
MR_TARGET_CLONES void LoopOverX(const void* xv, void* zv, int64_t n) {
  using R = decltype(Op::Do(T()));
  const T* x = static_cast<const T*>(xv);
  R* z = static_cast<R*>(zv);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Op::Do(x[i]);
}

// An op that has no result for some elements declares
//   template <class T> static bool Fails(T x, T y);
template <class Op, class T>
concept CanFail = requires(T x, T y) {
  Op::Fails(x, y);
};

template <class Op, class T>
MR_TARGET_CLONES bool LoopOverXY(const void* xv, const void* yv, void* zv,
                                 int64_t n) {
  using R = decltype(Op::Do(T(), T()));
  const T* x = static_cast<const T*>(xv);
  const T* y = static_cast<const T*>(yv);
  R* z = static_cast<R*>(zv);
  if constexpr (CanFail<Op, T>) {
    bool fails = false;
    for (int64_t i = 0; i < n; ++i) fails |= Op::Fails(x[i], y[i]);
    if (fails) return false;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Op::Do(x[i], y[i]);
  return true;
}

template <class Op, class T>
MR_TARGET_CLONES bool LoopOverXWithScalar(const void* xv, const void* yv,
                                          void* zv, int64_t n) {
  using R = decltype(Op::Do(T(), T()));
  const T* x = static_cast<const T*>(xv);
  const T y = *static_cast<const T*>(yv);
  R* z = static_cast<R*>(zv);
  if constexpr (CanFail<Op, T>) {
    bool fails = false;
    for (int64_t i = 0; i < n; ++i) fails |= Op::Fails(x[i], y);
    if (fails) return false;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Op::Do(x[i], y);
  return true;
}

template <class Op, class T>
MR_TARGET_CLONES bool LoopOverYWithScalar(const void* xv, const void* yv,
                                          void* zv, int64_t n) {
  using R = decltype(Op::Do(T(), T()));
  const T x = *static_cast<const T*>(xv);
  const T* y = static_cast<const T*>(yv);
  R* z = static_cast<R*>(zv);
  if constexpr (CanFail<Op, T>) {
    bool fails = false;
    for (int64_t i = 0; i < n; ++i) fails |= Op::Fails(x, y[i]);
    if (fails) return false;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = Op::Do(x, y[i]);
  return true;
}

// The loops of op(y, x), made from those of op(x, y).
template <const BinaryTable& kTable, int kType>
struct Swapped {
  static bool XY(const void* x, const void* y, void* z, int64_t n) {
    return kTable.loops[kType].vector_vector(y, x, z, n);
  }
  static bool XWithScalar(const void* x, const void* y, void* z, int64_t n) {
    return kTable.loops[kType].scalar_vector(y, x, z, n);
  }
  static bool YWithScalar(const void* x, const void* y, void* z, int64_t n) {
    return kTable.loops[kType].vector_scalar(y, x, z, n);
  }
};

}  // namespace internal

template <class T>
constexpr int IndexOf() {
  return static_cast<int>(DataTypeOf<T>);
}

// Lists of the dtypes that have loops.
using RealLoops = Types<float, double>;
using FloatLoops = Join<RealLoops, ComplexTypes>;
using SignedLoops = Join<RealLoops, SignedTypes>;
using OrderedLoops = Join<RealLoops, IntegerTypes>;
using NumberLoops = Join<OrderedLoops, ComplexTypes>;
using UnsignedLoops = Join<FloatLoops, UnsignedTypes>;  // see both_signs.h

template <class Op, class... Ts>
constexpr UnaryTable MakeUnaryTable(Types<Ts...>, int cost_picos = 250) {
  UnaryTable table;
  table.cost_picos = cost_picos;
  ((table.loops[IndexOf<Ts>()] = &internal::LoopOverX<Op, Ts>), ...);
  return table;
}

template <class Op, class... Ts>
constexpr BinaryTable MakeBinaryTable(Types<Ts...>, int cost_picos = 250,
                                      const char* no_result = "") {
  BinaryTable table;
  table.cost_picos = cost_picos;
  table.no_result = no_result;
  ((table.loops[IndexOf<Ts>()] = {&internal::LoopOverXY<Op, Ts>,
                                  &internal::LoopOverXWithScalar<Op, Ts>,
                                  &internal::LoopOverYWithScalar<Op, Ts>}),
   ...);
  return table;
}

// Returns the table of op(y, x), made from that of op(x, y).
template <const BinaryTable& kTable, class... Ts>
constexpr BinaryTable MakeSwappedTable(Types<Ts...>) {
  BinaryTable table;
  table.cost_picos = kTable.cost_picos;
  table.no_result = kTable.no_result;
  ((table.loops[IndexOf<Ts>()] =
        {&internal::Swapped<kTable, IndexOf<Ts>()>::XY,
         &internal::Swapped<kTable, IndexOf<Ts>()>::XWithScalar,
         &internal::Swapped<kTable, IndexOf<Ts>()>::YWithScalar}),
   ...);
  return table;
}

}  // namespace millrace::ops
