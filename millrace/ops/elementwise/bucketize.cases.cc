#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Bucketize)(CaseList& c) {
  const AttrMap three({{"boundaries", FloatList{0, 10, 100}}});
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Of(t, {2, 4}, {-5, 10000, 150, 10, 5, 100, 0, 9})}, three);
    c.Ok({Rand(t, {5000}, -20, 120)}, three);
  });
  c.Ok({Mixed(DataType::kFloat, {20})}, three);
  c.Ok({F32({3})}, {{"boundaries", FloatList{}}});
  c.Error({F32({1})}, {{"boundaries", FloatList{10, 0}}},
          StatusCode::kInvalidArgument, "Expected sorted boundaries");
}

}  // namespace millrace::cases
