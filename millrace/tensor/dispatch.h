// Dispatch: selects a C++ type at compile time by a DataType at run time.
#pragma once

#include <type_traits>

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// A list of C++ types to choose from; lists are joined by Join.
template <class... Ts>
struct Types {};
template <class A, class B>
struct JoinTypes;
template <class... As, class... Bs>
struct JoinTypes<Types<As...>, Types<Bs...>> {
  using type = Types<As..., Bs...>;
};
template <class A, class B>
using Join = typename JoinTypes<A, B>::type;

using FloatTypes = Types<float, double, Half, Bfloat16>;
using ComplexTypes = Types<Complex64, Complex128>;
using SignedTypes = Types<int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes = Types<uint8_t, uint16_t, uint32_t, uint64_t>;
using IntegerTypes = Join<SignedTypes, UnsignedTypes>;
using RealTypes = Join<FloatTypes, IntegerTypes>;
using NumericTypes = Join<RealTypes, ComplexTypes>;
using QuantizedTypes = Types<Qint8, Quint8, Qint16, Quint16, Qint32>;
using PlainTypes = Join<Join<NumericTypes, QuantizedTypes>, Types<bool>>;
using IndexTypes = Types<int32_t, int64_t>;

// Calls `f.template operator()<T>()` for the T of `type`; f returns Status.
// Returns INTERNAL if the list lacks the type, which the kernel table excludes.
template <class... Ts, class F>
Status Dispatch(Types<Ts...>, DataType type, F&& f) {
  Status status;
  const bool found = ((DataTypeOf<Ts> == type &&
                       ((status = f.template operator()<Ts>()), true)) ||
                      ...);
  if (!found) return Internal("no kernel code for dtype ", DataTypeName(type));
  return status;
}
template <class... Ts, class F>
Status Dispatch(DataType type, F&& f) {
  return Dispatch(Types<Ts...>{}, type, std::forward<F>(f));
}

// Calls `f` with an unsigned type (or StringElement, ResourceElement,
// VariantElement) of the element's size, for ops that only move data. 16 bytes:
// Complex128.
template <class F>
Status DispatchBySize(DataType type, F&& f) {
  switch (RemoveRef(type)) {
    case DataType::kString:
      return f.template operator()<StringElement>();
    case DataType::kResource:
      return f.template operator()<ResourceElement>();
    case DataType::kVariant:
      return f.template operator()<VariantElement>();
    default:
      break;
  }
  switch (SizeOf(type)) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    case 16:
      return f.template operator()<Complex128>();
    default:
      return Internal("no element size for dtype ", DataTypeName(type));
  }
}

}  // namespace millrace
