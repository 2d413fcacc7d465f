// Element types of tensors, with TensorFlow's numbers and names.
//
// Millrace supports every type numbered below 24. Types from 24 on (float8,
// int4, ...) are known by name only, so that errors can name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// An attribute of a graph from outside may have any number, until it is
// checked.
enum class DataType : uint16_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
};

// Numbers from here on are refused.
inline constexpr int kDataTypeLimit = 24;
// The type number of a reference edge is its value's type number plus this.
inline constexpr int kRefOffset = 100;

constexpr bool IsRef(DataType t) { return static_cast<int>(t) > kRefOffset; }
constexpr DataType MakeRef(DataType t) {
  return static_cast<DataType>(static_cast<int>(t) + kRefOffset);
}
constexpr DataType RemoveRef(DataType t) {
  return IsRef(t) ? static_cast<DataType>(static_cast<int>(t) - kRefOffset) : t;
}
// Returns whether `actual` may feed an input of type `expected`: the types are
// equal, or `actual` is the reference type of `expected`.
constexpr bool CanFeed(DataType actual, DataType expected) {
  return actual == expected || RemoveRef(actual) == expected;
}

// Returns the bytes of an element in memory; for strings, resources and
// variants the size of their reference. 0 for kInvalid.
size_t SizeOf(DataType t);
// Returns true if elements are plain bytes (all types but strings, resources
// and variants).
constexpr bool IsPlain(DataType t) {
  t = RemoveRef(t);
  return t != DataType::kString && t != DataType::kResource &&
         t != DataType::kVariant && t != DataType::kInvalid;
}
bool IsFloating(DataType t);   // half, bfloat16, float, double
bool IsComplex(DataType t);    // complex64, complex128
bool IsInteger(DataType t);    // signed and unsigned, not quantized, not bool
bool IsQuantized(DataType t);  // qint8 ... quint16

// Returns TensorFlow's name of the type: "float", "int32_ref", ... Types from
// 24 on have their names, too; other numbers give "unknown dtype N".
std::string DataTypeName(DataType t);
// Parses one of those names, or float32, float64 or float16. Returns false for
// any other name.
bool ParseDataType(absl::string_view name, DataType* t);
// Returns whether TensorFlow has the type, or the type that it refers to,
// supported here or not.
bool HasDataTypeName(DataType t);
// Returns a type number from outside as a type that Millrace supports
// (references allowed if `allow_ref`), or INVALID_ARGUMENT that names it.
StatusOr<DataType> CheckedDataType(int number, bool allow_ref = false);

}  // namespace millrace
