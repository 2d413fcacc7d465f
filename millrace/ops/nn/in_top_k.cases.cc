#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(InTopK)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(DataType::kFloat, {3, 5}), Vec(t, {0, 2, 4})}, {{"k", 2}});
  });
  c.Ok({Mixed(DataType::kFloat, {4, 5}), Vec({0, 2, 4, 9})}, {{"k", 3}});
  c.Ok({Full(DataType::kFloat, {2, 5}, 1), Vec({0, 2})}, {{"k", 1}});
  for (int64_t classes : {17, 100, 9001}) {
    const Value targets =
        Rand(DataType::kInt32, {20}, 0, static_cast<double>(classes));
    c.Ok({Distinct(DataType::kFloat, {20, classes}), targets}, {{"k", 9}});
    c.Ok({MixedNoNan(DataType::kFloat, {20, classes}), targets}, {{"k", 9}});
  }
}
MR_CASES(InTopKV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Distinct(DataType::kFloat, {3, 5}), Vec(t, {0, 2, 4}), Scalar(t, 2)});
  });
}

}  // namespace millrace::cases
