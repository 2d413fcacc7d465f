// Tests loops that the client builds: variables, captures, nesting, devices,
// errors.
#include "millrace/client/while_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/session.h"
#include "millrace/client/variables/variables.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outputs = std::vector<Output>;

float Scalar(Session& session, const std::vector<Feed>& feeds,
             const Output& fetch) {
  auto out = session.Run(feeds, {fetch});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].scalar<float>() : -12345;
}

TEST(WhileLoop, CountsAndCaptures) {
  for (const int parallel : {1, 2, 32}) {
    const Scope s = Scope::NewRoot();
    const Output n = ops::Placeholder(s, DataType::kInt32);
    const Output w = ops::Const(s, 3.0f);
    const Outputs last = ops::WhileLoop(
        s.WithOpName("power"), {0, 2.0f},
        [&](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], n); },
        [&](const Scope& b, const Outputs& v) {
          return Outputs{ops::AddV2(b, v[0], 1), ops::Mul(b, v[1], w)};
        },
        {.parallel_iterations = parallel});
    ASSERT_TRUE(s.ok()) << s.status();
    EXPECT_EQ(last[1].op().name(), "power/Exit_1");
    EXPECT_EQ(last[1].shape(), PartialShape({}));
    Session session(s);
    EXPECT_EQ(Scalar(session, {{n, 0}}, last[1]), 2);
    EXPECT_EQ(Scalar(session, {{n, 1}}, last[1]), 6);
    EXPECT_EQ(Scalar(session, {{n, 7}}, last[1]), 2 * 2187);
  }
}

// Lists with elements of different shapes meet at a Merge: the graph does not
// tell which one continues.
TEST(WhileLoop, ListsThatMeet) {
  const Scope s = Scope::NewRoot();
  const Output two = ops::TensorListReserve(s, {2}, 1, DataType::kFloat);
  const Output three = ops::TensorListReserve(s, {3}, 1, DataType::kFloat);
  const auto first = [](const Scope& scope, const Output& list) {
    return ops::TensorListGetItem(scope, list, 0, -1, DataType::kFloat);
  };
  const Output pred = ops::Placeholder(s, DataType::kBool);
  const Output merged =
      first(s, ops::Merge(s, {ops::Switch(s, two, pred).output_false,
                              ops::Switch(s, three, pred).output_true})
                   .output);
  EXPECT_TRUE(merged.shape().IsCompatibleWith(PartialShape({2})));
  EXPECT_TRUE(merged.shape().IsCompatibleWith(PartialShape({3})));
  const Output n = ops::Placeholder(s, DataType::kInt32);
  const Outputs last = ops::WhileLoop(
      s, {0, two, three, 0.0f},
      [&](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], n); },
      [&](const Scope& b, const Outputs& v) {
        const Output item = first(b, v[1]);
        EXPECT_FALSE(item.shape().IsFullyDefined());
        const Output size = ops::Cast(b, ops::Size(b, item), DataType::kFloat);
        return Outputs{ops::AddV2(b, v[0], 1), v[2], v[1],
                       ops::AddV2(b, v[3], size)};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  EXPECT_EQ(Scalar(session, {{n, 3}}, last[3]), 2 + 3 + 2);
  for (const bool taken : {false, true}) {
    auto out = session.Run({{pred, taken}}, {merged});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].shape(), TensorShape({taken ? 3 : 2}));
  }
}

TEST(WhileLoop, TheBodyMayGiveWhatItWasGivenOrWhatIsOutside) {
  const Scope s = Scope::NewRoot();
  const Output outside = ops::Const(s, 10.0f);
  const Outputs last = ops::WhileLoop(
      s, {0, 1.0f, 2.0f, 3.0f},
      [&](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 3); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1), v[2], v[1], outside};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  EXPECT_EQ(Scalar(session, {}, last[1]), 2);  // three swaps
  EXPECT_EQ(Scalar(session, {}, last[2]), 1);
  EXPECT_EQ(Scalar(session, {}, last[3]), 10);
}

// An op that does not need the loop's variables also runs in each iteration,
// exactly once.
TEST(WhileLoop, EffectsHappenOnceAnIteration) {
  for (const bool resource : {false, true}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable count(s.WithOpName("count"), 0.0f,
                              {.use_resource = resource});
    const Output step = ops::Const(s, 1.0f);
    const Outputs last = ops::WhileLoop(
        s, {0},
        [&](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 5); },
        [&](const Scope& b, const Outputs& v) {
          const Output add = count.AssignAdd(b, step);
          return Outputs{ops::AddV2(b.WithControlDependencies({add}), v[0], 1)};
        });
    ASSERT_TRUE(s.ok()) << s.status();
    Session session(s);
    ASSERT_TRUE(session.RunTargets({count.initializer()}).ok());
    auto out = session.Run({last[0]});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), 5);
    EXPECT_EQ(Scalar(session, {}, count), 5);
  }
}

TEST(WhileLoop, NestedLoopsCaptureThroughEachOther) {
  const Scope s = Scope::NewRoot();
  const Output w = ops::Const(s, 2.0f);
  // The sum of i * j * w over j < i < 5.
  const Outputs last = ops::WhileLoop(
      s, {0.0f, 0.0f},
      [&](const Scope& c, const Outputs& v) {
        return ops::Less(c, v[0], 5.0f);
      },
      [&](const Scope& b, const Outputs& v) {
        const Outputs inner = ops::WhileLoop(
            b, {0.0f, v[1]},
            [&](const Scope& c, const Outputs& u) {
              return ops::Less(c, u[0], v[0]);
            },
            [&](const Scope& bb, const Outputs& u) {
              const Output term = ops::Mul(bb, ops::Mul(bb, u[0], v[0]), w);
              return Outputs{ops::AddV2(bb, u[0], 1.0f),
                             ops::AddV2(bb, u[1], term)};
            });
        return Outputs{ops::AddV2(b, v[0], 1.0f), inner[1]};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  EXPECT_EQ(Scalar(session, {}, last[1]), 2 * (2 * 1 + 3 * 3 + 4 * 6));
}

TEST(WhileLoop, DependenciesOnWhatIsOutside) {
  const Scope s = Scope::NewRoot();
  const ops::Variable v(s.WithOpName("v"), 0.0f);
  const Output before = v.Assign(s.WithOpName("before"), 4.0f);
  const Output beside = v.AssignAdd(s.WithOpName("beside"), 1.0f);
  const Outputs last = ops::WhileLoop(
      s.WithControlDependencies({before}), {0, 0.0f},
      [&](const Scope& c, const Outputs& u) { return ops::Less(c, u[0], 3); },
      [&](const Scope& b, const Outputs& u) {
        const Scope after = b.WithControlDependencies({beside});
        return Outputs{ops::AddV2(after, u[0], 1),
                       ops::AddV2(after, u[1], 1.0f)};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session.RunTargets({v.initializer()}).ok());
  EXPECT_EQ(Scalar(session, {}, last[1]), 3);
}

TEST(WhileLoop, ShapesMayVaryWhereTheInvariantsSaySo) {
  const Scope s = Scope::NewRoot();
  const Output one = ops::Const(s, {1.0f});
  const auto condition = [](const Scope& c, const Outputs& v) {
    return ops::Less(c, v[0], 4);
  };
  const auto body = [&](const Scope& b, const Outputs& v) {
    return Outputs{ops::AddV2(b, v[0], 1), ops::ConcatV2(b, {v[1], one}, 0)};
  };
  const Outputs last = ops::WhileLoop(
      s, {0, one}, condition, body,
      {.shape_invariants = {PartialShape({}), PartialShape({kUnknownDim})}});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(last[1].shape(), PartialShape({kUnknownDim}));
  Session session(s);
  auto out = session.Run({last[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].num_elements(), 5);

  ops::WhileLoop(s, {0, one}, condition, body);
  EXPECT_THAT(s.status().message(),
              HasSubstr("enters the loop with shape [1], but has shape [2]"));
}

TEST(WhileLoop, Errors) {
  const auto condition = [](const Scope& c, const Outputs& v) {
    return ops::Less(c, v[0], 4);
  };
  const auto same = [](const Scope&, const Outputs& v) { return v; };
  const auto message = [](auto condition, auto body, const InputList& inputs,
                          const ops::WhileLoopOptions& options = {}) {
    const Scope s = Scope::NewRoot();
    const Outputs last = ops::WhileLoop(s, inputs, condition, body, options);
    EXPECT_EQ(last.size(), inputs.size());
    for (const Output& output : last) EXPECT_FALSE(output);
    EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
    return std::string(s.status().message());
  };
  EXPECT_THAT(message(condition, same, InputList(Outputs())),
              HasSubstr("No loop variables"));
  EXPECT_THAT(
      message([](const Scope&, const Outputs& v) { return v[0]; }, same, {0}),
      HasSubstr("must be a bool, is int32"));
  EXPECT_THAT(
      message(condition, [](const Scope&, const Outputs&) { return Outputs(); },
              {0}),
      HasSubstr("gives (0) is not the number of loop variables (1)"));
  EXPECT_THAT(
      message(condition,
              [](const Scope& b, const Outputs& v) {
                return Outputs{ops::Cast(b, v[0], DataType::kFloat)};
              },
              {0}),
      HasSubstr("has type int32, but the body of the loop gives float"));
  EXPECT_THAT(message(condition, same, {0}, {.parallel_iterations = 0}),
              HasSubstr("parallel_iterations must be positive"));
  EXPECT_THAT(
      message(condition, same, {0}, {.shape_invariants = {PartialShape({2})}}),
      HasSubstr("The shape invariant specified for"));
}

TEST(WhileLoop, OverTwoDevices) {
  const Scope s = Scope::NewRoot();
  const Scope there = s.WithDevice("/cpu:1");
  const Output w = ops::Const(there, 3.0f);
  const Outputs last = ops::WhileLoop(
      s, {0, 2.0f},
      [&](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 6); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1),
                       ops::Mul(b.WithDevice("/cpu:1"), v[1], w)};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  SessionOptions options;
  options.config.device_count["CPU"] = 2;
  Session session(s, options);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Scalar(session, {}, last[1]), 1458);
}

}  // namespace
}  // namespace millrace
