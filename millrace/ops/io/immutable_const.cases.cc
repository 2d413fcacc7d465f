#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Numbers in every floating type, too; for flags zeros and ones.
constexpr char kText[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP";

struct Region {
  std::string name;
  std::string content;
  DataType dtype;
  PartialShape shape;
};

// The content is always the same, since other processes may run the same case.
Case& Constant(CaseList& c, const Region& r) {
  const std::string file = "/tmp/millrace_cases/ImmutableConst/" + r.name;
  return c.Sequence(r.name)
      .Node("write", "WriteFile", {StrScalar(file), StrScalar(r.content)})
      .Node("op", "ImmutableConst", {},
            {{"dtype", r.dtype},
             {"shape", r.shape},
             {"memory_region_name", file}})
      .Run({"write"});
}

}  // namespace

MR_CASES(ImmutableConst)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    const std::string name(DataTypeName(t));
    if (t == DataType::kString) {
      Constant(c, {name, kText, t, {2}})
          .RunError({"op"}, StatusCode::kUnimplemented,
                    "Sorry, DT_STRING is not currently supported for "
                    "ImmutableConstOp.");
      return;
    }
    const std::string flags("\0\1\1\0\1", 5);
    Constant(c, {name, t == DataType::kBool ? flags : kText, t, {1, 3}})
        .Run({"op"});
  });
  const DataType f = DataType::kFloat;
  Constant(c, {"scalar", kText, f, PartialShape(TensorShape())}).Run({"op"});
  Constant(c, {"unknown rank", kText, f, PartialShape()})
      .NoShapeCheck()
      .Run({"op"});
  Constant(c, {"nothing of it", kText, f, {0, 3}}).Run({"op"});
  Constant(c, {"too short", "abcdefg", f, {2}})
      .RunError({"op"}, StatusCode::kInternal,
                "Readonly memory region has wrong length (7) when allocating "
                "8");
  Constant(c, {"unknown size", kText, f, {-1, 3}})
      .RunError({"op"}, StatusCode::kInvalidArgument,
                "Shape [?,3] is not fully defined");
  Constant(c, {"empty", "", f, {1}})
      .RunError({"op"}, StatusCode::kInvalidArgument, "; Invalid argument");
  c.Error({},
          {{"dtype", f},
           {"shape", PartialShape({2})},
           {"memory_region_name", "/tmp/millrace_cases/none"}},
          StatusCode::kNotFound,
          "/tmp/millrace_cases/none; No such file or directory");
}

}  // namespace millrace::cases
