#include "millrace/tensor/dtype.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace millrace {
namespace {

struct TypeRow {
  absl::string_view name;
  uint8_t size;
};

// Indexed by number; rows from kDataTypeLimit on are unsupported types, which
// errors name.
constexpr std::array<TypeRow, 34> kRows = {{
    {"invalid", 0},
    {"float", 4},
    {"double", 8},
    {"int32", 4},
    {"uint8", 1},
    {"int16", 2},
    {"int8", 1},
    {"string", 16},
    {"complex64", 8},
    {"int64", 8},
    {"bool", 1},
    {"qint8", 1},
    {"quint8", 1},
    {"qint32", 4},
    {"bfloat16", 2},
    {"qint16", 2},
    {"quint16", 2},
    {"uint16", 2},
    {"complex128", 16},
    {"half", 2},
    {"resource", 8},
    {"variant", 8},
    {"uint32", 4},
    {"uint64", 8},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e4m3b11fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"int4", 1},
    {"uint4", 1},
    {"int2", 1},
    {"uint2", 1},
    {"float4_e2m1fn", 1},
}};

}  // namespace

size_t SizeOf(DataType t) {
  const size_t i = static_cast<size_t>(RemoveRef(t));
  return i < kDataTypeLimit ? kRows[i].size : 0;
}

bool IsFloating(DataType t) {
  t = RemoveRef(t);
  return t == DataType::kFloat || t == DataType::kDouble ||
         t == DataType::kHalf || t == DataType::kBfloat16;
}

bool IsComplex(DataType t) {
  t = RemoveRef(t);
  return t == DataType::kComplex64 || t == DataType::kComplex128;
}

bool IsInteger(DataType t) {
  switch (RemoveRef(t)) {
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kUint32:
    case DataType::kUint64:
      return true;
    default:
      return false;
  }
}

bool IsQuantized(DataType t) {
  switch (RemoveRef(t)) {
    case DataType::kQint8:
    case DataType::kQuint8:
    case DataType::kQint16:
    case DataType::kQuint16:
    case DataType::kQint32:
      return true;
    default:
      return false;
  }
}

std::string DataTypeName(DataType t) {
  const size_t i = static_cast<size_t>(RemoveRef(t));
  if (i >= kRows.size()) {
    return absl::StrCat("unknown dtype ", static_cast<int>(t));
  }
  return absl::StrCat(kRows[i].name, IsRef(t) ? "_ref" : "");
}

bool HasDataTypeName(DataType t) {
  const size_t i = static_cast<size_t>(RemoveRef(t));
  return i > 0 && i < kRows.size();
}

bool ParseDataType(absl::string_view name, DataType* t) {
  const bool ref = absl::ConsumeSuffix(&name, "_ref");
  if (name == "float32") name = "float";
  if (name == "float64") name = "double";
  if (name == "float16") name = "half";
  for (int i = 1; i < kDataTypeLimit; ++i) {
    if (kRows[i].name == name) {
      *t = static_cast<DataType>(i + (ref ? kRefOffset : 0));
      return true;
    }
  }
  return false;
}

StatusOr<DataType> CheckedDataType(int number, bool allow_ref) {
  const bool ref = number > kRefOffset;
  const int value = ref ? number - kRefOffset : number;
  if (value <= 0 || value >= static_cast<int>(kRows.size())) {
    return InvalidArgument("unknown dtype number ", number);
  }
  const auto type = static_cast<DataType>(number);
  if (value >= kDataTypeLimit) {
    return InvalidArgument("dtype ", DataTypeName(type),
                           " is not supported; supported are the types "
                           "numbered 1 (float) to 23 (uint64)");
  }
  if (ref && !allow_ref) {
    return InvalidArgument("a reference type (", DataTypeName(type),
                           ") is not allowed here");
  }
  return type;
}

}  // namespace millrace
