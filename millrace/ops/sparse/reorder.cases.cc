#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {

MR_CASES(SparseReorder)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({2, 3, 0, 1, 2, 0, 1, 1}), Rand(t, {4}), Long({3, 4})});
  });
  c.Ok({Pairs({0, 1, 2, 3}), F32({2}), Long({3, 4})});
  c.Ok({NoPairs(), Empty(kFloat, {0}), Long({3, 4})});
  c.Ok({Triples({1, 0, 2, 1, 0, 1, 0, 4, 4}), F32({3}), Long({2, 5, 5})});
  // Places that repeat, and more entries than are sorted at once.
  c.Ok({Pairs({2, 3, 0, 1, 2, 3, 0, 1, 2, 3}), F32({5}), Long({3, 4})});
  c.Ok({Rand(kInt64, {3000, 2}, 0, 1e6), F32({3000}), Long({1e6, 1e6})});
  c.Ok({Pairs({2, 3, 0, 1, 2, 0}), F64({3}), Long({3, 4})}).Gradient({1});
  c.Error({Pairs({0, 1, 2, 3}), F32({3}), Long({3, 4})}, kInvalid,
          "Number of elements in indices (2) and values (3) do not match")
      .NoShapeCheck();
  c.Error({Pairs({0, 1}), F32({1, 1}), Long({3, 4})}, kInvalid,
          "Sparse values must be rank 1 but is rank 2")
      .NoShapeCheck();
}

}  // namespace millrace::cases
