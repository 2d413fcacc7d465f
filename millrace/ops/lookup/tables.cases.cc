#include "millrace/ops/lookup/tables.cases.h"

namespace millrace::cases::tables {

void EachPair(CaseList& c,
              const std::function<void(CaseList&, DataType, DataType)>& f) {
  const bool is_static = c.op().name.find("Mutable") == std::string::npos;
  for (DataType value : {kDouble, kFloat, kInt32}) f(c, kInt32, value);
  for (DataType value : {kDouble, kFloat, kInt32, kInt64}) f(c, kInt64, value);
  for (DataType value : {kBool, kDouble, kFloat, kInt32, kInt64}) {
    f(c, kString, value);
  }
  f(c, kInt64, kString);
  if (!is_static) return;
  f(c, kInt32, kString);
  f(c, kString, kString);
}

Case& Numbers(CaseList& c, const std::string& name) {
  return c.Sequence(name)
      .Node("t", Op(c, "HashTable"), {},
            {{"key_dtype", kInt64}, {"value_dtype", kFloat}})
      .Node("size", Op(c, "LookupTableSize"), {"t"});
}

void Fills(CaseList& c, const char* key_attr, const char* value_attr) {
  const auto fill = [](CaseList& c, DataType key, DataType value) {
    Case& s = Numbers(c, DataTypeName(key) + " to " + DataTypeName(value));
    s.Node("op", c.op().name, {"t", Vec(key, {1, 0}), Rand(value, {2})});
    if (key == kInt64 && value == kFloat) {
      s.Run({"op"}).Run({"size"});
    } else {
      s.Run({"size"}).RunError({"op"}, kInvalid, "Signature mismatch, have: ");
    }
  };
  c.EachType(key_attr, [&](CaseList& c, DataType t) { fill(c, t, kFloat); });
  c.EachType(value_attr, [&](CaseList& c, DataType t) { fill(c, kInt64, t); });
}

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

}  // namespace millrace::cases::tables
