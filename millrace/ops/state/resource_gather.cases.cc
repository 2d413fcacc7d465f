#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Stock reads no quantized variable whose rows it has gathered.
void GathersQuantized(CaseList& c, DataType t) {
  const AttrMap type = {{"dtype", t}};
  c.Sequence(absl::StrCat("quantized ", DataTypeName(t)))
      .Node("v", "VarHandleOp", {},
            {{"dtype", t},
             {"shape", PartialShape({6})},
             {"shared_name", absl::StrCat("gather ", DataTypeName(t))}})
      .Node("init", "AssignVariableOp", {"v", Rand(t, {6})})
      .Node("op", "ResourceGather",
            {"v", Of(DataType::kInt64, {2, 2}, {5, 0, 3, 3})}, type)
      .Run({"init"})
      .Run({"op"});
}

}  // namespace

MR_CASES(ResourceGather)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    if (IsQuantized(t)) return GathersQuantized(c, t);
    c.Ok({Var(Rand(t, {5, 3})), Vec({1, 4, 1})}, {{"dtype", t}});
    c.Ok({Var(Rand(t, {6})), Of(DataType::kInt64, {2, 2}, {5, 0, 3, 3})},
         {{"dtype", t}});
  });
  c.Ok({Var(F32({2, 5, 3})), Of(DataType::kInt32, {2, 2}, {0, 4, 3, 3})},
       {{"dtype", kFloat}, {"batch_dims", 1}});
  c.Ok({Var(F32({5, 3})), I32({0})}, {{"dtype", kFloat}});
  c.Error({Var(F32({5, 3})), Vec({1, 5})}, {{"dtype", kFloat}},
          StatusCode::kInvalidArgument, "indices[1] = 5 is not in [0, 5)")
      .Name("a row that is not there");
}

}  // namespace millrace::cases
