// What cases of tables of several kinds share.
#pragma once

#include <functional>
#include <string>

#include "tests/cases/case.h"

namespace millrace::cases::tables {

inline constexpr DataType kBool = DataType::kBool;
inline constexpr DataType kInt32 = DataType::kInt32;
inline constexpr DataType kInt64 = DataType::kInt64;
inline constexpr DataType kFloat = DataType::kFloat;
inline constexpr DataType kDouble = DataType::kDouble;
inline constexpr DataType kString = DataType::kString;
inline constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

// Ops of the second generation have handles that are resources.
inline bool IsNew(const CaseList& c) {
  return c.op().name.ends_with("V2") || c.op().name.starts_with("Anonymous");
}
inline bool IsAnonymous(const CaseList& c) {
  return c.op().name.starts_with("Anonymous");
}
// An op of the same generation as the one whose cases these are.
inline std::string Op(const CaseList& c, const std::string& name) {
  return IsNew(c) ? name + "V2" : name;
}

inline std::string PairName(DataType key, DataType value) {
  return DataTypeName(key) + " to " + DataTypeName(value);
}
inline AttrMap Types(DataType key, DataType value) {
  return {{"key_dtype", key}, {"value_dtype", value}};
}

// The pairs of key and value types that have kernels of HashTable or
// MutableHashTable.
void EachPair(CaseList& c,
              const std::function<void(CaseList&, DataType, DataType)>& f);

// A table "t" of numbers to numbers, of a kind about which shape functions know
// nothing, so that only the run can say which types are wrong.
Case& Numbers(CaseList& c, const std::string& name);

// The op fills the table, with any types.
void Fills(CaseList& c, const char* key_attr, const char* value_attr);

// Two nodes share a table by its name, if they mean the same types.
void Shared(CaseList& c);

// The node's name is the table's.
void ByNode(CaseList& c);

}  // namespace millrace::cases::tables
