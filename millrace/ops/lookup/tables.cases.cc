#include <functional>
#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kBool = DataType::kBool;
constexpr DataType kInt32 = DataType::kInt32;
constexpr DataType kInt64 = DataType::kInt64;
constexpr DataType kFloat = DataType::kFloat;
constexpr DataType kDouble = DataType::kDouble;
constexpr DataType kString = DataType::kString;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

bool IsNew(const CaseList& c) {
  return c.op().name.ends_with("V2") || c.op().name.starts_with("Anonymous");
}
bool IsAnonymous(const CaseList& c) {
  return c.op().name.starts_with("Anonymous");
}
// An op of the same generation as the one whose cases these are.
std::string Op(const CaseList& c, const std::string& name) {
  return IsNew(c) ? name + "V2" : name;
}

// The pairs of key and value types that have kernels.
void EachPair(CaseList& c,
              const std::function<void(CaseList&, DataType, DataType)>& f) {
  const bool is_static = c.op().name.find("Mutable") == std::string::npos;
  const bool is_dense = c.op().name.find("Dense") != std::string::npos;
  for (DataType value : {kDouble, kFloat, kInt32}) f(c, kInt32, value);
  for (DataType value : {kDouble, kFloat, kInt32, kInt64}) f(c, kInt64, value);
  for (DataType value : {kBool, kDouble, kFloat, kInt32, kInt64}) {
    f(c, kString, value);
  }
  if (is_dense) return f(c, kInt64, kBool);
  f(c, kInt64, kString);
  if (!is_static) return;
  f(c, kInt32, kString);
  f(c, kString, kString);
}

std::string PairName(DataType key, DataType value) {
  return DataTypeName(key) + " to " + DataTypeName(value);
}

AttrMap Types(DataType key, DataType value) {
  return {{"key_dtype", key}, {"value_dtype", value}};
}

// ---- HashTable ----

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

// A NaN is no value twice.
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

// Two nodes share a table by its name, if they mean the same types.
void Shared(CaseList& c) {
  AttrMap shared = Types(kInt64, kFloat);
  shared.Set("shared_name", c.op().name + "/shared");
  AttrMap other = Types(kInt64, kInt32);
  other.Set("shared_name", c.op().name + "/shared");
  const bool is_static = c.op().name.find("Mutable") == std::string::npos;
  const bool is_vector = c.op().name.find("OfTensors") != std::string::npos;
  if (is_vector) {
    shared.Set("value_shape", PartialShape({2}));
    other.Set("value_shape", PartialShape({2}));
  }
  const Value values = is_vector ? F32({2, 2}) : F32({2});
  const Value otherwise = is_vector ? F32({2}) : F32({});
  c.Sequence("shared")
      .Node("a", c.op().name, {}, shared)
      .Node("b", c.op().name, {}, shared)
      .Node("wrong", c.op().name, {}, other)
      .Node("put", Op(c, is_static ? "InitializeTable" : "LookupTableInsert"),
            {"a", Vec(kInt64, {1, 2}), values})
      .Node("find", Op(c, "LookupTableFind"),
            {"b", Vec(kInt64, {1, 2, 3}), otherwise})
      .Run({"put"})
      .Run({"find"})
      .RunError({"wrong"}, kInvalid,
                "Conflicting key/value dtypes int64->int32 with int64-float "
                "for table");
}

// The node's name is the table's.
void ByNode(CaseList& c) {
  AttrMap types = Types(kInt64, kFloat);
  types.Set("use_node_name_sharing", true);
  if (c.op().name.find("OfTensors") != std::string::npos) {
    types.Set("value_shape", PartialShape({2}));
  }
  c.Sequence("by node")
      .Node("t", c.op().name, {}, types)
      .Node("size", Op(c, "LookupTableSize"), {"t"})
      .Run({"size"});
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

// ---- MutableHashTable, MutableHashTableOfTensors ----

struct Mutable {
  std::string kind;
  TensorShape value_shape;  // the shape of one value

  TensorShape Shape(std::initializer_list<int64_t> keys) const {
    DimVector dims(keys);
    for (int64_t dim : value_shape.dims()) dims.push_back(dim);
    return TensorShape(dims);
  }
  AttrMap Attrs(DataType key, DataType value) const {
    AttrMap attrs = Types(key, value);
    if (value_shape.rank() > 0) {
      attrs.Set("value_shape", PartialShape(value_shape));
    }
    return attrs;
  }
};

void MutableLife(CaseList& c, const Mutable& m, DataType key, DataType value) {
  const std::string insert = Op(c, "LookupTableInsert");
  const std::string find = Op(c, "LookupTableFind");
  const Value some = Of(key, {2, 3}, {1, 5, -1, 7, 7, 0});
  // Once a shape is known, old nodes take defaults of one dimension at most.
  const bool any = IsNew(c), one = m.value_shape.rank() == 0;
  const Value all = any ? some : Of(key, {3}, {7, 0, 5});
  const TensorShape defaults = any   ? m.Shape({2, 3})
                               : one ? TensorShape({3})
                                     : m.value_shape;
  Case& s = c.Sequence(PairName(key, value));
  s.Node("t", c.op().name, {}, m.Attrs(key, value))
      .Node("put", insert,
            {"t", Of(key, {3}, {5, 7, -1}), Rand(value, m.Shape({3}))})
      .Node("size", Op(c, "LookupTableSize"), {"t"}, {}, {"put"})
      .Node("find", find, {"t", some, Rand(value, m.value_shape)}, {}, {"put"})
      .Node("each", find, {"t", all, Rand(value, defaults)}, {}, {"put"})
      .Node("one", find, {"t", Scalar(key, 7), Rand(value, m.value_shape)}, {},
            {"put"})
      .Node("none", find, {"t", Empty(key, {0}), Rand(value, m.value_shape)},
            {}, {"put"})
      .Run({"put", "size", "find", "each", "one", "none"});
  if (IsAnonymous(c)) return;
  s.Node("now", find, {"t", some, Rand(value, m.value_shape)})
      .Node("count", Op(c, "LookupTableSize"), {"t"})
      .Node("more", insert,
            {"t", Of(key, {2, 2}, {1, 7, 1, 9}), Rand(value, m.Shape({2, 2}))})
      .Node("scalar", insert,
            {"t", Scalar(key, 11), Rand(value, m.value_shape)})
      .Node("nothing", insert,
            {"t", Empty(key, {0}), Rand(value, m.Shape({0}))})
      .Node("import", Op(c, "LookupTableImport"),
            {"t", Of(key, {1}, {7}), Rand(value, m.Shape({1}))})
      .Node("export", Op(c, "LookupTableExport"), {"t"},
            {{"Tkeys", key}, {"Tvalues", value}})
      .Run({"more"})
      .Run({"now", "count"})
      .Run({"scalar"})
      .Run({"nothing"})
      .Run({"now", "count"});
  if (IsNew(c)) {
    s.Node("remove", "LookupTableRemoveV2", {"t", Of(key, {3}, {5, 0, 7})})
        .Node("rest", "LookupTableRemoveV2",
              {"t", Of(key, {2, 2}, {-1, 1, 9, 11})})
        .Run({"remove"})
        .Run({"now", "count"})
        .Run({"rest"})
        .Run({"count"})
        .Run({"export"});
  }
  // Only a single key has an order that both agree on.
  s.Run({"import"}).Run({"export"}).Run({"now", "count"});
  if (IsNew(c) && m.value_shape.rank() > 0) s.NoShapeCheck();
}

void MutableErrors(CaseList& c, const Mutable& m) {
  const DataType key = kInt64, value = kFloat;
  Case& s = c.Sequence("errors");
  s.NoShapeCheck()
      .Node("t", c.op().name, {}, m.Attrs(key, value))
      .Node("values", Op(c, "LookupTableInsert"),
            {"t", Vec(key, {1, 2}), F32(m.Shape({3}))})
      .Node("types", Op(c, "LookupTableInsert"),
            {"t", Vec(kInt32, {1, 2}), F32(m.Shape({2}))})
      .Node("default", Op(c, "LookupTableFind"),
            {"t", Vec(key, {1, 2}), F32(m.Shape({1}))})
      .Node("init", Op(c, "InitializeTable"), {"t", Vec(key, {1}), F32({1})})
      .Node("file", Op(c, "InitializeTableFromTextFile"),
            {"t", StrScalar("/tmp/millrace_cases/x")},
            {{"key_index", -1}, {"value_index", -1}})
      .Node("import", Op(c, "LookupTableImport"),
            {"t", Vec(key, {1, 2}), F32(m.Shape({3}))})
      .RunError({"values"}, kInvalid, "for value, got [3")
      .RunError({"types"}, kInvalid, "Signature mismatch, have: ")
      .RunError({"default"}, kInvalid, " for default value, got [1")
      .RunError({"import"}, kInvalid, "for value, got [3");
  if (!IsAnonymous(c)) {
    s.RunError({"init"}, kInvalid, "is not initializable")
        .RunError({"file"}, kInvalid, "is not initializable");
  }
}

void MutableTables(CaseList& c) {
  const bool is_vector = c.op().name.find("OfTensors") != std::string::npos;
  const Mutable m{c.op().name, is_vector ? TensorShape({3}) : TensorShape({})};
  EachPair(c, [&](CaseList& c, DataType key, DataType value) {
    MutableLife(c, m, key, value);
  });
  MutableErrors(c, m);
  if (is_vector) {
    c.Sequence("scalars")
        .Node("t", c.op().name, {}, Types(kInt64, kFloat))
        .Node("size", Op(c, "LookupTableSize"), {"t"})
        .RunError({"size"}, kInvalid,
                  "Default value must be a vector, got shape []");
    MutableLife(c, {c.op().name, TensorShape({0})}, kInt64, kFloat);
  }
  if (IsAnonymous(c)) return;
  Shared(c);
  ByNode(c);
}

}  // namespace

MR_CASES(HashTable)(CaseList& c) { Static(c); }
MR_CASES(HashTableV2)(CaseList& c) { Static(c); }
MR_CASES(AnonymousHashTable)(CaseList& c) { Static(c); }
MR_CASES(MutableHashTable)(CaseList& c) { MutableTables(c); }
MR_CASES(MutableHashTableV2)(CaseList& c) { MutableTables(c); }
MR_CASES(AnonymousMutableHashTable)(CaseList& c) { MutableTables(c); }
MR_CASES(MutableHashTableOfTensors)(CaseList& c) { MutableTables(c); }
MR_CASES(MutableHashTableOfTensorsV2)(CaseList& c) { MutableTables(c); }
MR_CASES(AnonymousMutableHashTableOfTensors)(CaseList& c) { MutableTables(c); }

}  // namespace millrace::cases
