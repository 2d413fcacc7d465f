// Tests gradients through functions that use lists, variables and arrays, and
// through conditionals and loops made of functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "millrace/client/gradients.h"
#include "millrace/client/session.h"
#include "millrace/client/testing/take_error.h"
#include "millrace/client/variables/variables.h"
#include "millrace/client/while_loop.h"
#include "millrace/ops/control_flow/function_writer.grad.h"

namespace millrace::function_gradients {
namespace {

using Outputs = std::vector<Output>;
using Body = std::function<Outputs(const Scope& s, const Outputs& args)>;
using Types = std::vector<DataType>;
constexpr DataType kFloat = DataType::kFloat;
constexpr DataType kHandle = DataType::kResource;

NameAttrList Function(const Scope& s, const char* name, const Types& types,
                      const Body& body) {
  auto made = ops::BuildFunction(s.graph(), name, types, body);
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *made : NameAttrList();
}

std::vector<float> Floats(const Tensor& t) {
  const auto flat = t.flat<float>();
  return {flat.begin(), flat.end()};
}

// Returns the values of gradients, as dense tensors.
std::vector<std::vector<float>> RunAll(const Scope& s,
                                       const std::vector<Gradient>& dxs,
                                       const std::vector<Feed>& feeds = {}) {
  EXPECT_TRUE(s.ok()) << s.status();
  if (!s.ok()) return {};
  Outputs dense;
  for (const Gradient& dx : dxs) {
    EXPECT_TRUE(dx);
    dense.push_back(ops::ToTensor(s, dx));
  }
  EXPECT_TRUE(s.ok()) << s.status();
  Session session(s);
  for (const ops::Variable& v : ops::GlobalVariables(s))
    EXPECT_TRUE(session.RunTargets({v.initializer()}).ok());
  auto out = session.Run(feeds, dense);
  EXPECT_TRUE(out.ok()) << out.status();
  std::vector<std::vector<float>> values;
  if (!out.ok()) return values;
  for (const Tensor& t : *out) values.push_back(Floats(t));
  return values;
}

using testing::ElementsAre;
using testing::HasSubstr;

ops::Variable NewVariable(const Scope& s, const char* name) {
  return ops::Variable(s.WithOpName(name), {2.0f, 3.0f},
                       {.use_resource = true});
}

TEST(FunctionGradients, OfLists) {
  const Scope s = Scope::NewRoot();
  const auto f =
      Function(s, "f", {DataType::kVariant, kFloat},
               [](const Scope& b, const Outputs& args) {
                 const auto popped =
                     ops::TensorListPopBack(b, args[0], {-1}, DataType::kFloat);
                 const Output product = ops::Mul(b, popped.tensor, args[1]);
                 return Outputs{
                     ops::TensorListPushBack(b, popped.output_handle, product)};
               });
  const Output x = ops::Const(s, {{1.0f, 2.0f}, {3.0f, 4.0f}});
  const Output w = ops::Const(s, {5.0f, 6.0f});
  const Output list = ops::TensorListFromTensor(s, x, {2});
  const Outputs called =
      ops::CallFunction(s, f, false, {list, w}, {DataType::kVariant});
  const Output y = ops::TensorListStack(s, called[0], {2}, kFloat);
  const auto values = RunAll(s, ops::Gradients(s, {ops::Square(s, y)}, {x, w}));
  ASSERT_EQ(values.size(), 2u);
  EXPECT_THAT(values[0], ElementsAre(2, 4, 2 * 15 * 5, 2 * 24 * 6));
  EXPECT_THAT(values[1], ElementsAre(2 * 15 * 3, 2 * 24 * 4));
}

// The function passes on its handle.
TEST(FunctionGradients, OfHandles) {
  const Scope s = Scope::NewRoot();
  const auto f =
      Function(s, "f", {kHandle}, [](const Scope& b, const Outputs& args) {
        const Output value = ops::ReadVariableOp(b, args[0], kFloat);
        return Outputs{ops::Square(b, value), ops::Identity(b, args[0])};
      });
  const ops::Variable w = NewVariable(s, "w");
  const Outputs y =
      ops::CallFunction(s, f, true, {w.handle()}, {kFloat, kHandle});
  const Output rows = ops::ResourceGather(s, y[1], {1}, kFloat);
  const auto values = RunAll(s, ops::Gradients(s, {y[0], rows}, {w.handle()}));
  ASSERT_EQ(values.size(), 1u);
  EXPECT_THAT(values[0], ElementsAre(4, 7));
}

// Reads are recomputed, but not if the function changes what it reads.
TEST(FunctionGradients, VariablesThatTheFunctionChanges) {
  const Scope s = Scope::NewRoot();
  const ops::Variable v = NewVariable(s, "v");
  const ops::Variable other = NewVariable(s, "other");
  const Output x = ops::Const(s, {1.0f, 1.0f});
  const auto body = [](const Scope& b, const Outputs& args) {
    const Output value = ops::ReadVariableOp(b, args[0], kFloat);
    const Operation changed = ops::AssignAddVariableOp(
        b.WithControlDependencies({value}), args[1], value);
    return Outputs{
        ops::Mul(b, ops::Square(b, value), args[2]),
        ops::Identity(b.WithControlDependencies({changed}), args[2])};
  };
  const Types types = {kHandle, kHandle, kFloat};
  const auto f = Function(s, "f", types, body);
  // The same in a function that this one calls, after which it is changed.
  const auto calls =
      Function(s, "calls", types, [&](const Scope& b, const Outputs& args) {
        const Outputs y = ops::CallFunction(b, f, true, args, {kFloat, kFloat});
        return Outputs{y[0], y[1]};
      });
  for (const auto& function : {f, calls}) {
    const auto call = [&](const ops::Variable& changed) {
      return ops::CallFunction(s, function, true,
                               {v.handle(), changed.handle(), x},
                               {kFloat, kFloat})[0];
    };
    const auto values =
        RunAll(s, ops::Gradients(s, {call(other)}, {x, v.handle()}));
    ASSERT_EQ(values.size(), 2u) << function.name;
    EXPECT_THAT(values[0], ElementsAre(4, 9));
    EXPECT_THAT(values[1], ElementsAre(4, 6));
    const Status same = TakeError(s, ops::Gradients(s, {call(v)}, {x}));
    EXPECT_EQ(same.code(), StatusCode::kUnimplemented) << function.name;
    EXPECT_THAT(same.message(), HasSubstr("reads what is changed since"));
  }
}

// An op that changes a reference is not stateful itself.
TEST(FunctionGradients, ReferencesThatTheFunctionChanges) {
  const Scope s = Scope::NewRoot();
  const auto f =
      Function(s, "f", {kFloat}, [](const Scope& b, const Outputs& args) {
        const Output v =
            ops::VariableV2(b.WithOpName("v"), PartialShape({2}), kFloat);
        const Output begun = ops::Assign(b, v, args[0]);
        return Outputs{ops::Mul(b, ops::AssignAdd(b, begun, args[0]), args[0])};
      });
  const Output x = ops::Const(s, {1.0f, 1.0f});
  const Status status = TakeError(
      s, ops::Gradients(s, {ops::CallFunction(s, f, true, {x}, {kFloat})[0]},
                        {x}));
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("changes state"));
}

// An array from outside, which the function and other ops read.
TEST(FunctionGradients, OfArraysFromOutside) {
  for (const bool keeps : {false, true}) {
    const Scope s = Scope::NewRoot();
    const auto f =
        Function(s, "f", {kHandle, kFloat, kFloat},
                 [](const Scope& b, const Outputs& args) {
                   const Output row =
                       ops::TensorArrayReadV3(b, args[0], 0, args[1], kFloat);
                   return Outputs{ops::Mul(b, row, args[2]), ops::Neg(b, row)};
                 });
    const Output x = ops::Const(s, {2.0f, 3.0f});
    const Output w = ops::Const(s, 5.0f);
    const auto array =
        ops::TensorArrayV3(s, 2, kFloat, {.clear_after_read = !keeps});
    const Output flow =
        ops::TensorArrayScatterV3(s, array.handle, {0, 1}, x, array.flow);
    const Outputs y = ops::CallFunction(s, f, true, {array.handle, flow, w},
                                        {kFloat, kFloat});
    Outputs ys = {y[1]};
    if (keeps) {
      ys = {y[0], ops::TensorArrayReadV3(s, array.handle, 0, flow, kFloat)};
    }
    // Another call of Gradients has other arrays.
    const Status first = TakeError(s, ops::Gradients(s, {y[1]}, {x}));
    ASSERT_TRUE(first.ok()) << first;
    const auto dx = RunAll(s, ops::Gradients(s, ys, {x}));
    ASSERT_EQ(dx.size(), 1u);
    EXPECT_THAT(dx[0], ElementsAre(keeps ? 6 : -1, 0));
    const auto dw = ops::Gradients(s, {y[0]}, {w});
    if (keeps) {
      const auto values = RunAll(s, dw);
      ASSERT_EQ(values.size(), 1u);
      EXPECT_THAT(values[0], ElementsAre(2));
    } else {
      EXPECT_THAT(TakeError(s, dw).message(),
                  HasSubstr("which it can do once"));
    }
  }
}

// Branches that use different arguments, dense, by rows and not at all.
TEST(FunctionGradients, OfIf) {
  const Scope s = Scope::NewRoot();
  const Types types = {kHandle, kFloat, kFloat};
  const auto yes =
      Function(s, "yes", types, [](const Scope& b, const Outputs& args) {
        const Output rows = ops::ResourceGather(b, args[0], {1}, kFloat);
        return Outputs{ops::Mul(b, rows, ops::Square(b, args[1]))};
      });
  const auto no =
      Function(s, "no", types, [](const Scope& b, const Outputs& args) {
        return Outputs{ops::Mul(b, args[1], args[2])};
      });
  const ops::Variable w = NewVariable(s, "w");
  const Output x = ops::Const(s, {5.0f});
  const Output z = ops::Const(s, {7.0f});
  const Output pred = ops::Placeholder(s, DataType::kBool);
  const Output y = ops::If(s, pred, {w.handle(), x, z}, {kFloat}, yes, no)[0];
  const auto dxs = ops::Gradients(s, {y}, {w.handle(), x, z});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_TRUE(dxs[0].is_slices());
  EXPECT_THAT(RunAll(s, dxs, {{pred, true}}),
              ElementsAre(ElementsAre(0, 25), ElementsAre(30), ElementsAre(0)));
  EXPECT_THAT(RunAll(s, dxs, {{pred, false}}),
              ElementsAre(ElementsAre(0, 0), ElementsAre(7), ElementsAre(5)));
  // All rows of the variable if the branch reads none.
  const Gradient indices = ops::Cast(s, dxs[0].slices.indices, kFloat);
  EXPECT_THAT(RunAll(s, {indices}, {{pred, true}}),
              ElementsAre(ElementsAre(1)));
  EXPECT_THAT(RunAll(s, {indices}, {{pred, false}}),
              ElementsAre(ElementsAre(0, 1)));
}

// One branch reads rows, the other all.
TEST(FunctionGradients, OfIfWithRowsAndATensor) {
  const Scope s = Scope::NewRoot();
  const auto yes =
      Function(s, "yes", {kHandle}, [](const Scope& b, const Outputs& args) {
        return Outputs{
            ops::Square(b, ops::ResourceGather(b, args[0], {1}, kFloat))};
      });
  const auto no =
      Function(s, "no", {kHandle}, [](const Scope& b, const Outputs& args) {
        return Outputs{ops::Square(b, ops::ReadVariableOp(b, args[0], kFloat))};
      });
  const ops::Variable w = NewVariable(s, "w");
  const Output pred = ops::Placeholder(s, DataType::kBool);
  const Output y = ops::If(s, pred, {w.handle()}, {kFloat}, yes, no)[0];
  const auto dxs = ops::Gradients(s, {y}, {w.handle()});
  ASSERT_TRUE(s.ok()) << s.status();
  ASSERT_TRUE(dxs[0].is_slices());
  EXPECT_THAT(RunAll(s, dxs, {{pred, true}}), ElementsAre(ElementsAre(0, 6)));
  EXPECT_THAT(RunAll(s, dxs, {{pred, false}}), ElementsAre(ElementsAre(4, 6)));
}

// Dense, by rows and not at all, depending on which of three branches runs.
TEST(FunctionGradients, OfCase) {
  const Scope s = Scope::NewRoot();
  const Types types = {kHandle, kFloat, kFloat};
  const auto rows =
      Function(s, "rows", types, [](const Scope& b, const Outputs& args) {
        const Output row = ops::ResourceGather(b, args[0], {1}, kFloat);
        return Outputs{ops::Mul(b, row, ops::Square(b, args[1]))};
      });
  const auto other_rows =
      Function(s, "other_rows", types, [](const Scope& b, const Outputs& args) {
        const Output zero = ops::Const(b, std::vector<int64_t>{0});
        const Output row = ops::ResourceGather(b, args[0], zero, kFloat);
        return Outputs{ops::Mul(b, row, args[2])};
      });
  const auto neither =
      Function(s, "neither", types, [](const Scope& b, const Outputs& args) {
        return Outputs{ops::Mul(b, args[1], args[2])};
      });
  const ops::Variable w = NewVariable(s, "w");
  const Output x = ops::Const(s, {5.0f});
  const Output z = ops::Const(s, {7.0f});
  const Output index = ops::Placeholder(s, DataType::kInt32);
  const Outputs args = {w.handle(), x, z};
  const Output y =
      ops::Case(s, index, args, {kFloat}, {rows, other_rows, neither})[0];
  const auto dxs = ops::Gradients(s, {y}, args);
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_TRUE(dxs[0].is_slices());
  EXPECT_THAT(RunAll(s, dxs, {{index, 0}}),
              ElementsAre(ElementsAre(0, 25), ElementsAre(30), ElementsAre(0)));
  EXPECT_THAT(RunAll(s, dxs, {{index, 1}}),
              ElementsAre(ElementsAre(7, 0), ElementsAre(0), ElementsAre(2)));
  for (const int last : {2, 3, -1, std::numeric_limits<int>::min()}) {
    EXPECT_THAT(RunAll(s, dxs, {{index, last}}),
                ElementsAre(ElementsAre(0, 0), ElementsAre(7), ElementsAre(5)))
        << last;
  }
}

// The same as a branch of another one, in a function that the gradient
// recomputes.
TEST(FunctionGradients, OfCasesInCalls) {
  const Scope s = Scope::NewRoot();
  const Types types = {DataType::kInt32, kHandle, kFloat};
  const auto cube =
      Function(s, "cube", types, [](const Scope& b, const Outputs& args) {
        const Output v = ops::ReadVariableOp(b, args[1], kFloat);
        return Outputs{
            ops::Mul(b, v, ops::Mul(b, args[2], ops::Square(b, args[2])))};
      });
  const auto square =
      Function(s, "square", types, [](const Scope& b, const Outputs& args) {
        return Outputs{ops::Square(b, args[2])};
      });
  const auto choose =
      Function(s, "choose", types, [&](const Scope& b, const Outputs& args) {
        const Output y = ops::Case(b, args[0], args, {kFloat}, {cube})[0];
        return Outputs{ops::Square(b, y)};
      });
  const ops::Variable w = NewVariable(s, "w");
  const Output x = ops::Const(s, {1.0f, 2.0f});
  const Output index = ops::Placeholder(s, DataType::kInt32);
  const Output y = ops::Case(s, index, {index, w.handle(), x}, {kFloat},
                             {square, choose})[0];
  const auto first = ops::Gradients(s, {y}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  const auto second = ops::Gradients(s, {first[0].tensor}, {x});
  // (w x^3)^2: 6 w^2 x^5 and 30 w^2 x^4.
  EXPECT_THAT(RunAll(s, first, {{index, 0}}), ElementsAre(ElementsAre(2, 4)));
  EXPECT_THAT(RunAll(s, first, {{index, 1}}),
              ElementsAre(ElementsAre(24, 6 * 9 * 32)));
  EXPECT_THAT(RunAll(s, second, {{index, 0}}), ElementsAre(ElementsAre(2, 2)));
  EXPECT_THAT(RunAll(s, second, {{index, 1}}),
              ElementsAre(ElementsAre(120, 30 * 9 * 16)));
}

TEST(FunctionGradients, OfIfInIfInALoop) {
  const Scope s = Scope::NewRoot();
  const Types types = {DataType::kInt32, kFloat};
  const auto sine =
      Function(s, "sine", types, [](const Scope& b, const Outputs& args) {
        return Outputs{ops::Sin(b, args[1])};
      });
  const auto square =
      Function(s, "square", types, [](const Scope& b, const Outputs& args) {
        return Outputs{ops::Square(b, args[1])};
      });
  const auto choose =
      Function(s, "choose", types, [&](const Scope& b, const Outputs& args) {
        return ops::StatelessIf(b, ops::Equal(b, args[0], 1),
                                {args[0], ops::Mul(b, args[1], 2)}, {kFloat},
                                sine, square);
      });
  const auto step = [&](const Scope& b, const Output& i, const Output& v) {
    return ops::StatelessIf(b, ops::Less(b, i, 2), {i, v}, {kFloat}, choose,
                            sine)[0];
  };
  const Output x = ops::Const(s, 0.7f);
  const Output last = ops::WhileLoop(
      s, {0, x},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 4); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1), step(b, v[0], v[1])};
      },
      {.shape_invariants = {PartialShape({}), PartialShape()}})[1];
  const auto values = RunAll(s, ops::Gradients(s, {last}, {x}));
  ASSERT_EQ(values.size(), 1u);
  // sin(sin(sin(2 (2x)^2)))
  const double a = 8 * 0.49;
  const double want = std::cos(std::sin(std::sin(a))) * std::cos(std::sin(a)) *
                      std::cos(a) * 16 * 0.7;
  EXPECT_NEAR(values[0][0], want, 1e-4);
}

// x = sin(x w) h, n times.
struct LoopOfFunctions {
  explicit LoopOfFunctions(const Scope& s, bool noisy = false) {
    const Types types = {DataType::kInt32, DataType::kInt32, kFloat, kFloat,
                         kHandle};
    const auto condition = Function(
        s, "condition", types, [](const Scope& b, const Outputs& args) {
          return Outputs{ops::Less(b, args[0], args[1])};
        });
    const auto body = Function(
        s, "body", types, [noisy](const Scope& b, const Outputs& args) {
          Output v = Step(b, args[2], args[3],
                          ops::ReadVariableOp(b, args[4], kFloat));
          if (noisy) v = ops::Mul(b, v, ops::RandomUniform(b, {2}, kFloat));
          return Outputs{ops::AddV2(b, args[0], 1), args[1], v, args[3],
                         args[4]};
        });
    n = ops::Placeholder(s, DataType::kInt32);
    x = ops::Const(s, {0.5f, 0.9f});
    w = ops::Const(s, {1.1f, 0.7f});
    h = NewVariable(s, "h");
    last = ops::While(s, {0, n, x, w, h.handle()}, condition, body);
  }

  static Output Step(const Scope& s, const Output& x, const Output& w,
                     const Output& h) {
    return ops::Mul(s, ops::Sin(s, ops::Mul(s, x, w)), h);
  }
  Output WrittenOut(const Scope& s, int times) const {
    Output v = x;
    for (int i = 0; i < times; ++i) v = Step(s, v, w, h);
    return v;
  }

  Output n, x, w;
  ops::Variable h;
  Outputs last;
};

void ExpectNear(const std::vector<std::vector<float>>& got,
                const std::vector<std::vector<float>>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_THAT(got[i], testing::Pointwise(testing::FloatNear(1e-3f), want[i]))
        << i;
  }
}

TEST(FunctionGradients, OfWhile) {
  const Scope s = Scope::NewRoot();
  const LoopOfFunctions loop(s);
  const Outputs xs = {loop.x, loop.w, loop.h.handle()};
  // An unchanged variable leaves the loop, too.
  const auto dxs = ops::Gradients(s, {loop.last[2], loop.last[3]}, xs);
  for (const int times : {0, 1, 4}) {
    const Output plain = loop.WrittenOut(s, times);
    const auto want = ops::Gradients(s, {plain, ops::Identity(s, loop.w)}, xs,
                                     {.zeros_if_unconnected = true});
    ExpectNear(RunAll(s, dxs, {{loop.n, times}}), RunAll(s, want));
  }
}

TEST(FunctionGradients, OfGradientsOfWhile) {
  const Scope s = Scope::NewRoot();
  const LoopOfFunctions loop(s);
  const auto first = ops::Gradients(s, {loop.last[2]}, {loop.x});
  ASSERT_TRUE(s.ok()) << s.status();
  const auto plain = ops::Gradients(s, {loop.WrittenOut(s, 3)}, {loop.x});
  ASSERT_TRUE(s.ok()) << s.status();
  const Outputs xs = {loop.x, loop.w};
  ExpectNear(RunAll(s, ops::Gradients(s, {first[0].tensor}, xs), {{loop.n, 3}}),
             RunAll(s, ops::Gradients(s, {plain[0].tensor}, xs)));
}

TEST(FunctionGradients, OfWhileRefused) {
  const Scope s = Scope::NewRoot();
  const LoopOfFunctions loop(s, /*noisy=*/true);
  const Status status =
      TakeError(s, ops::Gradients(s, {loop.last[2]}, {loop.x}));
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("would run once more"));
}

}  // namespace
}  // namespace millrace::function_gradients
