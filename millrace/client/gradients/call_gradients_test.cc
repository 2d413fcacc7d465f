// Tests gradients through function calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/client/gradients.h"
#include "millrace/client/op_builder.h"
#include "millrace/client/session.h"
#include "millrace/client/testing/take_error.h"
#include "millrace/client/while_loop.h"

namespace millrace {
namespace {

using testing::HasSubstr;
using Outputs = std::vector<Output>;

const AttrMap kFloats = {{"T", DataType::kFloat}};

// Defines `name`(x, w), with the value of `ret`.
void Define(const Scope& s, const std::string& name, std::vector<NodeDef> nodes,
            const std::string& ret) {
  FunctionDef f;
  f.signature.name = name;
  f.signature.inputs = {{.name = "x", .type = DataType::kFloat},
                        {.name = "w", .type = DataType::kFloat}};
  f.signature.outputs = {{.name = "y", .type = DataType::kFloat}};
  f.nodes = std::move(nodes);
  f.ret = {{"y", ret}};
  const Status added = s.graph().AddFunction(std::move(f));
  ASSERT_TRUE(added.ok()) << added;
}

AttrMap Calling(const std::string& name) {
  NameAttrList f;
  f.name = name;
  const AttrValue::TypeList two = {DataType::kFloat, DataType::kFloat};
  const AttrValue::TypeList one = {DataType::kFloat};
  return {{"f", AttrValue(std::make_shared<const NameAttrList>(f))},
          {"Tin", AttrValue(two)},
          {"Tout", AttrValue(one)}};
}

// sin(x * w)
void DefineWave(const Scope& s) {
  Define(s, "wave",
         {{"m", "Mul", {"x", "w"}, "", kFloats},
          {"s", "Sin", {"m:z:0"}, "", kFloats}},
         "s:y:0");
}

Output Call(const Scope& s, const std::string& function, const Output& x,
            const Output& w, const char* op = "PartitionedCall") {
  NameAttrList f;
  f.name = function;
  OpBuilder call(s, op);
  call.In(InputList({x, w})).Attr("f", f);
  call.Attr("Tout", std::vector<DataType>{DataType::kFloat});
  call.Finish();
  const Outputs outputs = call.OutList(0);
  return outputs.empty() ? Output() : outputs[0];
}

TEST(CallGradients, OfAFunction) {
  for (const char* op : {"PartitionedCall", "StatefulPartitionedCall"}) {
    const Scope s = Scope::NewRoot();
    DefineWave(s);
    Define(s, "twice",
           {{"a", "PartitionedCall", {"x", "w"}, "", Calling("wave")},
            {"b", "PartitionedCall", {"a:output:0", "w"}, "", Calling("wave")}},
           "b:output:0");
    const Output x = ops::Const(s, 0.5f);
    const Output w = ops::Const(s, 2.0f);
    const Output y = Call(s, "twice", x, w, op);
    ASSERT_TRUE(s.ok()) << s.status();
    auto dx = ops::Gradients(s, {y}, {x, w});
    ASSERT_TRUE(s.ok()) << s.status();
    Session session(s);
    auto out = session.Run({dx[0].tensor, dx[1].tensor});
    ASSERT_TRUE(out.ok()) << out.status();
    // sin(w sin(w x)) at x = 1/2, w = 2
    const float inner = std::sin(1.0f);
    const float outer = std::cos(2 * inner);
    EXPECT_NEAR((*out)[0].scalar<float>(), outer * 2 * std::cos(1.0f) * 2,
                1e-5);
    EXPECT_NEAR((*out)[1].scalar<float>(),
                outer * (inner + 2 * std::cos(1.0f) * 0.5f), 1e-5);
  }
}

TEST(CallGradients, InALoop) {
  const Scope s = Scope::NewRoot();
  DefineWave(s);
  const Output x = ops::Const(s, 0.5f);
  const Output w = ops::Const(s, 2.0f);
  const Outputs last = ops::WhileLoop(
      s, {0, x},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 4); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1), Call(b, "wave", v[1], w)};
      },
      {.shape_invariants = {PartialShape({}), PartialShape()}});
  Output plain = x;
  for (int i = 0; i < 4; ++i) plain = ops::Sin(s, ops::Mul(s, plain, w));
  ASSERT_TRUE(s.ok()) << s.status();
  auto of_loop = ops::Gradients(s, {last[1]}, {x, w});
  auto of_plain = ops::Gradients(s, {plain}, {x, w});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  for (const size_t i : {0, 1}) {
    auto out = session.Run({of_loop[i].tensor, of_plain[i].tensor});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_NEAR((*out)[0].scalar<float>(), (*out)[1].scalar<float>(), 1e-5);
  }
}

TEST(CallGradients, Refused) {
  const Scope s = Scope::NewRoot();
  Define(s, "forever",
         {{"a", "PartitionedCall", {"x", "w"}, "", Calling("forever")}},
         "a:output:0");
  Define(
      s, "noisy",
      {{"shape",
        "Const",
        {},
        "",
        {{"dtype", DataType::kInt32}, {"value", Tensor::Vector<int32_t>({2})}}},
       {"r",
        "RandomUniform",
        {"shape:output:0"},
        "",
        {{"T", DataType::kInt32}, {"dtype", DataType::kFloat}}},
       {"m", "Mul", {"x", "r:output:0"}, "", kFloats}},
      "m:z:0");
  const Output x = ops::Const(s, 0.5f);
  const Status recursive =
      TakeError(s, ops::Gradients(s, {Call(s, "forever", x, x)}, {x}));
  EXPECT_EQ(recursive.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(recursive.message(), HasSubstr("which calls itself"));
  // Also if the stateful op is in a function that the function calls.
  Define(s, "calls_noisy",
         {{"a", "PartitionedCall", {"x", "w"}, "", Calling("noisy")},
          {"m", "Mul", {"a:output:0", "x"}, "", kFloats}},
         "m:z:0");
  for (const char* function : {"noisy", "calls_noisy"}) {
    const Status noisy =
        TakeError(s, ops::Gradients(s, {Call(s, function, x, x)}, {x}));
    EXPECT_EQ(noisy.code(), StatusCode::kUnimplemented) << function;
    EXPECT_THAT(noisy.message(), HasSubstr("would run once more"));
    EXPECT_THAT(noisy.message(), HasSubstr("'r' (op type: RandomUniform)"));
  }
}

}  // namespace
}  // namespace millrace
