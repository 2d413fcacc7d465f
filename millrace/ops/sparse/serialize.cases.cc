#include "millrace/ops/sparse/bad_sparse.cases.h"
#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {
namespace {

constexpr DataType kVariant = DataType::kVariant;

// Adds sparse tensors that go there and back.
void Serializes(CaseList& c, DataType t, DataType form) {
  const bool is_string = form == kString;
  if (IsQuantized(t)) {
    Case& s = c.Sequence(DataTypeName(t) + " as " + DataTypeName(form));
    s.Node("one", "SerializeSparse",
           {Pairs({2, 0, 0, 1}), Rand(t, {2}), Long({3, 4})},
           {{"out_type", form}})
        .Node("back", "DeserializeSparse", {"one"}, {{"dtype", t}})
        .Run({"back"});
    if (!is_string) return;
    s.Node("row", "Reshape", {"one", Vec({1, 3})})
        .Node("old", "DeserializeManySparse", {"row"}, {{"dtype", t}})
        .Run({"old"});
    if (t == DataType::kQint16 || t == DataType::kQuint16) {
      s.Deviates("stock cannot join rows of these types");
    }
    return;
  }
  Case& s = c.Sequence(DataTypeName(t) + " as " + DataTypeName(form));
  s.Node("one", "SerializeSparse",
         {Pairs({2, 0, 0, 1}), Rand(t, {2}), Long({3, 4})},
         {{"out_type", form}})
      .Node("back", "DeserializeSparse", {"one"}, {{"dtype", t}})
      .Node(
          "many", "SerializeManySparse",
          {Triples({1, 0, 3, 1, 1, 0, 3, 0, 0}), Rand(t, {3}), Long({6, 2, 4})},
          {{"out_type", form}})
      .Node("all", "DeserializeSparse", {"many"}, {{"dtype", t}})
      .Node("cube", "Reshape", {"many", Vec({2, 3, 3})})
      .Node("folded", "DeserializeSparse", {"cube"}, {{"dtype", t}})
      .Run({"back", "all", "folded"});
  if (is_string) {
    s.Node("old", "DeserializeManySparse", {"many"}, {{"dtype", t}})
        .Run({"one"})
        .Run({"many", "old"});
  }
}

void EachForm(CaseList& c, const char* attr) {
  c.EachType(attr, [](CaseList& c, DataType t) {
    Serializes(c, t, kString);
    Serializes(c, t, kVariant);
  });
  Serializes(c, kFloat, kVariant);
}

// Adds an error of a serialized sparse tensor whose parts do not fit.
void Misfit(CaseList& c, const std::string& name, Value indices, Value values,
            Value shape, const std::string& words) {
  Case& s = c.Sequence(name);
  s.NoShapeCheck()
      .Node("indices", "SerializeTensor", {std::move(indices)})
      .Node("values", "SerializeTensor", {std::move(values)})
      .Node("shape", "SerializeTensor", {std::move(shape)})
      .Node("row", "Pack", {"indices", "values", "shape"}, {{"axis", 0}})
      .Node("rows", "ExpandDims", {"row", Scalar(0)})
      .Node("op", c.op().name, {"rows"}, {{"dtype", kFloat}})
      .RunError({"op"}, kInvalid, words);
}

void DeserializeErrors(CaseList& c) {
  Misfit(c, "vector of indices", Long({0}), F32({1}), Long({3}),
         "Expected serialized_sparse[0, 0] to represent an index matrix but "
         "received shape [1]");
  Misfit(c, "matrix of values", Pairs({0, 1}), F32({1, 1}), Long({3, 3}),
         "Expected serialized_sparse[0, 1] to represent a values vector but "
         "received shape [1,1]");
  Misfit(c, "scalar shape", Pairs({0, 1}), F32({1}), Scalar(kInt64, 3),
         "Expected serialized_sparse[0, 1] to be a shape vector but its shape "
         "is []");
  Misfit(c, "rows", Pairs({0, 1}), F32({2}), Long({3, 3}),
         "Expected row counts of SparseTensor[0].indices and "
         "SparseTensor[0].values to match but they do not: 1 vs. 2");
  Misfit(c, "columns", Pairs({0, 1}), F32({1}), Long({3, 3, 3}),
         "Expected column counts of SparseTensor[0].indices to match size of "
         "SparseTensor[0].shape but they do not: 2 vs. 3");
  Misfit(c, "type", Pairs({0, 1}), F64({1}), Long({3, 3}),
         "Requested SparseTensor of type float but "
         "SparseTensor[0].values.dtype() == double");
  c.Sequence("ranks")
      .NoShapeCheck()
      .Node("a", "SerializeSparse", {Pairs({0, 1}), F32({1}), Long({3, 3})})
      .Node("b", "SerializeSparse",
            {Triples({0, 1, 0}), F32({1}), Long({3, 3, 3})})
      .Node("rows", "Pack", {"a", "b"})
      .Node("op", c.op().name, {"rows"}, {{"dtype", kFloat}})
      .RunError({"op"}, kInvalid,
                "Inconsistent shape across SparseTensors: rank prior to "
                "SparseTensor[1] was: 2 but rank of SparseTensor[1] is: 3");
  c.Error({Str({1, 3}, {"\xff", "", ""})}, {{"dtype", kFloat}}, kInvalid,
          "Could not parse serialized proto");
}

}  // namespace

MR_CASES(SerializeSparse)(CaseList& c) {
  EachForm(c, "T");
  BadTensors(c);
}
MR_CASES(SerializeManySparse)(CaseList& c) {
  EachForm(c, "T");
  BadBatches(c);
}
MR_CASES(DeserializeManySparse)(CaseList& c) {
  EachForm(c, "dtype");
  DeserializeErrors(c);
}
MR_CASES(DeserializeSparse)(CaseList& c) {
  EachForm(c, "dtype");
  DeserializeErrors(c);
  c.BuildError({StrScalar("")}, {{"dtype", kFloat}},
               "Shape must be at least rank 1 but is rank 0");
  c.Error({Str({"", ""})}, {{"dtype", kFloat}}, kInvalid, "");
  c.Error({Empty(kString, {0, 3})}, {{"dtype", kFloat}}, kInvalid,
          "Serialized sparse should have at least 1 serialized tensor, but has "
          "a zero dimension [0,3]");
}

}  // namespace millrace::cases
