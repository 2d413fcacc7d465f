#include <limits>

#include "millrace/ops/lookup/tables.cases.h"

namespace millrace::cases {
namespace {

using namespace tables;

void StaticLife(CaseList& c, DataType key, DataType value) {
  const std::string find = Op(c, "LookupTableFind");
  Case& s = c.Sequence(PairName(key, value));
  s.Node("t", c.op().name, {}, Types(key, value))
      .Node("init", Op(c, "InitializeTable"),
            {"t", Of(key, {3}, {5, 7, -1}), Rand(value, {3})})
      .Node("size", Op(c, "LookupTableSize"), {"t"}, {}, {"init"})
      .Node("find", find,
            {"t", Of(key, {2, 3}, {1, 5, -1, 7, 7, 0}), Rand(value, {})}, {},
            {"init"})
      .Node("one", find, {"t", Scalar(key, 7), Rand(value, {})}, {}, {"init"})
      .Node("none", find, {"t", Empty(key, {0, 2}), Rand(value, {})}, {},
            {"init"})
      .Node("shape", find, {"t", Of(key, {2}, {1, 5}), Rand(value, {3})}, {},
            {"init"})
      .Run({"init", "size", "find", "one", "none"})
      .RunError({"shape"}, kInvalid, "Expected shape [] or [2] for default");
  if (IsAnonymous(c)) return;
  s.Run({"find"}).Run({"one", "size"});
}

// A default for each key.
void StaticDefaults(CaseList& c) {
  c.Sequence("defaults")
      .Deviates("stock gives all keys the first default")
      .Node("t", c.op().name, {}, Types(kInt64, kFloat))
      .Node("init", Op(c, "InitializeTable"),
            {"t", Vec(kInt64, {5, 7}), F32({2})})
      .Node("find", Op(c, "LookupTableFind"),
            {"t", Vec(kInt64, {1, 5, -1, 0}), F32({4})}, {}, {"init"})
      .Run({"init", "find"});
}

void StaticErrors(CaseList& c) {
  const DataType key = kInt64, value = kString;
  Case& s = c.Sequence("errors");
  s.Node("t", c.op().name, {}, Types(key, value))
      .Node("find", Op(c, "LookupTableFind"),
            {"t", Vec(key, {1, 2}), StrScalar("-")})
      .Node("export", Op(c, "LookupTableExport"), {"t"},
            {{"Tkeys", key}, {"Tvalues", value}})
      .Node("size", Op(c, "LookupTableSize"), {"t"})
      .Node("insert", Op(c, "LookupTableInsert"),
            {"t", Vec(key, {1}), Str({"x"})})
      .Node("init", Op(c, "InitializeTable"),
            {"t", Vec(key, {1, 2}), Str({"one", "two"})})
      .Node("conflict", Op(c, "InitializeTable"),
            {"t", Vec(key, {4, 4}), Str({"four", "vier"})})
      .Node("empty", Op(c, "InitializeTable"),
            {"t", Empty(key, {0}), Empty(value, {0})})
      .Node("sizes", Op(c, "InitializeTable"),
            {"t", Vec(key, {1, 2}), Str({"one"})})
      .Node("matrix", Op(c, "InitializeTable"),
            {"t", Of(key, {1, 1}, {1}), Str({1, 1}, {"one"})})
      .Node("types", Op(c, "InitializeTable"),
            {"t", Vec(kInt32, {1}), Str({"one"})})
      .RunError({"find"}, StatusCode::kFailedPrecondition,
                "Table not initialized.")
      .RunError({"export"}, StatusCode::kAborted,
                "HashTable is not initialized.")
      .Run({"size"})
      .RunError({"insert"}, StatusCode::kUnimplemented,
                "Insert not supported by InitializableLookupTable "
                "implementations")
      .RunError({"empty"}, kInvalid, "keys and values cannot be empty tensors.")
      .RunError({"sizes"}, kInvalid, "Keys and values must have the same size")
      .RunError({"matrix"}, kInvalid, "Keys must be a vector")
      .RunError({"types"}, kInvalid, "Signature mismatch")
      .RunError({"conflict"}, StatusCode::kFailedPrecondition,
                "HashTable has different value for same key. Key 4 has four "
                "and trying to add value vier");
  if (IsNew(c)) {
    s.Node("remove", "LookupTableRemoveV2", {"t", Vec(key, {1})})
        .RunError({"remove"}, StatusCode::kUnimplemented,
                  "Remove not supported by InitializableLookupTable "
                  "implementations");
  }
  if (IsAnonymous(c)) return;
  // Only the number of keys counts the second time.
  c.Sequence("again")
      .Node("t", c.op().name, {}, Types(key, value))
      .Node("find", Op(c, "LookupTableFind"),
            {"t", Vec(key, {1, 2, 3}), StrScalar("-")})
      .Node("init", Op(c, "InitializeTable"),
            {"t", Vec(key, {1, 1, 2}), Str({"one", "one", "two"})})
      .Node("other", Op(c, "InitializeTable"),
            {"t", Vec(key, {1, 3}), Str({"eins", "drei"})})
      .Node("import", Op(c, "LookupTableImport"),
            {"t", Vec(key, {7, 8}), Str({"seven", "eight"})})
      .Node("export", Op(c, "LookupTableExport"), {"t"},
            {{"Tkeys", key}, {"Tvalues", value}})
      .Node("insert", Op(c, "LookupTableInsert"),
            {"t", Vec(key, {1}), Str({"x"})})
      .Run({"init"})
      .RunError({"init"}, StatusCode::kFailedPrecondition,
                "Table was already initialized with different data.")
      .Run({"other"})
      .Run({"import"})
      .RunError({"insert"}, StatusCode::kUnimplemented, "Insert not supported")
      .Run({"find"});
  c.Sequence("import")
      .Node("t", c.op().name, {}, Types(key, value))
      .Node("import", Op(c, "LookupTableImport"),
            {"t", Vec(key, {7}), Str({"seven"})})
      .Node("export", Op(c, "LookupTableExport"), {"t"},
            {{"Tkeys", key}, {"Tvalues", value}})
      .Run({"import"})
      .Run({"export"});
}

// NaN is never equal to a value.
void StaticNan(CaseList& c) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  c.Sequence("nan")
      .Node("t", c.op().name, {}, Types(kInt32, kFloat))
      .Node("twice", Op(c, "InitializeTable"),
            {"t", Vec(kInt32, {1, 1}), Values<float>({nan, nan})})
      .RunError({"twice"}, StatusCode::kFailedPrecondition,
                "HashTable has different value for same key. Key 1 has nan and "
                "trying to add value nan");
  c.Sequence("extremes")
      .Node("t", c.op().name, {}, Types(kInt64, kFloat))
      .Node("init", Op(c, "InitializeTable"),
            {"t", Distinct(kInt64, {20}), Mixed(kFloat, {20})})
      .Node("find", Op(c, "LookupTableFind"),
            {"t", Distinct(kInt64, {21}), Scalar(kFloat, -1)}, {}, {"init"})
      .Run({"init", "find"});
}

void Static(CaseList& c) {
  EachPair(c, StaticLife);
  StaticDefaults(c);
  StaticErrors(c);
  StaticNan(c);
  if (IsAnonymous(c)) return;
  Shared(c);
  ByNode(c);
}

}  // namespace

MR_CASES(HashTable)(CaseList& c) { Static(c); }
MR_CASES(HashTableV2)(CaseList& c) { Static(c); }
MR_CASES(AnonymousHashTable)(CaseList& c) { Static(c); }

}  // namespace millrace::cases
