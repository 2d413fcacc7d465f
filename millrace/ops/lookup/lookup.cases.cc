#include "millrace/ops/lookup/tables.cases.h"

namespace millrace::cases {
namespace {

using namespace tables;

// Nodes with keys of any type, then with values of any type.
void AnyTypes(CaseList& c, const char* key_attr, const char* value_attr,
              StatusCode code, const std::string& words) {
  c.EachType(key_attr, [&](CaseList& c, DataType t) {
    const bool fits = t == kInt64;
    Numbers(c, "keys of " + DataTypeName(t))
        .Node("op", c.op().name, {"t", Rand(t, {2}), F32({2})})
        .Run({"size"})
        .RunError({"op"}, fits ? code : kInvalid,
                  fits ? words : "Signature mismatch, have: ");
  });
  c.EachType(value_attr, [&](CaseList& c, DataType t) {
    const bool fits = t == kFloat;
    Numbers(c, "values of " + DataTypeName(t))
        .Node("op", c.op().name, {"t", I64({2}), Rand(t, {2})})
        .Run({"size"})
        .RunError({"op"}, fits ? code : kInvalid,
                  fits ? words : "Signature mismatch, have: ");
  });
}

void Exports(CaseList& c) {
  const auto exports = [](CaseList& c, DataType key, DataType value) {
    const bool fits = key == kInt64 && value == kFloat;
    Case& s = Numbers(c, DataTypeName(key) + " to " + DataTypeName(value));
    s.Node("init", Op(c, "InitializeTable"), {"t", I64({1}), F32({1})})
        .Node("op", c.op().name, {"t"}, {{"Tkeys", key}, {"Tvalues", value}})
        .Run({"init"});
    if (fits) {
      s.Run({"op"});
    } else {
      s.RunError({"op"}, kInvalid, "Signature mismatch, have: ")
          .NoStock("stock ends its process");
    }
  };
  c.EachType("Tkeys", [&](CaseList& c, DataType t) { exports(c, t, kFloat); });
  c.EachType("Tvalues",
             [&](CaseList& c, DataType t) { exports(c, kInt64, t); });
}

void Removes(CaseList& c) {
  c.EachType("Tin", [](CaseList& c, DataType t) {
    const bool fits = t == kInt64;
    Numbers(c, "keys of " + DataTypeName(t))
        .Node("op", c.op().name, {"t", Rand(t, {2})})
        .Run({"size"})
        .RunError({"op"}, fits ? StatusCode::kUnimplemented : kInvalid,
                  fits ? "Remove not supported by InitializableLookupTable"
                       : "Signature mismatch, have: ");
  });
}

enum class Uses { kFind, kExport };

// What is known of the table while the graph is built.
void KnownTypes(CaseList& c, Uses uses) {
  const AttrMap table = {{"key_dtype", kInt64}, {"value_dtype", kFloat}};
  for (const auto& [key, value] :
       {std::pair(kInt32, kFloat), std::pair(kInt64, kDouble)}) {
    Case& s = c.Sequence("known types " + DataTypeName(key));
    s.Node("t", "MutableHashTableV2", {}, table);
    if (uses == Uses::kExport) {
      s.Node("op", c.op().name, {"t"}, {{"Tkeys", key}, {"Tvalues", value}});
    } else {
      s.Node("op", c.op().name, {"t", Vec(key, {1}), Scalar(value, 2)});
    }
    s.NoStock("stock's client refuses the node already")
        .NoShapeCheck()
        .RunError({"op"}, kInvalid, "");
  }
}

void Sizes(CaseList& c) {
  Numbers(c, "size")
      .Node("init", Op(c, "InitializeTable"),
            {"t", Vec(kInt64, {4, 5, 4}), Vec(kFloat, {1, 2, 1})})
      .Node("op", c.op().name, {"t"})
      .Run({"op"})
      .Run({"init"})
      .Run({"op"});
  // A handle of something else.
  c.Sequence("queue")
      .Node("q", Op(c, "FIFOQueue"), {},
            {{"component_types", AttrValue::TypeList{kInt64}}})
      .Node("op", c.op().name, {"q"})
      .NoStock("stock names the C++ class, or finds nothing")
      .RunError({"op"}, IsNew(c) ? kInvalid : StatusCode::kNotFound, "");
}

constexpr auto kNot = StatusCode::kFailedPrecondition;

constexpr auto kNever = StatusCode::kUnimplemented;

}  // namespace

MR_CASES(LookupTableFind)(CaseList& c) {
  AnyTypes(c, "Tin", "Tout", kNot, "Table not initialized.");
}
MR_CASES(LookupTableFindV2)(CaseList& c) {
  AnyTypes(c, "Tin", "Tout", kNot, "Table not initialized.");
  KnownTypes(c, Uses::kFind);
}
MR_CASES(LookupTableInsert)(CaseList& c) {
  AnyTypes(c, "Tin", "Tout", kNever, "Insert not supported by");
}
MR_CASES(LookupTableInsertV2)(CaseList& c) {
  AnyTypes(c, "Tin", "Tout", kNever, "Insert not supported by");
}
MR_CASES(LookupTableRemoveV2)(CaseList& c) { Removes(c); }
MR_CASES(LookupTableSize)(CaseList& c) { Sizes(c); }
MR_CASES(LookupTableSizeV2)(CaseList& c) { Sizes(c); }
MR_CASES(LookupTableExport)(CaseList& c) { Exports(c); }
MR_CASES(LookupTableExportV2)(CaseList& c) {
  Exports(c);
  KnownTypes(c, Uses::kExport);
}
MR_CASES(LookupTableImport)(CaseList& c) { Fills(c, "Tin", "Tout"); }
MR_CASES(LookupTableImportV2)(CaseList& c) { Fills(c, "Tin", "Tout"); }

}  // namespace millrace::cases
