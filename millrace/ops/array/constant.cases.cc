#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Const)(CaseList& c) {
  c.Ok({}, {{"value", F32({2, 3}).tensor}, {"dtype", DataType::kFloat}});
  c.Ok({}, {{"value", Str({"a", std::string("b\0c", 3), ""}).tensor},
            {"dtype", DataType::kString}});
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Ok({}, {{"value", Rand(t, {3}).tensor}, {"dtype", t}});
  });
  c.Ok({}, {{"value", Empty(DataType::kInt64, {0, 3}).tensor},
            {"dtype", DataType::kInt64}});
  c.BuildError({}, {{"value", F32({2, 3}).tensor}, {"dtype", DataType::kInt8}},
               "Type mismatch between value (float) and dtype (int8)")
      .NoStock("it says so when the constant is made in a step");
}

MR_CASES(HostConst)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Ok({}, {{"value", Rand(t, {3}).tensor}, {"dtype", t}});
  });
  c.Ok({}, {{"value", Empty(DataType::kFloat, {0, 3}).tensor},
            {"dtype", DataType::kFloat}});
}

MR_CASES(Fact)(CaseList& c) { c.Ok({}); }

MR_CASES(Fill)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec({2, 3}), Rand(t, {})});
  });
  c.Ok({Vec(DataType::kInt64, {3, 0, 2}), Scalar(DataType::kFloat, 1)});
  c.Ok({Empty(DataType::kInt32, {0}), StrScalar("x")});
  c.Ok({Vec({300, 1000}), Scalar(DataType::kDouble, 2.5)});
  c.BuildError({Vec({-1}), F32({})}, {}, "Fill dimensions must be >= 0");
  c.Error({Vec({2, -1}), F32({})}, StatusCode::kInvalidArgument,
          "Dimension -1 must be >= 0");
  c.Error({Vec(DataType::kInt64, {1099511627776.0}), F32({})},
          StatusCode::kResourceExhausted,
          "OOM when allocating tensor with shape[1099511627776]");
  c.Error({Vec(DataType::kInt64, {1099511627776.0, 1099511627776.0}), F32({})},
          StatusCode::kInvalidArgument, "");
}

MR_CASES(ZerosLike)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
  c.Ok({Empty(DataType::kFloat, {0, 2})});
  c.Ok({F32({100, 200})});
  c.Ok({StrScalar("word")});
}

MR_CASES(OnesLike)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
  c.Ok({Empty(DataType::kFloat, {0, 2})});
  c.Ok({F32({100, 200})});
}

MR_CASES(Empty)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Ok({Vec({2, 3})}, {{"dtype", t}, {"init", true}});
  });
  c.Ok({Vec({4, 5})}, {{"dtype", DataType::kFloat}}).IgnoreOutputs({0});
  c.Error({Vec({-1})}, {{"dtype", DataType::kFloat}},
          StatusCode::kInvalidArgument, "Dimension -1 must be >= 0");
}

}  // namespace millrace::cases
