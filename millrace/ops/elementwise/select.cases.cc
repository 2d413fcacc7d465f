#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Select)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Bool({3, 7}), Rand(t, {3, 7}), Rand(t, {3, 7})});
    c.Ok({Bool({3}), Rand(t, {3, 7}), Rand(t, {3, 7})});
    c.Ok({Bool({}), Rand(t, {3, 7}), Rand(t, {3, 7})});
    c.Ok({Bool({100}), Rand(t, {100}), Rand(t, {100})});
    c.Ok({Bool({5000}), Rand(t, {5000}), Rand(t, {5000})});
  });
  for (DataType t : {DataType::kFloat, DataType::kDouble}) {
    c.Ok({Bool({70}), Mixed(t, {70}), Mixed(t, {70})});
  }
  c.Ok({Bool({2, 3}), F64({2, 3}), F64({2, 3})}).Gradient({1, 2});
  c.Ok({Empty(DataType::kBool, {0}), Empty(DataType::kFloat, {0, 3}),
        Empty(DataType::kFloat, {0, 3})});
  c.Error({Bool({3}), F32({2, 3}), F32({2, 3})}, StatusCode::kInvalidArgument,
          "Number of batches of 'then' must match size of 'cond', but saw: 2 "
          "vs. 3");
  c.Error({Bool({2}), F32({2, 3}), F32({2, 2})}, StatusCode::kInvalidArgument,
          "'then' and 'else' must have the same size.  but received: [2,3] vs. "
          "[2,2]");
  c.Error({Bool({2, 2}), F32({2, 3}), F32({2, 3})},
          StatusCode::kInvalidArgument,
          "must have the same size and shape.  Input 0: [2,2] != input 1: "
          "[2,3]");
  c.Error({Bool({1}), F32({}), F32({})}, StatusCode::kInvalidArgument,
          "'then' must be at least a vector, but saw shape: []");
}

MR_CASES(SelectV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Bool({3, 7}), Rand(t, {3, 7}), Rand(t, {3, 7})});
    c.Ok({Bool({3, 1}), Rand(t, {7}), Rand(t, {})});
    c.Ok({Bool({}), Rand(t, {3, 1}), Rand(t, {7})});
    c.Ok({Bool({}), Rand(t, {3, 7}), Rand(t, {7})});
    c.Ok({Bool({0}), Rand(t, {}), Rand(t, {})});
  });
  c.Ok({Bool({300, 40}), F32({300, 40}), F32({})});
  c.Ok({Bool({300, 1}), F32({300, 40}), F32({40})});
  c.Ok({Bool({300, 1}), F32({300, 40}), F32({})});
  c.Ok({Bool({300, 1}), F32({300, 1}), F32({300, 40})});
  c.Ok({Bool({20, 1}), F64({20, 9}), F64({})}).Gradient({1, 2});
  c.Ok({Bool({2, 3}), F64({2, 3}), F64({3})}).Gradient({1, 2});
  c.Ok({Bool({0, 3}), F32({3}), F32({1})});
  c.Error({Bool({2, 2}), F32({2, 3}), F32({2, 3})},
          StatusCode::kInvalidArgument,
          "condition [2,2], then [2,3], and else [2,3] must be broadcastable");
}

}  // namespace millrace::cases
