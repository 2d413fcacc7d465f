// Tests gradients of loops that use tensor arrays and variables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/testing/written_out_loop.h"
#include "millrace/client/variables/variables.h"

namespace millrace::loop_gradients {
namespace {

// Reads rows from an array and writes results to another one, as recurrent
// networks do.
TEST(LoopArrayGradients, OfArrays) {
  for (const int parallel : {1, 10}) {
    const Scope s = Scope::NewRoot();
    const Output x = ops::Const(s, {{0.1f, 0.4f}, {0.3f, -0.2f}, {0.9f, 1.f}});
    const Output w = ops::Const(s, 0.7f);
    const Output all = ops::Const(s, {0, 1, 2});
    const auto step = [&](const Scope& b, const Output& row,
                          const Output& state) {
      return ops::Tanh(b, ops::AddV2(b, ops::Mul(b, state, w), row));
    };
    const auto in = ops::TensorArrayV3(s, 3, DataType::kFloat);
    const Output filled =
        ops::TensorArrayScatterV3(s, in.handle, all, x, in.flow);
    const auto out =
        ops::TensorArrayV3(s, 0, DataType::kFloat, {.dynamic_size = true});
    const Outputs last = ops::WhileLoop(
        s, {0, ops::Const(s, {0.5f, 0.6f}), out.flow},
        [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 3); },
        [&](const Scope& b, const Outputs& v) {
          const Output row = ops::TensorArrayReadV3(b, in.handle, v[0], filled,
                                                    DataType::kFloat);
          row.SetShape(PartialShape({2}));
          const Output state = step(b, row, v[1]);
          const Output squared = ops::Square(b, state);
          return Outputs{
              ops::AddV2(b, v[0], 1), state,
              ops::TensorArrayWriteV3(b, out.handle, v[0], squared, v[2])};
        },
        {.parallel_iterations = parallel});
    const Output gathered =
        ops::TensorArrayGatherV3(s, out.handle, all, last[2], DataType::kFloat);
    Output state = ops::Const(s, {0.5f, 0.6f});
    Outputs rows;
    for (const Output& row : ops::Unpack(s, x, 3)) {
      state = step(s, row, state);
      rows.push_back(ops::Square(s, state));
    }
    auto loop = ops::Gradients(s, {Loss(s, {gathered, last[1]})}, {x, w});
    ASSERT_TRUE(s.ok()) << s.status();
    auto plain =
        ops::Gradients(s, {Loss(s, {ops::Pack(s, rows), state})}, {x, w});
    ASSERT_TRUE(s.ok()) << s.status();
    Session session(s);
    for (const size_t i : {0, 1}) {
      auto values = session.Run({loop[i].tensor, plain[i].tensor});
      ASSERT_TRUE(values.ok()) << values.status();
      EXPECT_THAT(
          Values((*values)[0]),
          testing::Pointwise(testing::DoubleNear(1e-5), Values((*values)[1])));
    }
  }
}

TEST(LoopArrayGradients, OfVariables) {
  for (const bool resource : {false, true}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(s.WithOpName("w"), {2.0f, 3.0f},
                          {.use_resource = resource});
    const Outputs last = ops::WhileLoop(
        s, {0, ops::Const(s, {1.0f, 1.0f})},
        [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 3); },
        [&](const Scope& b, const Outputs& v) {
          return Outputs{ops::AddV2(b, v[0], 1), ops::Mul(b, v[1], w.Read(b))};
        });
    auto dw = ops::Gradients(s, {last[1]}, {w.handle()});
    ASSERT_TRUE(s.ok()) << s.status();
    ASSERT_TRUE(dw[0]);
    Session session(s);
    ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
    auto out = session.Run({dw[0].tensor});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(12, 27));
  }
}

// Gradients of one call do not accumulate with those of another, even in the
// same name block.
TEST(LoopArrayGradients, OfSeveralCalls) {
  for (const char* block : {"gradients", "slopes/"}) {
    const Scope s = Scope::NewRoot();
    const Scope there = absl::string_view(block) == "gradients"
                            ? s.SubScope(block)
                            : s.WithOpName(block);
    const Output x = ops::Const(s, {0.5f, 2.0f});
    const auto array =
        ops::TensorArrayV3(s, 2, DataType::kFloat, {.clear_after_read = false});
    const Output flow =
        ops::TensorArrayScatterV3(s, array.handle, {0, 1}, x, array.flow);
    const Output y =
        ops::TensorArrayReadV3(s, array.handle, 1, flow, DataType::kFloat);
    auto once = ops::Gradients(there, {ops::Square(s, y)}, {x});
    auto again = ops::Gradients(there, {ops::Mul(s, y, 3)}, {x});
    ASSERT_TRUE(there.ok()) << there.status();
    Session session(s);
    auto out = session.Run({once[0].tensor, again[0].tensor});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(0, 4)) << block;
    EXPECT_THAT(Values((*out)[1]), testing::ElementsAre(0, 3)) << block;
  }
}

// The variable is read in one branch of a conditional in the body.
TEST(LoopArrayGradients, OfVariablesInBranches) {
  for (const bool resource : {false, true}) {
    for (const bool rows : {false, true}) {
      const Scope s = Scope::NewRoot();
      const ops::Variable w(s.WithOpName("w"), {2.0f, 3.0f},
                            {.use_resource = resource});
      const Outputs last = ops::WhileLoop(
          s, {0, ops::Const(s, {1.0f, 1.0f})},
          [](const Scope& c, const Outputs& v) {
            return ops::Less(c, v[0], 5);
          },
          [&](const Scope& b, const Outputs& v) {
            const Output odd = ops::Equal(b, ops::FloorMod(b, v[0], 2), 1);
            Output value;
            if (resource) {
              const Output handle = ops::Switch(b, w.handle(), odd).output_true;
              value = rows ? ops::ResourceGather(b, handle, {1, 0},
                                                 DataType::kFloat)
                           : ops::ReadVariableOp(b, handle, DataType::kFloat);
            } else {
              value = ops::RefSwitch(b, w.handle(), odd).output_true;
              if (rows) value = ops::Gather(b, value, {1, 0});
            }
            const auto x = ops::Switch(b, v[1], odd);
            return Outputs{ops::AddV2(b, v[0], 1),
                           ops::Merge(b, {x.output_false,
                                          ops::Mul(b, x.output_true, value)})
                               .output};
          });
      ASSERT_TRUE(s.ok()) << s.status();
      auto dw = ops::Gradients(s, {last[1]}, {w.handle()});
      ASSERT_TRUE(s.ok()) << s.status();
      EXPECT_EQ(dw[0].is_slices(), rows);
      const Output dense = ops::ToTensor(s, dw[0]);
      ASSERT_TRUE(s.ok()) << s.status();
      Session session(s);
      ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
      auto out = session.Run({dense});
      ASSERT_TRUE(out.ok()) << out.status();
      // w * w, in iterations 1 and 3.
      EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(4, 6))
          << resource << rows;
    }
  }
}

}  // namespace
}  // namespace millrace::loop_gradients
