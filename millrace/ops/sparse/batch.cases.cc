#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kI64 = DataType::kInt64;
constexpr DataType kF32 = DataType::kFloat;
constexpr DataType kString = DataType::kString;
constexpr DataType kVariant = DataType::kVariant;
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

Value Long(std::initializer_list<double> v) { return Vec(kI64, v); }
Value Pairs(std::initializer_list<double> v) {
  return Of(kI64, TensorShape({static_cast<int64_t>(v.size() / 2), 2}), v);
}
Value Triples(std::initializer_list<double> v) {
  return Of(kI64, TensorShape({static_cast<int64_t>(v.size() / 3), 3}), v);
}

// What of a sparse tensor can be wrong for any op.
void BadTensors(CaseList& c) {
  c.Error({Long({1, 2}), F32({2}), Long({4})}, kInvalid,
          "Input indices should be a matrix but received shape [2]");
  c.Error({Pairs({0, 1}), F32({}), Long({4, 4})}, kInvalid,
          "Input values should be a vector but received shape []");
  c.Error({Pairs({0, 1}), F32({1}), Scalar(kI64, 4)}, kInvalid,
          "Input shape should be a vector but received shape []");
}

// What of a batch can be wrong.
void BadBatches(CaseList& c) {
  BadTensors(c);
  c.Error({Of(kI64, {2, 1}, {0, 1}), F32({2}), Long({4})}, kInvalid,
          "Rank of input SparseTensor should be > 1, but saw rank: 1");
  c.Error({Pairs({0, 1, 0, 1}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [0,1] is repeated");
  c.Error({Pairs({1, 1, 0, 1}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [0,1] is out of order. Many sparse ops require sorted "
          "indices");
  c.Error({Pairs({0, 1, 4, 1}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [4,1] is out of bounds: need 0 <= index < [4,4]");
  c.Error({Pairs({0, 1, 3, 4}), F32({2}), Long({4, 4})}, kInvalid,
          "indices[1] = [3,4] is out of bounds: need 0 <= index < [4,4]");
  c.Error({Pairs({0, -1}), F32({1}), Long({4, 4})}, kInvalid,
          "indices[0] = [0,-1] is out of bounds: need 0 <= index < [4,4]");
  c.Error({Pairs({0, 1}), F32({1}), Long({4, -4})}, kInvalid, "");
}

// Kept one by one, then taken together.
void Keeps(CaseList& c, DataType t) {
  if (IsQuantized(t)) {  // only ops that ask for no type have these
    c.Ok({Pairs({0, 1, 2, 0}), Rand(t, {2}), Long({3, 4})},
         {{"shared_name", c.op().name + DataTypeName(t)}});
    return;
  }
  const AttrMap shared = {{"shared_name", c.op().name + DataTypeName(t)}};
  AttrMap take = shared;
  take.Set("dtype", t);
  c.Sequence("keeps " + DataTypeName(t))
      .Node("a", "AddSparseToTensorsMap",
            {Pairs({0, 1, 2, 0}), Rand(t, {2}), Long({3, 4})}, shared)
      .Node("b", "AddSparseToTensorsMap",
            {Empty(kI64, {0, 2}), Rand(t, {0}), Long({5, 2})}, shared)
      .Node(
          "many", "AddManySparseToTensorsMap",
          {Triples({1, 0, 3, 1, 1, 0, 3, 0, 0}), Rand(t, {3}), Long({5, 2, 4})},
          shared)
      .Node("take", "TakeManySparseFromTensorsMap", {Long({1, 0})}, take)
      .Node("rest", "TakeManySparseFromTensorsMap", {Long({3, 2, 5, 4, 6})},
            take)
      .Run({"a"})
      .Run({"b"})
      .Run({"many"})
      .Run({"take"})
      .RunError({"take"}, kInvalid, "Unable to find SparseTensor: 1 in map: ")
      .Run({"rest"});
}

// Without a name nothing is found.
void Names(CaseList& c) {
  c.Sequence("names")
      .Node("a", "AddSparseToTensorsMap",
            {Pairs({0, 1}), F32({1}), Long({3, 4})})
      .Node("take", "TakeManySparseFromTensorsMap", {Long({0})},
            {{"dtype", kF32}})
      .Run({"a"})
      .RunError({"take"}, kInvalid, "Unable to find SparseTensor: 0 in map: ");
}

void TakeErrors(CaseList& c) {
  const auto named = [&c](const std::string& name, DataType t) {
    return AttrMap{{"shared_name", c.op().name + name}, {"dtype", t}};
  };
  const auto shared = [&c](const std::string& name) {
    return AttrMap{{"shared_name", c.op().name + name}};
  };
  c.Sequence("type")
      .Node("a", "AddSparseToTensorsMap",
            {Pairs({0, 1}), F32({1}), Long({3, 4})}, shared("type"))
      .Node("take", c.op().name, {Long({0})}, named("type", DataType::kDouble))
      .Run({"a"})
      .RunError({"take"}, kInvalid,
                "Requested SparseTensor of type double but "
                "SparseTensor[0].values.dtype() == float");
  c.Sequence("rank")
      .Node("a", "AddSparseToTensorsMap",
            {Pairs({0, 1}), F32({1}), Long({3, 4})}, shared("rank"))
      .Node("b", "AddSparseToTensorsMap",
            {Triples({0, 1, 0}), F32({1}), Long({3, 4, 2})}, shared("rank"))
      .Node("take", c.op().name, {Long({0, 1})}, named("rank", kF32))
      .Run({"a"})
      .Run({"b"})
      .RunError({"take"}, kInvalid,
                "Inconsistent rank across SparseTensors: rank prior to "
                "SparseTensor[1] was: 3 but rank of SparseTensor[1] is: 4");
  c.Error({I64({2, 1})}, {{"dtype", kF32}}, kInvalid,
          "sparse_handles should be a vector but received shape [2,1]");
  c.Error({Empty(kI64, {0})}, {{"dtype", kF32}}, kInvalid,
          "Must have at least 1 serialized SparseTensor");
}

// There and back.
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
  Serializes(c, kF32, kVariant);
}

// A sparse tensor of other parts than fit.
void Misfit(CaseList& c, const std::string& name, Value indices, Value values,
            Value shape, const std::string& words) {
  Case& s = c.Sequence(name);
  s.NoShapeCheck()
      .Node("indices", "SerializeTensor", {std::move(indices)})
      .Node("values", "SerializeTensor", {std::move(values)})
      .Node("shape", "SerializeTensor", {std::move(shape)})
      .Node("row", "Pack", {"indices", "values", "shape"}, {{"axis", 0}})
      .Node("rows", "ExpandDims", {"row", Scalar(0)})
      .Node("op", c.op().name, {"rows"}, {{"dtype", kF32}})
      .RunError({"op"}, kInvalid, words);
}

void DeserializeErrors(CaseList& c) {
  Misfit(c, "vector of indices", Long({0}), F32({1}), Long({3}),
         "Expected serialized_sparse[0, 0] to represent an index matrix but "
         "received shape [1]");
  Misfit(c, "matrix of values", Pairs({0, 1}), F32({1, 1}), Long({3, 3}),
         "Expected serialized_sparse[0, 1] to represent a values vector but "
         "received shape [1,1]");
  Misfit(c, "scalar shape", Pairs({0, 1}), F32({1}), Scalar(kI64, 3),
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
  c.Error({Str({1, 3}, {"\xff", "", ""})}, {{"dtype", kF32}}, kInvalid,
          "Could not parse serialized proto");
}

}  // namespace

MR_CASES(AddSparseToTensorsMap)(CaseList& c) {
  c.EachType("T", Keeps);
  BadTensors(c);
  Names(c);
}
MR_CASES(AddManySparseToTensorsMap)(CaseList& c) {
  c.EachType("T", Keeps);
  BadBatches(c);
}
MR_CASES(TakeManySparseFromTensorsMap)(CaseList& c) {
  c.EachType("dtype", Keeps);
  TakeErrors(c);
}
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
  c.BuildError({StrScalar("")}, {{"dtype", kF32}},
               "Shape must be at least rank 1 but is rank 0");
  c.Error({Str({"", ""})}, {{"dtype", kF32}}, kInvalid, "");
  c.Error({Empty(kString, {0, 3})}, {{"dtype", kF32}}, kInvalid,
          "Serialized sparse should have at least 1 serialized tensor, but has "
          "a zero dimension [0,3]");
}

}  // namespace millrace::cases
