#include "millrace/ops/sparse/sparse_values.cases.h"

namespace millrace::cases {
namespace {

const char* const kOperations[] = {"a-b", "B-A", "intersection", "union"};

AttrMap Does(const char* operation, bool validate = true) {
  return {{"set_operation", std::string(operation)},
          {"validate_indices", validate}};
}
// Few different elements, so that rows have some in common.
Value Few(DataType t, TensorShape shape) {
  return t == kString ? Rand(t, std::move(shape))
                      : Rand(t, std::move(shape), 0, 6);
}

void SparseErrors(CaseList& c, const std::vector<Value>& before,
                  const AttrMap& attrs) {
  const auto error = [&](Value indices, Value values, Value shape,
                         const char* words) {
    std::vector<Value> inputs = before;
    inputs.push_back(std::move(indices));
    inputs.push_back(std::move(values));
    inputs.push_back(std::move(shape));
    c.Error(std::move(inputs), attrs, kInvalid, words);
  };
  error(Pairs({0, 0, 0, 0}), I32({2}), Long({2, 3}),
        "indices[1] = [0,0] is repeated");
  error(Pairs({1, 0, 0, 0}), I32({2}), Long({2, 3}),
        "indices[1] = [0,0] is out of order. Many sparse ops require sorted "
        "indices");
  error(Pairs({0, 0, 2, 0}), I32({2}), Long({2, 3}),
        "indices[1] = [2,0] is out of bounds: need 0 <= index < [2,3]");
  error(Pairs({0, -1}), I32({1}), Long({2, 3}),
        "indices[0] = [0,-1] is out of bounds: need 0 <= index < [2,3]");
}

}  // namespace

MR_CASES(SetSize)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Pairs({0, 0, 0, 1, 0, 3, 2, 0, 2, 1}), Of(t, {5}, {1, 2, 1, 7, 7}),
          Long({4, 5})});
    c.Ok({Triples({0, 1, 0, 0, 1, 1, 1, 0, 2, 1, 2, 0}), Few(t, {4}),
          Long({2, 3, 4})});
  });
  c.Ok({Empty(kInt64, {0, 2}), Empty(kInt32, {0}), Long({3, 2})});
  c.Ok({Empty(kInt64, {0, 3}), Empty(kInt32, {0}), Long({3, 0, 2})});
  c.Ok({Pairs({1, 0, 0, 1, 1, 1}), I32({3}), Long({2, 5})},
       {{"validate_indices", false}});
  SparseErrors(c, {}, {});
  c.Error({Of(kInt64, {1, 1}, {0}), I32({1}), Long({3})}, kInvalid,
          "Invalid rank 1.");
  c.Error({Pairs({0, 0}), I32({1}), Scalar(kInt64, 3)}, kInvalid,
          "Shape must be a 1D tensor.");
}

MR_CASES(DenseToDenseSetOperation)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* operation : kOperations) {
      c.Ok({Few(t, {3, 4}), Few(t, {3, 5})}, Does(operation));
    }
    c.Ok({Few(t, {2, 1, 3}), Few(t, {2, 1, 2})}, Does("union"));
  });
  for (const char* operation : kOperations) {
    c.Ok({I32({2, 2, 1, 2, 3}), I32({2, 2, 1, 2, 4})}, Does(operation));
    c.Ok({I32({2, 0}), I32({2, 3})}, Does(operation));
    c.Ok({I32({0, 2}), I32({0, 3})}, Does(operation));
    c.Ok({I32({2, 0}), I32({2, 0})}, Does(operation));
  }
  c.Error({I32({3}), I32({3})}, Does("union"), kInvalid, "");
  c.Error({I32({2, 3}), I32({3, 3})}, Does("union"), kInvalid,
          "Mismatched shapes [2] vs [3]");
  c.Error({I32({2, 3}), I32({2, 1, 3})}, Does("union"), kInvalid,
          "Mismatched shapes [2] vs [2,1]");
  c.Error({I32({2, 3}), I32({2, 3})}, Does("xor"), kInvalid,
          "Invalid set_operation xor.");
}

MR_CASES(DenseToSparseSetOperation)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* operation : kOperations) {
      c.Ok({Few(t, {3, 4}), Pairs({0, 0, 0, 2, 2, 0, 2, 1, 2, 4}), Few(t, {5}),
            Long({3, 5})},
           Does(operation));
    }
  });
  for (const char* operation : kOperations) {
    c.Ok({I32({2, 2, 2}), Triples({0, 1, 0, 1, 0, 3, 1, 0, 4}), I32({3}),
          Long({2, 2, 6})},
         Does(operation));
    c.Ok({I32({2, 3}), Empty(kInt64, {0, 2}), Empty(kInt32, {0}), Long({2, 1})},
         Does(operation));
  }
  SparseErrors(c, {I32({2, 3})}, Does("union"));
  c.Error({I32({2, 3}), Pairs({0, 0}), I32({1}), Long({3, 3})}, Does("a-b"),
          kInvalid, "Mismatched shapes [2] vs [3]");
}

MR_CASES(SparseToSparseSetOperation)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    for (const char* operation : kOperations) {
      c.Ok({Pairs({0, 1, 0, 3, 1, 0, 3, 0, 3, 1}), Few(t, {5}), Long({4, 4}),
            Pairs({0, 0, 2, 2, 3, 0, 3, 1, 3, 4}), Few(t, {5}), Long({4, 5})},
           Does(operation));
    }
  });
  for (const char* operation : kOperations) {
    c.Ok({Triples({0, 1, 0, 1, 0, 3, 1, 0, 4}), I32({3}), Long({2, 2, 6}),
          Empty(kInt64, {0, 3}), Empty(kInt32, {0}), Long({2, 2, 1})},
         Does(operation));
  }
  SparseErrors(c, {Pairs({0, 0}), I32({1}), Long({2, 3})}, Does("union"));
  c.Error({Pairs({0, 0}), I32({1}), Long({2, 3}), Pairs({0, 0}), I32({1}),
           Long({3, 3})},
          Does("a-b"), kInvalid, "Mismatched shapes [2] vs [3]");
}

}  // namespace millrace::cases
