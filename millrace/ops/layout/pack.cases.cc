#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Pack)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Rand(t, {2, 3}), Rand(t, {2, 3})});
    c.Ok({Rand(t, {2, 3}), Rand(t, {2, 3})}, {{"axis", 2}});
    // Narrow parts of many rows.
    c.Ok({Rand(t, {1500}), Rand(t, {1500}), Rand(t, {1500})}, {{"axis", 1}});
  });
  c.Ok({F32({}), F32({}), F32({})});
  c.Ok({F32({2, 3})}, {{"axis", 1}});
  c.Ok({F32({2, 3}), F32({2, 3})}, {{"axis", -2}}).Gradient();
  c.Ok({F32({200, 30}), F32({200, 30})}, {{"axis", 1}});
  c.Ok({Empty(DataType::kFloat, {0}), Empty(DataType::kFloat, {0})});
  c.Error({F32({2}), F32({3})}, StatusCode::kInvalidArgument,
          "Shapes of all inputs must match: values[0].shape = [2] != "
          "values[1].shape = [3]");
  c.BuildError({F32({2}), F32({2})}, {{"axis", 3}},
               "Invalid axis: 3; must be in [-2,2)");
  c.BuildError({F32({2}), F32({3})}, {},
               "From merging shape 0 with other shapes");
  for (const int axis : {0, 1, 2}) c.Ok({F32({2, 3})}, {{"axis", axis}});
}

MR_CASES(Unpack)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {3, 2})}, {{"num", 3}});
    c.Ok({Rand(t, {3, 2, 4})}, {{"num", 2}, {"axis", -2}});
    c.Ok({Rand(t, {1500, 3})}, {{"num", 3}, {"axis", 1}});
  });
  c.Ok({F32({70, 300})}, {{"num", 300}, {"axis", 1}});
  c.Ok({F32({4, 32})}, {{"num", 4}}).Gradient();
  c.Ok({Empty(DataType::kFloat, {0, 2})}, {{"num", 0}});
  c.Ok({Empty(DataType::kFloat, {2, 0})}, {{"num", 2}});
  c.Error({F32({2})}, {{"num", 3}}, StatusCode::kInvalidArgument,
          "Input shape axis 0 must equal 3, got shape [2]");
  c.BuildError({F32({2})}, {{"num", 2}, {"axis", 3}},
               "Invalid axis: 3; must be in [-1,1)");
  // Stock shares rows of 64 bytes, but not a single part of the whole.
  c.Ok({F32({4, 16})}, {{"num", 4}});
  c.Ok({F32({4, 8})}, {{"num", 4}});
  c.Ok({F32({2, 4, 4})}, {{"num", 2}});
  c.Ok({F32({1, 5})}, {{"num", 1}});
  c.Ok({F32({1, 16})}, {{"num", 1}});
  c.Ok({F32({16})}, {{"num", 16}});
  c.Ok({F32({1})}, {{"num", 1}});
  c.Ok({F32({5, 1})}, {{"num", 1}, {"axis", 1}});
  c.Ok({F32({1, 4, 16})}, {{"num", 4}, {"axis", 1}});
  c.Ok({Rand(DataType::kString, {2, 8})}, {{"num", 2}});
}

}  // namespace millrace::cases
