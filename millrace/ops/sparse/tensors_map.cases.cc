#include "millrace/ops/sparse/bad_sparse.cases.h"
#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {
namespace {

// Adds sparse tensors that are kept one by one, then taken together.
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
            {Empty(kInt64, {0, 2}), Rand(t, {0}), Long({5, 2})}, shared)
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

// Adds maps by their names; without one nothing is found.
void Names(CaseList& c) {
  c.Sequence("names")
      .Node("a", "AddSparseToTensorsMap",
            {Pairs({0, 1}), F32({1}), Long({3, 4})})
      .Node("take", "TakeManySparseFromTensorsMap", {Long({0})},
            {{"dtype", kFloat}})
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
      .Node("take", c.op().name, {Long({0, 1})}, named("rank", kFloat))
      .Run({"a"})
      .Run({"b"})
      .RunError({"take"}, kInvalid,
                "Inconsistent rank across SparseTensors: rank prior to "
                "SparseTensor[1] was: 3 but rank of SparseTensor[1] is: 4");
  c.Error({I64({2, 1})}, {{"dtype", kFloat}}, kInvalid,
          "sparse_handles should be a vector but received shape [2,1]");
  c.Error({Empty(kInt64, {0})}, {{"dtype", kFloat}}, kInvalid,
          "Must have at least 1 serialized SparseTensor");
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

}  // namespace millrace::cases
