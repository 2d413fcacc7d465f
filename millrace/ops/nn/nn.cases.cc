#include <cmath>
#include <limits>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void BiasTypes(CaseList& c, DataType t) {
  c.Ok({Rand(t, {5, 3}), Rand(t, {3})});
  c.Ok({Rand(t, {2, 4, 7}), Rand(t, {7})});
}

}  // namespace

MR_CASES(BiasAdd)(CaseList& c) {
  c.EachType("T", BiasTypes);
  c.Ok({F64({2, 3, 4, 5}), F64({5})}).Gradient();
  c.Ok({F64({2, 3, 4, 5}), F64({3})}, {{"data_format", "NCHW"}}).Gradient();
  c.Ok({F32({2, 3, 17}), F32({3})}, {{"data_format", "NCHW"}});
  c.Ok({F32({1, 2, 3, 4, 5}), F32({5})});
  c.Ok({Empty(DataType::kFloat, {0, 3}), F32({3})});
  c.Ok({Mixed(DataType::kFloat, {4, 33}), F32({33})});
  c.Error({F32({2, 3}), F32({4})}, StatusCode::kInvalidArgument,
          "Must provide as many biases as");
}

MR_CASES(BiasAddV1)(CaseList& c) {
  c.EachType("T", BiasTypes);
  c.Ok({F32({2, 3, 4}), F32({4})});
}

MR_CASES(BiasAddGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 3})});
    c.Ok({Rand(t, {2, 3, 4, 5})}, {{"data_format", "NCHW"}});
  });
  c.Ok({F32({3000, 7})}).Tolerance(1e-4);
  c.Ok({Empty(DataType::kFloat, {0, 3})});
}

namespace {

void ReluTypes(CaseList& c, DataType t) {
  c.Ok({Rand(t, {2, 19}, -9, 9)});
  c.Ok({Empty(t, {0, 2})});
}
void ReluGradTypes(CaseList& c, DataType t) {
  c.Ok({Rand(t, {2, 19}), Rand(t, {2, 19}, -9, 9)});
}
// What is next to where the slope changes, with gradients that are no numbers.
void ReluGradEdges(CaseList& c, DataType t) {
  const double inf = std::numeric_limits<double>::infinity();
  const double tiny = t == DataType::kDouble ? 1e-310 : 1e-40;
  const Value x = Vec(t, {0, -0.0, tiny, -tiny, 2e-38, -2e-38, 5.9999995, 6,
                          6.01, inf, -inf, NAN, 3.4e38, -1, 1, 2});
  for (const double dy : {2.0, inf, static_cast<double>(NAN)}) {
    c.Ok({Full(t, {16}, dy), x});
  }
}

}  // namespace

MR_CASES(Relu)(CaseList& c) {
  c.EachType("T", ReluTypes);
  c.Ok({F64({3, 4})}).Gradient();
  c.Ok({Mixed(DataType::kFloat, {3, 11})});
  c.Ok({F32({2, 3, 1, 2, 2})});
}
MR_CASES(ReluGrad)(CaseList& c) {
  c.EachType("T", ReluGradTypes);
  for (const DataType t : {DataType::kFloat, DataType::kDouble}) {
    ReluGradEdges(c, t);
  }
  c.Ok({F32({3, 5}), Mixed(DataType::kFloat, {3, 5})});
}
MR_CASES(Relu6)(CaseList& c) {
  c.EachType("T", ReluTypes);
  c.Ok({F64({3, 4})}).Gradient();
}
MR_CASES(Relu6Grad)(CaseList& c) {
  c.EachType("T", ReluGradTypes);
  for (const DataType t : {DataType::kFloat, DataType::kDouble}) {
    ReluGradEdges(c, t);
  }
}

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
  c.Ok({Empty(DataType::kFloat, {0, 4})});
}
MR_CASES(LogSoftmax)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {3, 10})}); });
  c.Ok({F64({2, 5})}).Gradient();
  c.Ok({Rand(DataType::kFloat, {2, 37}, -80, 80)});
  c.Ok({Rand(DataType::kFloat, {3, 201}, -8, 8)});
}

MR_CASES(SoftmaxCrossEntropyWithLogits)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 10}), Rand(t, {3, 10}, 0, 1)});
  });
  // The gradient is that of labels whose rows add up to 1; what comes back to
  // the second output does not reach the labels, as in stock.
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
  });
  c.Ok({F64({3, 4}), Vec({1, 3, 0})}).Gradient({0});
  c.Error({F32({3, 4}), Vec({1, 3, 0, 1})}, StatusCode::kInvalidArgument,
          "logits and labels must have the same first dimension");
  c.Error({F32({2, 4}), Vec({1, 4})}, StatusCode::kInvalidArgument,
          "Received a label value of 4 which is outside the valid range");
}

MR_CASES(L2Loss)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {3, 10})}); });
  c.Ok({F64({3, 5})}).Gradient();
  c.Ok({F32({20000})}).Tolerance(1e-4);
  c.Ok({Empty(DataType::kFloat, {0})});
}

MR_CASES(InTopK)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(DataType::kFloat, {3, 5}), Vec(t, {0, 2, 4})}, {{"k", 2}});
  });
  c.Ok({Mixed(DataType::kFloat, {4, 5}), Vec({0, 2, 4, 9})}, {{"k", 3}});
  c.Ok({Full(DataType::kFloat, {2, 5}, 1), Vec({0, 2})}, {{"k", 1}});
}
MR_CASES(InTopKV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(DataType::kFloat, {3, 5}), Vec(t, {0, 2, 4}), Scalar(t, 2)});
  });
}

}  // namespace millrace::cases
