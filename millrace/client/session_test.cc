#include "millrace/client/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/clock.h"
#include "millrace/client/ops.h"
#include "millrace/client/queues.h"
#include "millrace/client/variables/variables.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

float Number(const Tensor& t) { return t.scalar<float>(); }

TEST(LocalSession, FeedsAndFetches) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s.WithOpName("x"), DataType::kFloat);
  const Output y = ops::AddV2(s, ops::Mul(s, x, 2), 1);
  Session session(s);
  auto out = session.Run({{x, 3}}, {y, x, y});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Number((*out)[0]), 7);
  EXPECT_EQ(Number((*out)[1]), 3);
  EXPECT_EQ(Number((*out)[2]), 7);
  // Any tensor may be fed.
  EXPECT_EQ(Number((*session.Run({{y, 5}}, {y}))[0]), 5);
}

TEST(LocalSession, FeedsAreChecked) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s.WithOpName("x"), DataType::kFloat,
                                    {.shape = PartialShape({-1, 2})});
  Session session(s);
  EXPECT_THAT(session.Run({{x, {1, 2}}}, {x}).status().message(),
              HasSubstr("Cannot feed value of shape [2] for Tensor x:0, which "
                        "has shape [?,2]"));
  EXPECT_THAT(session.Run({{x, "a"}}, {x}).status().message(),
              HasSubstr("feed of x:0"));
  EXPECT_THAT(session.Run({{x, Tensor::Of<double>({1, 2}, {1, 2})}}, {x})
                  .status()
                  .message(),
              HasSubstr("feed of x:0 has type double, expected float"));
  const auto unfed = session.Run({x});
  EXPECT_EQ(unfed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FailedNode(unfed.status()), "x");
}

TEST(LocalSession, TheGraphGrows) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 1.0f);
  Session session(s);
  EXPECT_EQ(Number((*session.Run({a}))[0]), 1);
  const Output b = ops::Neg(s, a);
  EXPECT_EQ(Number((*session.Run({b}))[0]), -1);
}

TEST(LocalSession, TheGraphsErrorIsReported) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 1.0f);
  const Output bad = ops::Mul(s.WithOpName("bad"), a, ops::Const(s, 1));
  Session session(s);
  const auto out = session.Run({bad});
  EXPECT_EQ(out.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FailedNode(out.status()), "bad");
}

TEST(LocalSession, AnErrorOfARunNamesItsNode) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const Output y = ops::AddV2(s.WithOpName("sum"), x, {1.0f, 2.0f});
  Session session(s);
  const auto out = session.Run({{x, {1.0f, 2.0f, 3.0f}}}, {y});
  EXPECT_EQ(out.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(out.status().message(), HasSubstr("Incompatible shapes"));
  EXPECT_EQ(FailedNode(out.status()), "sum");
}

TEST(LocalSession, Callables) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const Output y = ops::Square(s, x);
  auto session = std::make_unique<Session>(s);
  auto callable = session->Prepare({x}, {y});
  ASSERT_TRUE(callable.ok()) << callable.status();
  EXPECT_EQ(Number((*callable->Run({Tensor::Scalar(3.0f)}))[0]), 9);
  EXPECT_FALSE(callable->Run({}).ok());
  EXPECT_FALSE(callable->Run({Tensor::Scalar(1)}).ok());
  session.reset();
  EXPECT_FALSE(callable->Run({Tensor::Scalar(3.0f)}).ok());
  EXPECT_FALSE(Callable().Run().ok());
}

TEST(LocalSession, OptionsOfACallablesRun) {
  const Scope s = Scope::NewRoot();
  const Output never = FIFOQueue(s, {DataType::kFloat}).Dequeue(s)[0];
  Session session(s);
  const RunOptions traced = {.trace_level = TraceLevel::kFull,
                             .timeout_ms = 20'000};
  const auto callable = session.Prepare({}, {never}, {}, traced);
  ASSERT_TRUE(callable.ok()) << callable.status();
  const int64_t begin = NowNanos();
  EXPECT_EQ(callable->Run({}, {.options = {.timeout_ms = 5}}).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(callable
                ->Run({}, {.options = {.trace_level = TraceLevel::kFull,
                                       .timeout_ms = 5}})
                .status()
                .code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_LT(NowNanos() - begin, 10'000'000'000);
  EXPECT_EQ(callable
                ->Run({}, {.options = {.trace_level = TraceLevel::kSoftware,
                                       .timeout_ms = 5}})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

TEST(LocalSession, APartialRunThatWasNotSetUpIsRefused) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const Output y = ops::Neg(s, x);
  Session session(s);
  const auto out = session.RunPartially("h", {{x, 1}}, {y});
  EXPECT_EQ(out.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(out.status().message(),
              HasSubstr("Must run 'setup' before performing partial runs!"));
  ASSERT_TRUE(session.Close().ok());
  EXPECT_EQ(session.RunPartially("h", {{x, 1}}, {y}).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST(LocalSession, ClosedSessionsSaySo) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 1.0f);
  Session session(s);
  ASSERT_TRUE(session.Run({a}).ok());
  EXPECT_TRUE(session.Close().ok());
  EXPECT_TRUE(session.Close().ok());
  EXPECT_EQ(session.Run({a}).status().code(), StatusCode::kFailedPrecondition);
  Session unused(s);
  EXPECT_TRUE(unused.Close().ok());
}

TEST(LocalSession, Devices) {
  const Scope s = Scope::NewRoot();
  Session session(s, {.config = {.device_count = {{"CPU", 2}}}});
  auto devices = session.ListDevices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ((*devices)[1].name, "/job:localhost/replica:0/task:0/device:CPU:1");
  // The graph is built afterwards.
  const Output a = ops::Const(s.WithDevice("/cpu:1"), 1.0f);
  EXPECT_EQ(Number((*session.Run({a}))[0]), 1);
}

TEST(LocalSession, OthersGraphsAreRefused) {
  const Scope s = Scope::NewRoot();
  const Scope other = Scope::NewRoot();
  const Output a = ops::Const(other, 1.0f);
  Session session(s);
  EXPECT_THAT(session.Run({a}).status().message(),
              HasSubstr("is not an element of this graph"));
  EXPECT_FALSE(session.Run({Output()}).ok());
  EXPECT_FALSE(session.RunTargets({Operation()}).ok());
}

TEST(FailedNode, Forms) {
  EXPECT_EQ(FailedNode(InvalidArgument("x\n\t [[{{node a/b}}]]")), "a/b");
  EXPECT_EQ(FailedNode(InvalidArgument("x [[{{node a}} = Op[T=1](c)]]")), "a");
  EXPECT_EQ(FailedNode(InvalidArgument("x [[a = Op[T=1](c)]]")), "a");
  EXPECT_EQ(FailedNode(InvalidArgument("{{node a}} was")), "a");
  EXPECT_EQ(FailedNode(InvalidArgument("nothing")), "");
}

class VariablesTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kinds, VariablesTest, testing::Bool(),
                         [](const auto& kind) {
                           return kind.param ? "Resource" : "Reference";
                         });

TEST_P(VariablesTest, InitializeReadAssign) {
  const Scope s = Scope::NewRoot();
  const ops::VariableOptions options = {.use_resource = GetParam()};
  const ops::Variable w(s.WithOpName("w"), {1.0f, 2.0f}, options);
  EXPECT_EQ(w.op_name(), "w");
  EXPECT_EQ(w.dtype(), DataType::kFloat);
  EXPECT_EQ(w.shape(), (PartialShape{2}));
  EXPECT_EQ(w.value().name(),
            GetParam() ? "w/Read/ReadVariableOp:0" : "w/read:0");
  EXPECT_EQ(w.initializer().name(), "w/Assign");
  const Operation init = ops::GlobalVariablesInitializer(s);
  EXPECT_EQ(init.name(), "init");
  const Output missing = ops::ReportUninitialized(s);
  const Output twice = ops::Mul(s, w, 2);
  const Output more = w.AssignAdd(s, {10.0f, 20.0f});
  ASSERT_TRUE(s.ok()) << s.status();

  Session session(s);
  const auto early = session.Run({twice});
  EXPECT_EQ(early.status().code(), StatusCode::kFailedPrecondition)
      << early.status();
  auto names = session.Run({missing});
  ASSERT_TRUE(names.ok()) << names.status();
  ASSERT_EQ((*names)[0].num_elements(), 1);
  EXPECT_EQ((*names)[0].flat<StringElement>()[0].view(), "w");
  ASSERT_TRUE(session.RunTargets({init}).ok());
  EXPECT_EQ((*session.Run({missing}))[0].num_elements(), 0);
  EXPECT_TRUE(IdenticalTensors((*session.Run({twice}))[0],
                               Tensor::Vector<float>({2, 4})));
  EXPECT_TRUE(IdenticalTensors((*session.Run({more}))[0],
                               Tensor::Vector<float>({11, 22})));
  EXPECT_TRUE(IdenticalTensors((*session.Run({w.value()}))[0],
                               Tensor::Vector<float>({11, 22})));
}

TEST_P(VariablesTest, InitialValuesOfOthers) {
  const Scope s = Scope::NewRoot();
  const ops::VariableOptions options = {.use_resource = GetParam()};
  const ops::Variable a(s.WithOpName("a"), 3.0f, options);
  const Output value = a.InitializedValue(s);
  const ops::Variable b(
      s.WithOpName("b"),
      [&](const Scope& init) { return ops::Square(init, value); }, options);
  EXPECT_EQ(b.initial_value().name(), "b/Initializer/Square:0");
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  const Status status = session.RunTargets({b.initializer()});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Number((*session.Run({b.value()}))[0]), 9);
  ASSERT_TRUE(session.RunTargets({a.initializer()}).ok());
  ASSERT_TRUE(session.Run({a.Assign(s, 5.0f)}).ok());
  EXPECT_EQ(Number((*session.Run({value}))[0]), 5);
}

TEST_P(VariablesTest, Collections) {
  const Scope s = Scope::NewRoot();
  const bool resource = GetParam();
  const ops::Variable a(s.WithOpName("a"), 1.0f, {.use_resource = resource});
  const ops::Variable b(s.WithOpName("b"), 1.0f,
                        {.trainable = false,
                         .collections = {graph_keys::kLocalVariables},
                         .use_resource = resource});
  EXPECT_THAT(ops::GlobalVariables(s), ElementsAre(a));
  EXPECT_THAT(ops::TrainableVariables(s), ElementsAre(a));
  EXPECT_THAT(ops::LocalVariables(s), ElementsAre(b));
  auto again = ops::Variable::FromParts(
      s.graph(), {.variable_name = a.name(),
                  .initializer_name = a.initializer().name(),
                  .snapshot_name = a.value().name()});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, a);
}

TEST(Variables, ShapesMustBeKnown) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const ops::Variable v(s.WithOpName("v"), x);
  EXPECT_FALSE(v);
  EXPECT_THAT(s.status().message(), HasSubstr("must have a shape"));
  s.graph().ClearStatus();
  EXPECT_TRUE(ops::Variable(s, x, {.validate_shape = false}));
}

}  // namespace
}  // namespace millrace
