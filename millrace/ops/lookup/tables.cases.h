// Helpers of the cases of several kinds of tables.
#pragma once

#include <functional>
#include <string>

#include "tests/cases/case.h"

namespace millrace::cases::tables {

inline constexpr DataType kBool = DataType::kBool;

// Returns whether the op is of the second generation, whose handles are
// resources.
inline bool IsNew(const CaseList& c) {
  return c.op().name.ends_with("V2") || c.op().name.starts_with("Anonymous");
}
inline bool IsAnonymous(const CaseList& c) {
  return c.op().name.starts_with("Anonymous");
}
// Returns the name of an op of the same generation as the one under test.
inline std::string Op(const CaseList& c, const std::string& name) {
  return IsNew(c) ? name + "V2" : name;
}

inline std::string PairName(DataType key, DataType value) {
  return DataTypeName(key) + " to " + DataTypeName(value);
}
inline AttrMap Types(DataType key, DataType value) {
  return {{"key_dtype", key}, {"value_dtype", value}};
}

// Calls `f` for the pairs of key and value types for which HashTable or
// MutableHashTable has kernels.
void EachPair(CaseList& c,
              const std::function<void(CaseList&, DataType, DataType)>& f);

// Adds a table "t" from numbers to numbers, of a kind about which shape
// functions know nothing, so that wrong types are found only at run time.
Case& Numbers(CaseList& c, const std::string& name);

// Checks that the op fills the table, with any types.
void Fills(CaseList& c, const char* key_attr, const char* value_attr);

// Checks that two nodes share a table by its name if they agree on the types.
void Shared(CaseList& c);

// Checks that the node's name becomes the table's.
void ByNode(CaseList& c);

}  // namespace millrace::cases::tables
