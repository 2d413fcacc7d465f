#include "millrace/client/control_flow_context.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "millrace/client/gradients.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/session.h"

namespace millrace {
namespace {

using Outputs = std::vector<Output>;

// Makes a context current while it lives.
class Within {
 public:
  explicit Within(std::shared_ptr<ControlFlowContext> context)
      : graph_(context->graph()), before_(graph_.control_flow_context()) {
    graph_.SetControlFlowContext(std::move(context));
  }
  ~Within() { graph_.SetControlFlowContext(before_); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  ClientGraph& graph_;
  const std::shared_ptr<ControlFlowContext> before_;
};

// Builds a conditional of one output, as Python's tf.cond does.
Output Cond(const Scope& s, const Output& pred,
            const std::function<Output(const Scope&)>& on_true,
            const std::function<Output(const Scope&)>& on_false) {
  const Scope block = s.SubScope("cond");
  const auto branches = ops::Switch(block, pred, pred);
  const Output pivots[] = {
      ops::Identity(block.WithOpName("switch_f"), branches.output_false),
      ops::Identity(block.WithOpName("switch_t"), branches.output_true)};
  const Output id = ops::Identity(block.WithOpName("pred_id"), pred);
  Output results[2];
  for (int branch : {1, 0}) {
    const auto context = CondContext::Make(
        s.graph().UniqueName(block.name() + "cond_text"), id, pivots[branch],
        branch, s.graph().control_flow_context());
    const Within within(context);
    const Output result = branch == 1 ? on_true(block) : on_false(block);
    if (!result) return {};
    const auto inside = context->AddValue(result, {.scope = block.name()});
    EXPECT_TRUE(inside.ok());
    results[branch] = *inside;
  }
  return ops::Merge(block, {results[0], results[1]}).output;
}

// Builds a loop, as Python's tf.while_loop does.
Outputs While(const Scope& s, const Outputs& begin,
              const std::function<Output(const Scope&, const Outputs&)>& cond,
              const std::function<Outputs(const Scope&, const Outputs&)>& body,
              WhileContext::Options options = {}) {
  const Scope block = s.SubScope("while");
  ClientGraph& graph = s.graph();
  const std::string frame = graph.UniqueName(block.name() + "while_context");
  const auto outer = graph.control_flow_context();
  const auto loop = WhileContext::Make(frame, &graph, options, outer);
  const ContextPlace place = {.scope = block.name()};
  Outputs around = begin;
  if (outer) {
    for (Output& value : around) value = *outer->AddValue(value, place);
  }
  Outputs enters, merges, in_body, nexts, ends, exits;
  graph.SetControlFlowContext(nullptr);
  for (const Output& value : around)
    enters.push_back(ops::Enter(block, value, frame));
  {
    const Within within(loop);
    loop->Begin(enters);
    for (const Output& enter : enters)
      merges.push_back(ops::Merge(block, {enter, enter}).output);
    loop->set_pivot_for_pred(merges[0]);
    const Output more = ops::LoopCond(block, cond(block, merges));
    loop->set_pivot(more);
    for (const Output& merge : merges) {
      const auto branches = ops::Switch(block, merge, more);
      in_body.push_back(ops::Identity(block, branches.output_true));
      ends.push_back(branches.output_false);
    }
    loop->set_pivot_for_body(in_body[0]);
    Outputs next = body(block, in_body);
    for (size_t i = 0; i < next.size(); ++i) {
      const Output closing = ops::NextIteration(block, next[i]);
      EXPECT_TRUE(graph.SetInput(merges[i].op(), 1, closing).ok());
    }
    for (const Output& end : ends) exits.push_back(ops::Exit(block, end));
    loop->set_loop_exits(exits);
  }
  graph.SetControlFlowContext(outer);
  for (const Output& end : exits) {
    if (outer) outer->AddName(end.name());
  }
  return exits;
}

float Fetch(const Scope& s, const Output& fetch,
            const std::vector<std::pair<Output, Literal>>& feeds = {}) {
  Session session(s);
  std::vector<Feed> given;
  for (const auto& [output, value] : feeds) given.emplace_back(output, value);
  const auto result = session.Run(given, {fetch});
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  return result.ok() ? (*result)[0].scalar<float>() : 0;
}

TEST(CondContext, TakesValuesThroughSwitches) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s.WithOpName("x"), 3.f);
  const Output p = ops::Placeholder(s.WithOpName("p"), DataType::kBool);
  const Output y = Cond(
      s, p, [&](const Scope& b) { return ops::AddV2(b, x, 1.f); },
      [&](const Scope&) { return x; });
  ASSERT_TRUE(s.ok()) << s.status().ToString();
  const Operation add = s.graph().Find("cond/AddV2");
  EXPECT_EQ(add.input(0).name(), "cond/AddV2/Switch:1");
  EXPECT_EQ(add.input(1).op().control_inputs()[0].name(), "cond/switch_t");
  EXPECT_EQ(y.op().input(0).name(), "cond/Switch_1:0");
  EXPECT_FALSE(s.graph().IsFetchable(add));
  EXPECT_TRUE(s.graph().IsFetchable(y.op()));
  EXPECT_EQ(Fetch(s, y, {{p, true}}), 4);
  EXPECT_EQ(Fetch(s, y, {{p, false}}), 3);
}

TEST(CondContext, NestsAndHasGradients) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s.WithOpName("x"), 3.f);
  const Output p = ops::Placeholder(s.WithOpName("p"), DataType::kBool);
  const Output q = ops::Placeholder(s.WithOpName("q"), DataType::kBool);
  const Output y = Cond(
      s, p,
      [&](const Scope& b) {
        return Cond(
            b, q, [&](const Scope& c) { return ops::Mul(c, x, 5.f); },
            [&](const Scope& c) { return ops::Square(c, x); });
      },
      [&](const Scope& b) { return ops::Mul(b, x, 2.f); });
  const auto dx = ops::Gradients(s, {y}, {x});
  ASSERT_TRUE(s.ok()) << s.status().ToString();
  EXPECT_EQ(s.graph().Find("cond/cond/Mul").input(0).name(),
            "cond/cond/Mul/Switch_1:1");
  const Output g = dx[0].tensor;
  EXPECT_EQ(Fetch(s, y, {{p, true}, {q, true}}), 15);
  EXPECT_EQ(Fetch(s, g, {{p, true}, {q, true}}), 5);
  EXPECT_EQ(Fetch(s, g, {{p, true}, {q, false}}), 6);
  EXPECT_EQ(Fetch(s, g, {{p, false}, {q, false}}), 2);
}

// The other branch's output of a Switch, too, is alive inside only if the
// branch is: otherwise both inputs of the Merge were alive, and chance decided.
TEST(CondContext, GradientsInsideOfABranch) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s.WithOpName("x"), 3.f);
  const Output p = ops::Placeholder(s.WithOpName("p"), DataType::kBool);
  const Output y = Cond(
      s, p,
      [&](const Scope& b) {
        return ops::ToTensor(b, ops::Gradients(b, {ops::Mul(b, x, x)}, {x})[0]);
      },
      [&](const Scope&) { return x; });
  ASSERT_TRUE(s.ok()) << s.status().ToString();
  const Operation zeros =
      s.graph().Find("cond/gradients/cond/Mul/Switch_grad/ZerosLike");
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros.input(0).port(), 1);
  EXPECT_EQ(zeros.input(0).op().input(0).name(), "cond/Mul/Switch:0");
  EXPECT_EQ(Fetch(s, y, {{p, true}}), 6);
  EXPECT_EQ(Fetch(s, y, {{p, false}}), 3);
}

TEST(WhileContext, TakesValuesThroughEnters) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s.WithOpName("x"), 3.f);
  const Output one = ops::Const(s.WithOpName("one"), 1.f);
  const Output waited = ops::Const(s.WithOpName("waited"), 0);
  const Outputs end = While(
      s, {one, one},
      [](const Scope& b, const Outputs& v) { return ops::Less(b, v[0], 4.f); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{
            ops::AddV2(b.WithControlDependencies({waited}), v[0], one),
            ops::Mul(b, v[1], x)};
      });
  const auto dx = ops::Gradients(s, {end[1]}, {x});
  ASSERT_TRUE(s.ok()) << s.status().ToString();
  const Operation add = s.graph().Find("while/AddV2");
  EXPECT_EQ(add.input(1).name(), "while/AddV2/Enter:0");
  ASSERT_EQ(add.control_inputs().size(), 1u);
  EXPECT_EQ(add.control_inputs()[0].name(), "while/AddV2/Identity");
  EXPECT_FALSE(s.graph().IsFeedable(add.output(0)));
  EXPECT_EQ(Fetch(s, end[1]), 27);
  EXPECT_EQ(Fetch(s, dx[0].tensor), 27);
}

TEST(WhileContext, GradientsInsideOfTheBody) {
  const Scope s = Scope::NewRoot();
  const Output one = ops::Const(s.WithOpName("one"), 1.f);
  const Output w = ops::Const(s.WithOpName("w"), 2.f);
  const Outputs end = While(
      s, {one, one},
      [](const Scope& b, const Outputs& v) { return ops::Less(b, v[0], 4.f); },
      [&](const Scope& b, const Outputs& v) {
        // An inner loop, and its gradient: x -> w^3 x.
        const Outputs inner = While(
            b, {one, v[1]},
            [](const Scope& c, const Outputs& u) {
              return ops::Less(c, u[0], 4.f);
            },
            [&](const Scope& c, const Outputs& u) {
              return Outputs{ops::AddV2(c, u[0], 1.f), ops::Mul(c, u[1], w)};
            });
        const auto dx = ops::Gradients(b, {inner[1]}, {v[1]});
        return Outputs{ops::AddV2(b, v[0], 1.f),
                       ops::AddV2(b, v[1], dx[0].tensor)};
      });
  ASSERT_TRUE(s.ok()) << s.status().ToString();
  EXPECT_EQ(Fetch(s, end[1]), 25);
}

TEST(WhileContext, NoGradientWithoutBackProp) {
  const Scope s = Scope::NewRoot();
  const Output one = ops::Const(s.WithOpName("one"), 1.f);
  WhileContext::Options options;
  options.back_prop = false;
  const Outputs end = While(
      s, {one},
      [](const Scope& b, const Outputs& v) { return ops::Less(b, v[0], 4.f); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{ops::Mul(b, v[0], 2.f)};
      },
      options);
  EXPECT_FALSE(ops::Gradients(s, {end[0]}, {one})[0]);
  EXPECT_TRUE(s.ok()) << s.status().ToString();
}

TEST(WhileContext, RefusesTensorsOfOtherLoops) {
  const Scope s = Scope::NewRoot();
  const Output one = ops::Const(s.WithOpName("one"), 1.f);
  Output inside;
  const auto loop = [&](const std::function<Output(const Scope&, Output)>& f) {
    return While(
        s, {one},
        [](const Scope& b, const Outputs& v) {
          return ops::Less(b, v[0], 4.f);
        },
        [&](const Scope& b, const Outputs& v) {
          return Outputs{inside = f(b, v[0])};
        });
  };
  loop([&](const Scope& b, const Output& v) { return ops::AddV2(b, v, one); });
  const Output other = inside;
  ops::AddV2(s.WithOpName("add"), other, one);
  EXPECT_EQ(s.status().message().substr(0, 60),
            "Cannot use 'while/AddV2' as input to 'add' because 'while/Ad");
}

TEST(Gradients, FunctionsOfTheProgram) {
  const Scope s = Scope::NewRoot();
  const Output one = ops::Const(s.WithOpName("one"), 1.f);
  const Outputs end = While(
      s, {one, one},
      [](const Scope& b, const Outputs& v) { return ops::Less(b, v[0], 4.f); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1.f), ops::Mul(b, v[1], 3.f)};
      });
  int calls = 0;
  ops::GradientsOptions options;
  options.find_function = [&](const Operation& op)
      -> StatusOr<std::optional<ops::GradientFunction>> {
    if (op.type() != "Mul") return std::optional<ops::GradientFunction>();
    return std::optional<ops::GradientFunction>([&](GradContext& g) {
      ++calls;
      // A constant that nothing but the default ties to the iteration.
      const Scope free = g.scope().WithoutControlDependencies();
      g.Set(0, ops::Mul(g, g.dy(0), ops::Const(free, 10.f)));
    });
  };
  const auto dx = ops::Gradients(s, {end[1]}, {one}, options);
  ASSERT_TRUE(s.ok()) << s.status().ToString();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Fetch(s, dx[0].tensor), 1000);
}

}  // namespace
}  // namespace millrace
