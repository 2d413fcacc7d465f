#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Softmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 10})});
    c.Ok({Rand(t, {2, 3, 5})});
  });
  c.Ok({F64({2, 5})}).Gradient();
  c.Ok({F32({4})});
  c.Ok({Rand(DataType::kFloat, {2, 37}, -80, 80)});
  c.Ok({Rand(DataType::kFloat, {3, 201}, -8, 8)});
  c.Ok({Rand(DataType::kDouble, {3, 201}, -8, 8)});
  // Rows below and above the length up to which several are computed at once.
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {70, 10}, -8, 8)});
    c.Ok({Rand(t, {33, 1})});
    c.Ok({Rand(t, {33, 15}, -8, 8)});
    c.Ok({Rand(t, {33, 31}, -8, 8)});
    c.Ok({Rand(t, {33, 32}, -8, 8)});
  });
  c.Ok({Of(DataType::kFloat, {3, 3}, {1, NAN, 2, 1, 2, 3, -INFINITY, 0, 1})})
      .Deviates("stock's oneDNN kernel gives 0 beside a NaN");
  c.Ok({Empty(DataType::kFloat, {0, 4})});
}
MR_CASES(LogSoftmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 10})});
    c.Ok({Rand(t, {70, 10}, -8, 8)});
    c.Ok({Rand(t, {33, 31}, -8, 8)});
  });
  c.Ok({Of(DataType::kFloat, {3, 3}, {1, NAN, 2, 1, 2, 3, -INFINITY, 0, 1})});
  c.Ok({F64({2, 5})}).Gradient();
  c.Ok({Rand(DataType::kFloat, {2, 37}, -80, 80)});
  c.Ok({Rand(DataType::kFloat, {3, 201}, -8, 8)});
}

MR_CASES(SoftmaxCrossEntropyWithLogits)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 10}), Rand(t, {3, 10}, 0, 1)});
    c.Ok({Rand(t, {70, 15}, -8, 8), Rand(t, {70, 15}, 0, 1)});
    c.Ok({Rand(t, {3, 40}), Rand(t, {3, 40}, 0, 1)});
  });
  // The gradient is that of labels whose rows add up to 1; as in stock, the
  // gradient of the second output does not reach the labels.
  c.Ok({F64({2, 4}),
        Of(DataType::kDouble, {2, 4}, {0.1, 0.2, 0.3, 0.4, 0.7, 0.1, 0, 0.2})})
      .Gradient({0});
  c.Ok({F32({3, 4}), Rand(DataType::kFloat, {1, 4}, 0, 1)});
  c.Ok({Empty(DataType::kFloat, {0, 4}), Empty(DataType::kFloat, {0, 4})});
  c.Ok({Empty(DataType::kFloat, {0, 4}), F32({1, 4})});
  c.Ok({Empty(DataType::kFloat, {0, 4}), F32({4})})
      .NoStock("stock takes no vector");
  c.Error({F32({3, 4}), F32({2, 4})}, StatusCode::kInvalidArgument,
          "logits and labels must be broadcastable");
}
MR_CASES(SparseSoftmaxCrossEntropyWithLogits)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 10}), Vec({1, 9, 0})});
    c.Ok({Rand(t, {3, 10}), Vec(DataType::kInt64, {1, 9, 0})});
    c.Ok({Rand(t, {35, 10}, -8, 8),
          Vec({1, 9, 0, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7,
               8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4})});
    c.Ok({Rand(t, {3, 40}), Vec({1, 39, 0})});
  });
  c.Ok({F64({3, 4}), Vec({1, 3, 0})}).Gradient({0});
  c.Error({F32({3, 4}), Vec({1, 3, 0, 1})}, StatusCode::kInvalidArgument,
          "logits and labels must have the same first dimension");
  c.Error({F32({2, 4}), Vec({1, 4})}, StatusCode::kInvalidArgument,
          "Received a label value of 4 which is outside the valid range")
      .Name("a class that is not there");
}

}  // namespace millrace::cases
