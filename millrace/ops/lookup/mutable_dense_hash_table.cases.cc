#include "millrace/ops/lookup/tables.cases.h"

namespace millrace::cases {
namespace {

using namespace tables;

constexpr char kNoDeletedKey[] =
    "stock's kernel wants an input that only V2 has";

// A table node "t" with these reserved keys.
Case& Table(CaseList& c, const std::string& name, const Value& empty,
            const Value& deleted, AttrMap attrs) {
  Case& s = c.Sequence(name);
  if (attrs.Find("initial_num_buckets") == nullptr) {
    attrs.Set("initial_num_buckets", 4);
  }
  if (IsNew(c)) {
    s.Node("t", c.op().name, {empty, deleted}, std::move(attrs));
  } else {
    s.Node("t", c.op().name, {empty}, std::move(attrs)).NoStock(kNoDeletedKey);
  }
  return s;
}

void Life(CaseList& c, DataType key, DataType value) {
  const std::string insert = Op(c, "LookupTableInsert");
  const std::string find = Op(c, "LookupTableFind");
  const std::string name = DataTypeName(key) + " to " + DataTypeName(value);
  const bool anonymous = c.op().name.starts_with("Anonymous");
  Case& s =
      Table(c, name, Scalar(key, 0), Scalar(key, -1), {{"value_dtype", value}});
  // The export is a matrix, but stock's shape functions expect a vector.
  s.NoShapeCheck();
  s.Node("put", insert, {"t", Of(key, {3}, {5, 9, -7}), Rand(value, {3})})
      .Node("more", insert,
            {"t", Of(key, {4}, {1, 9, 1 << 20, 13}), Rand(value, {4})}, {},
            {"put"})
      .Node("size", Op(c, "LookupTableSize"), {"t"}, {}, {"more"})
      .Node("find", find,
            {"t", Of(key, {5}, {1, 5, -7, 77, 9}), Rand(value, {})}, {},
            {"more"})
      .Node("one", find, {"t", Scalar(key, 13), Rand(value, {})}, {}, {"more"})
      .Node("none", find, {"t", Empty(key, {0}), Rand(value, {})}, {}, {"more"})
      .Node("export", Op(c, "LookupTableExport"), {"t"},
            {{"Tkeys", key}, {"Tvalues", value}}, {"more"})
      .Run({"size", "find", "one", "none", "export"});
  if (anonymous) return;
  s.Node("buckets", Op(c, "LookupTableExport"), {"t"},
         {{"Tkeys", key}, {"Tvalues", value}})
      .Node("count", Op(c, "LookupTableSize"), {"t"})
      .Node("now", find,
            {"t", Of(key, {5}, {1, 5, -7, 77, 9}), Rand(value, {})})
      .Node("later", insert, {"t", Of(key, {2}, {77, 21}), Rand(value, {2})});
  if (IsNew(c)) {
    s.Node("remove", "LookupTableRemoveV2", {"t", Of(key, {3}, {9, 5, 6})})
        .Run({"remove"})
        .Run({"buckets", "count", "now"});
  }
  s.Run({"later"}).Run({"buckets", "count", "now"});
  // One table's buckets are another's.
  AttrMap attrs = {{"value_dtype", value}, {"initial_num_buckets", 16}};
  if (IsNew(c)) {
    s.Node("u", c.op().name, {Scalar(key, 0), Scalar(key, -1)}, attrs);
  } else {
    s.Node("u", c.op().name, {Scalar(key, 0)}, attrs);
  }
  s.Node("import", Op(c, "LookupTableImport"), {"u", "buckets", "buckets:1"})
      .Node("count2", Op(c, "LookupTableSize"), {"u"})
      .Node("buckets2", Op(c, "LookupTableExport"), {"u"},
            {{"Tkeys", key}, {"Tvalues", value}})
      .Node("put2", insert, {"u", Of(key, {2}, {31, 32}), Rand(value, {2})})
      .Run({"import"})
      .Run({"count2", "buckets2"})
      .Run({"put2"})
      .Run({"count2", "buckets2"});
}

// A default for each key.
void Defaults(CaseList& c) {
  Table(c, "defaults", Scalar(kInt64, 0), Scalar(kInt64, -1),
        {{"value_dtype", kFloat}})
      .Deviates("stock gives all keys the first default")
      .Node("put", Op(c, "LookupTableInsert"),
            {"t", Vec(kInt64, {5, 7}), F32({2})})
      .Node("find", Op(c, "LookupTableFind"),
            {"t", Vec(kInt64, {1, 5, 77, 78}), F32({4})}, {}, {"put"})
      .Run({"find"});
}

// Buckets that one table imported from another stay valid in the other, too.
void Copies(CaseList& c) {
  const Value empty = Scalar(kInt64, 0), deleted = Scalar(kInt64, -1);
  const AttrMap attrs = {{"value_dtype", kInt64}, {"initial_num_buckets", 16}};
  Case& s = Table(c, "copies", empty, deleted, attrs);
  s.NoShapeCheck().Deviates("stock's tables share their buckets from then on");
  if (IsNew(c)) {
    s.Node("u", c.op().name, {empty, deleted}, attrs);
  } else {
    s.Node("u", c.op().name, {empty}, attrs);
  }
  s.Node("put", Op(c, "LookupTableInsert"), {"t", Vec(kInt64, {5}), I64({1})})
      .Node("buckets", Op(c, "LookupTableExport"), {"t"},
            {{"Tkeys", kInt64}, {"Tvalues", kInt64}})
      .Node("import", Op(c, "LookupTableImport"), {"u", "buckets", "buckets:1"})
      .Node("more", Op(c, "LookupTableInsert"),
            {"u", Vec(kInt64, {6}), I64({1})})
      .Run({"put"})
      .Run({"import"})
      .Run({"more"})
      .Run({"buckets"});
}

// Keys and values are vectors.
void Vectors(CaseList& c, DataType key) {
  const TensorShape two({2, 2});
  Case& s =
      Table(c, "vectors of " + DataTypeName(key), Of(key, {2}, {0, 0}),
            Of(key, {2}, {0, -1}),
            {{"value_dtype", kFloat}, {"value_shape", PartialShape({3})}});
  s.NoShapeCheck();
  s.Node("put", Op(c, "LookupTableInsert"),
         {"t", Of(key, {4, 2}, {1, 2, 2, 1, 0, 5, 1, 2}), F32({4, 3})})
      .Node("find", Op(c, "LookupTableFind"),
            {"t", Of(key, {3, 2}, {2, 1, 1, 2, 5, 0}), F32({3})}, {}, {"put"})
      .Node("size", Op(c, "LookupTableSize"), {"t"}, {}, {"put"})
      .Node("export", Op(c, "LookupTableExport"), {"t"},
            {{"Tkeys", key}, {"Tvalues", kFloat}}, {"put"})
      .Node("single", Op(c, "LookupTableFind"),
            {"t", Of(key, {2}, {2, 1}), F32({3})})
      .Node("three", Op(c, "LookupTableFind"),
            {"t", Of(key, {1, 1, 2}, {2, 1}), F32({3})})
      .Node("wide", Op(c, "LookupTableFind"),
            {"t", Of(key, {1, 3}, {2, 1, 1}), F32({3})})
      .Node("values", Op(c, "LookupTableInsert"),
            {"t", Of(key, {1, 2}, {2, 1}), F32({1, 2})})
      .Run({"find", "size", "export"})
      .RunError({"single"}, kInvalid, "Expected key shape [2,2] got [2]")
      .Run({"three"})
      .RunError({"wide"}, kInvalid,
                "Input key shape [1,3] must end with the "
                "table's key shape [2]")
      .RunError({"values"}, kInvalid,
                "Expected shape [1,3] for value, got "
                "[1,2]");
}

void Errors(CaseList& c) {
  const AttrMap attrs = {{"value_dtype", kInt64}};
  Case& s = Table(c, "reserved", Scalar(kInt64, 3), Scalar(kInt64, 4), attrs);
  s.NoShapeCheck();
  s.Node("put", Op(c, "LookupTableInsert"),
         {"t", Vec(kInt64, {1, 3, 2}), I64({3})})
      .Node("find", Op(c, "LookupTableFind"),
            {"t", Vec(kInt64, {1, 3}), Scalar(kInt64, 0)})
      .Node("size", Op(c, "LookupTableSize"), {"t"})
      .Node("matrix", Op(c, "LookupTableFind"),
            {"t", I64({3, 4}), Scalar(kInt64, 0)})
      .Node("put_matrix", Op(c, "LookupTableInsert"),
            {"t", I64({3, 4}), I64({3, 4})})
      .Node("default", Op(c, "LookupTableFind"),
            {"t", Vec(kInt64, {1, 2}), I64({3})})
      .Node("import", Op(c, "LookupTableImport"), {"t", I64({4}), I64({4})})
      .RunError({"put"}, kInvalid,
                "Using the empty_key as a table key is not allowed")
      .RunError({"find"}, kInvalid,
                "Using the empty_key as a table key is not allowed")
      .RunError({"matrix"}, kInvalid, "Expected key shape [3] got [3,4]")
      .RunError({"put_matrix"}, kInvalid, "Expected key shape [3] got [3,4]")
      .RunError({"default"}, kInvalid, "for default value, got [3]")
      .RunError({"import"}, kInvalid, "Expected shape [1] for value, got [4]");
  if (!c.op().name.starts_with("Anonymous")) s.Run({"size"});
  if (IsNew(c)) {
    Case& d = Table(c, "deleted", Scalar(kInt64, 3), Scalar(kInt64, 4), attrs);
    d.NoShapeCheck();
    for (const char* op :
         {"LookupTableInsertV2", "LookupTableFindV2", "LookupTableRemoveV2"}) {
      const std::string node = op;
      if (node == "LookupTableRemoveV2") {
        d.Node(node, op, {"t", Vec(kInt64, {1, 4})});
      } else {
        d.Node(node, op, {"t", Vec(kInt64, {1, 4}), I64({2})});
      }
      d.RunError({node}, kInvalid,
                 "Using the deleted_key as a table key is not allowed");
    }
    d.Node("empty", "LookupTableRemoveV2", {"t", Vec(kInt64, {1, 3})})
        .Node("wide", "LookupTableRemoveV2", {"t", I64({1, 2})})
        .RunError({"empty"}, kInvalid,
                  "Using the empty_key as a table key is not allowed")
        .RunError({"wide"}, kInvalid, "Expected key shape [1] got [1,2]");
  }
}

// The node itself fails.
void Fails(CaseList& c, const std::string& name, const Value& empty,
           const Value& deleted, AttrMap attrs, const std::string& words) {
  if (attrs.Find("value_dtype") == nullptr) attrs.Set("value_dtype", kInt64);
  Table(c, name, empty, deleted, std::move(attrs))
      .NoShapeCheck()
      .Node("size", Op(c, "LookupTableSize"), {"t"})
      .RunError({"size"}, kInvalid, words);
}

void Options(CaseList& c) {
  const Value empty = Scalar(kInt64, 0), deleted = Scalar(kInt64, -1);
  for (const int buckets : {-4, 0, 2, 3, 12}) {
    Fails(c, "buckets " + std::to_string(buckets), empty, deleted,
          {{"initial_num_buckets", buckets}},
          "Number of buckets must be at least 4 and a power of 2, got: " +
              std::to_string(buckets));
  }
  for (const float load : {0.0F, 1.0F, -0.5F}) {
    Fails(c, "load " + std::to_string(load), empty, deleted,
          {{"max_load_factor", load}},
          "max_load_factor must be between 0 and 1, got: ");
  }
  Fails(c, "matrix of values", empty, deleted,
        {{"value_shape", PartialShape({2, 2})}},
        "Empty value must be a scalar or a vector, got shape [2,2]");
  Fails(c, "matrix of keys", I64({2, 2}), I64({2, 2}), {},
        "Empty key must be a scalar or a vector, got shape [2,2]");
  if (!IsNew(c)) return;
  Fails(c, "shapes of keys", empty, I64({1}), {},
        "Empty and deleted keys must have same shape, got shapes: [] and [1]");
  Fails(c, "equal keys", empty, empty, {},
        "Empty and deleted keys cannot be equal");
}

void All(CaseList& c) {
  for (DataType value : {kDouble, kFloat, kInt32}) Life(c, kInt32, value);
  for (DataType value : {kBool, kDouble, kFloat, kInt32, kInt64}) {
    Life(c, kInt64, value);
    Life(c, kString, value);
  }
  for (DataType key : {kInt32, kInt64, kString}) Vectors(c, key);
  Defaults(c);
  if (!c.op().name.starts_with("Anonymous")) Copies(c);
  Errors(c);
  Options(c);
}

}  // namespace

MR_CASES(MutableDenseHashTable)(CaseList& c) { All(c); }
MR_CASES(MutableDenseHashTableV2)(CaseList& c) { All(c); }
MR_CASES(AnonymousMutableDenseHashTable)(CaseList& c) { All(c); }

}  // namespace millrace::cases
