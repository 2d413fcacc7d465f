#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(TopKV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(t, {3, 11}), Scalar(4)});
    c.Ok({Rand(t, {2, 2, 17}), Scalar(17)});
    c.Ok({Rand(t, {40}), Scalar(3)});
  });
  c.EachType("Tk", [](CaseList& c, DataType t) {
    c.Ok({F32({3, 11}), Scalar(t, 2)});
  });
  c.EachType("index_type", [](CaseList& c, DataType t) {
    c.Ok({F32({3, 11}), Scalar(2)}, {{"index_type", t}});
  });
  c.Ok({F64({2, 3, 7}), Scalar(3)}).Gradient({0});
  c.Ok({F32({2, 7}), Scalar(0)});
  c.Ok({F32({2, 7}), Scalar(7)}, {{"sorted", false}})
      .Deviates("unsorted: stock gives another order than that of the places");
  c.Ok({Empty(DataType::kFloat, {0, 7}), Scalar(3)});
  c.Ok({MixedNoNan(DataType::kFloat, {5, 13}), Scalar(6)});
  // Long rows: a sample says where to look. Many elements are equal.
  c.Ok({Rand(DataType::kFloat, {2, 5000}), Scalar(50)});
  c.Ok({Rand(DataType::kInt8, {5000}), Scalar(700)});
  c.Error({F32({2, 7}), Scalar(8)}, StatusCode::kInvalidArgument,
          "input must have at least k columns. Had 7, needed 8");
  c.Error({F32({2, 7}), Scalar(-1)}, StatusCode::kInvalidArgument,
          "Need k >= 0, got -1");
}
MR_CASES(TopK)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 11})}, {{"k", 4}})
        .NoStock("its kernels ask for an attribute that the op lacks");
  });
}
MR_CASES(NthElement)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 11}), Scalar(4)});
    c.Ok({Rand(t, {2, 2, 17}), Scalar(0)}, {{"reverse", true}});
  });
  c.Ok({F64({2, 7}), Scalar(3)}).Gradient({0});
  c.Error({F32({2, 7}), Scalar(7)}, StatusCode::kInvalidArgument,
          "Input must have last dimension > n = 7");
}

}  // namespace millrace::cases
