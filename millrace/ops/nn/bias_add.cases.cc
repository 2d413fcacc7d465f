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

}  // namespace millrace::cases
