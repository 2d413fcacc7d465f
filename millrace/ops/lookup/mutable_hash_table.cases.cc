#include "millrace/ops/lookup/tables.cases.h"

namespace millrace::cases {
namespace {

using namespace tables;

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

MR_CASES(MutableHashTable)(CaseList& c) { MutableTables(c); }
MR_CASES(MutableHashTableV2)(CaseList& c) { MutableTables(c); }
MR_CASES(AnonymousMutableHashTable)(CaseList& c) { MutableTables(c); }
MR_CASES(MutableHashTableOfTensors)(CaseList& c) { MutableTables(c); }
MR_CASES(MutableHashTableOfTensorsV2)(CaseList& c) { MutableTables(c); }
MR_CASES(AnonymousMutableHashTableOfTensors)(CaseList& c) { MutableTables(c); }

}  // namespace millrace::cases
