#include "millrace/client/gradients/differentiate_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace {
namespace {

using testing::HasSubstr;
using Outputs = std::vector<Output>;

const AttrMap kOfFloats = {{"T", DataType::kFloat}};

// Defines `name`(x: float, i: int32) -> (y: float, j: int32), with the values
// of `y` and of i.
void DefineCounted(const Scope& s, const std::string& name,
                   std::vector<NodeDef> nodes, const std::string& y) {
  FunctionDef f;
  f.signature.name = name;
  f.signature.inputs = {{.name = "x", .type = DataType::kFloat},
                        {.name = "i", .type = DataType::kInt32}};
  f.signature.outputs = {{.name = "y", .type = DataType::kFloat},
                         {.name = "j", .type = DataType::kInt32}};
  f.nodes = std::move(nodes);
  f.ret = {{"y", y}, {"j", "i"}};
  const Status added = s.graph().AddFunction(std::move(f));
  ASSERT_TRUE(added.ok()) << added;
}

// Runs the gradient of `function` at x and returns that of x.
StatusOr<float> GradientAt(const Scope& s, NameAttrList function, float x,
                           float dy) {
  OpBuilder gradient(s, "SymbolicGradient");
  gradient.In(InputList({ops::Const(s, x), ops::Const(s, 4), ops::Const(s, dy),
                         ops::Const(s, 0)}));
  gradient.Attr("Tout",
                std::vector<DataType>{DataType::kFloat, DataType::kInt32});
  gradient.Attr("f", function);
  gradient.Finish();
  const Outputs dxs = gradient.OutList(0);
  MR_RETURN_IF_ERROR(s.status());
  Session session(s, {.differentiate = DifferentiateFunction});
  MR_ASSIGN_OR_RETURN(const auto values, session.Run(dxs));
  EXPECT_EQ(values[1].scalar<int32_t>(), 0);
  return values[0].scalar<float>();
}

TEST(DifferentiateFunction, OfABody) {
  const Scope s = Scope::NewRoot();
  DefineCounted(s, "wave",
                {{"sin", "Sin", {"x"}, "", kOfFloats},
                 {"y", "Mul", {"sin:y:0", "x"}, "", kOfFloats}},
                "y:z:0");
  const StatusOr<float> dx = GradientAt(s, {"wave", {}}, 0.5f, 3.0f);
  ASSERT_TRUE(dx.ok()) << dx.status();
  EXPECT_NEAR(*dx, 3 * (std::sin(0.5) + 0.5 * std::cos(0.5)), 1e-5);
}

TEST(DifferentiateFunction, OfCallsByName) {
  const Scope s = Scope::NewRoot();
  DefineCounted(s, "square", {{"y", "Mul", {"x", "x"}, "", kOfFloats}},
                "y:z:0");
  DefineCounted(s, "fourth",
                {{"a", "square", {"x", "i"}, "", {}},
                 {"b", "square", {"a:y:0", "a:j:0"}, "", {}}},
                "b:y:0");
  const StatusOr<float> dx = GradientAt(s, {"fourth", {}}, 2.0f, 1.0f);
  ASSERT_TRUE(dx.ok()) << dx.status();
  EXPECT_NEAR(*dx, 4 * 8, 1e-4);
}

TEST(DifferentiateFunction, ByTheGradientThatTheLibraryNames) {
  const Scope s = Scope::NewRoot();
  FunctionDef slope;
  slope.signature.name = "slope";
  slope.signature.inputs = {{.name = "x", .type = DataType::kFloat},
                            {.name = "i", .type = DataType::kInt32},
                            {.name = "dy", .type = DataType::kFloat},
                            {.name = "dj", .type = DataType::kInt32}};
  slope.signature.outputs = {{.name = "dx", .type = DataType::kFloat},
                             {.name = "di", .type = DataType::kInt32}};
  slope.nodes = {{"sum", "AddV2", {"x", "dy"}, "", kOfFloats}};
  slope.ret = {{"dx", "sum:z:0"}, {"di", "dj"}};
  DefineCounted(s, "line", {}, "x");
  DefineCounted(s, "calls", {{"a", "line", {"x", "i"}, "", {}}}, "a:y:0");
  const Status added =
      s.graph().AddFunctions({{std::move(slope)}, {{"line", "slope"}}});
  ASSERT_TRUE(added.ok()) << added;
  for (const char* name : {"line", "calls"}) {
    const StatusOr<float> dx = GradientAt(s, {name, {}}, 2.0f, 10.0f);
    ASSERT_TRUE(dx.ok()) << dx.status();
    EXPECT_EQ(*dx, 12.0f) << name;
  }
}

TEST(DifferentiateFunction, Refusals) {
  const Scope s = Scope::NewRoot();
  const StatusOr<float> nowhere = GradientAt(s, {"nowhere", {}}, 1.0f, 1.0f);
  EXPECT_EQ(nowhere.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(nowhere.status().ToString(),
              HasSubstr("No gradient defined for op: nowhere"));
  const StatusOr<Graph> without =
      DifferentiateFunctionBy({}, s.graph().ops(), {}, {"Sin", kOfFloats}, {});
  EXPECT_EQ(without.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(without.status().ToString(),
              HasSubstr("in the gradient of function 'Sin'"));
}

}  // namespace
}  // namespace millrace
