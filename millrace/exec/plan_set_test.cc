#include "millrace/exec/plan_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/exec/function_runtime.h"
#include "millrace/exec/testing/graphs.h"
#include "millrace/graph/function/function_body.h"

namespace millrace {
namespace {

using testing::HasSubstr;

constexpr char kOther[] = "/job:t/replica:0/task:0/device:CPU:1";

class PlanSetTest : public testing::Test {
 protected:
  PlanSetTest() : other_(kOther) { TestKernels::Reset(); }
  StatusOr<std::shared_ptr<const PlanSet>> Build() {
    return PlanSet::Build(
        g_.graph(),
        [&](absl::string_view name) -> Device* {
          if (name == here_.name()) return &here_;
          return name == other_.name() ? &other_ : nullptr;
        },
        kernels_);
  }
  Status Run(TestRun& run, TaskQueue* pool) {
    auto set = Build();
    if (!set.ok()) return set.status();
    PlanSet::Run(*set, run.plan_run(pool), run.WhenDone());
    return run.Wait();
  }

  TestDevice here_, other_;
  TestGraph g_;
  KernelCache kernels_{&TestKernelTable()};
};

TEST_F(PlanSetTest, DevicesTalkThroughTheRendezvous) {
  const OutputRef arg = g_.Arg(0);
  g_.Add("there", "Put", {arg}, {{"key", "a"}});
  g_.Retval(0, g_.Add("back", "Take", {}, {{"key", "b"}}));
  g_.device = kOther;
  const OutputRef got = g_.Add("get", "Take", {}, {{"key", "a"}});
  g_.Add("return", "Put", {g_.Add("inc", "Inc", {got})}, {{"key", "b"}});
  ThreadPool pool("test", 2);
  TestRun run({41});
  ASSERT_TRUE(Run(run, &pool).ok());
  EXPECT_EQ(run.value(0), 42);
}

TEST_F(PlanSetTest, AnErrorOnOneDeviceEndsTheOthers) {
  g_.Retval(0, g_.Add("never", "Take", {}, {{"key", "a"}}));
  g_.device = kOther;
  g_.Add("bad", "Fail", {g_.Const("c", 1)});
  ThreadPool pool("test", 2);
  TestRun run;
  const Status status = Run(run, &pool);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("{{node bad}}"));
}

TEST_F(PlanSetTest, NamesANodeOnAnUnknownDevice) {
  g_.device = "/job:x/replica:0/task:0/device:CPU:0";
  g_.Const("lost", 1);
  const Status status = Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("{{node lost}}"));
}

TEST_F(PlanSetTest, RefusesEdgesBetweenDevices) {
  const OutputRef c = g_.Const("c", 1);
  g_.device = kOther;
  g_.Add("inc", "Inc", {c});
  EXPECT_THAT(Build().status().ToString(),
              HasSubstr("must be _Send and _Recv nodes"));
}

TEST_F(PlanSetTest, AnEmptySetEndsWithOk) {
  TestRun run;
  InlineQueue queue;
  EXPECT_TRUE(Run(run, &queue).ok());
}

// Tests of functions.

FunctionDef Function(const std::string& name, std::vector<NodeDef> nodes,
                     const std::string& result) {
  FunctionDef f;
  f.signature.name = name;
  f.signature.inputs = {{.name = "x", .type = DataType::kInt64}};
  f.signature.outputs = {{.name = "y", .type = DataType::kInt64}};
  f.nodes = std::move(nodes);
  f.ret = {{"y", result}};
  return f;
}

class FunctionRuntimeTest : public testing::Test {
 protected:
  FunctionRuntimeTest() : pool_("test", 2) {
    TestKernels::Reset();
    auto library = std::make_shared<FunctionLibrary>();
    NameAttrList forever;
    forever.name = "forever";
    FunctionDef floats = Function("floats", {}, "x");
    floats.signature.inputs[0].type = DataType::kFloat;
    floats.signature.outputs[0].type = DataType::kFloat;
    const Status added[] = {
        library->Add(std::move(floats)),
        library->Add(Function(
            "twice",
            {{"a", "Inc", {"x"}, "", {}}, {"b", "Inc", {"a:y:0"}, "", {}}},
            "b:y:0")),
        library->Add(Function("unread",
                              {{"a", "Inc", {"x"}, "", {}},
                               {"b", "Fail", {"x"}, "", {}},
                               {"c", "Tick", {"x"}, "", {}}},
                              "a:y:0")),
        library->AddGradient({"twice", "unread"}),
        library->Add(Function("bad", {{"f", "Fail", {"x"}, "", {}}}, "f:y:0")),
        library->Add(Function("wait", {{"w", "Wait", {"x"}, "", {}}}, "w:y:0")),
        library->Add(Function(
            "forever", {{"c", "Call", {"x"}, "", {{"f", forever}}}}, "c:y:0")),
    };
    for (const Status& status : added) MR_CHECK(status.ok(), status.ToString());
    library_ = library;
    kernels_.SetLibrary(library_);
    runtime_.SetLibrary(library_);
  }
  Status Run(TestRun& run, const std::string& function, AttrMap attrs = {},
             FunctionRuntime* runtime = nullptr) {
    NameAttrList f{function, std::move(attrs)};
    TestGraph g;
    g.Retval(0, g.Add("call", "Call", {g.Arg(0)}, {{"f", f}}));
    auto plan = BuildTestPlan(g.graph(), device_);
    MR_CHECK(plan.ok(), plan.status().ToString());
    run.environment().functions = runtime != nullptr ? runtime : &runtime_;
    return run.Run(*plan, &pool_);
  }

  std::shared_ptr<const FunctionLibrary> library_;
  TestDevice device_;
  ThreadPool pool_;
  KernelCache kernels_{&TestKernelTable()};
  FunctionRuntime runtime_{
      {.ops = &TestOps(), .kernels = &kernels_, .pool = &pool_}};
};

TEST_F(FunctionRuntimeTest, RunsABody) {
  for (int i = 0; i < 3; ++i) {
    TestRun run({i});
    ASSERT_TRUE(Run(run, "twice").ok());
    EXPECT_EQ(run.value(0), i + 2);
  }
}

// Clients choose the names of nodes and of functions.
TEST_F(FunctionRuntimeTest, KernelsOfOtherOpsAreOthers) {
  const auto info = [](const std::string& name, const char* op,
                       std::vector<DataType> outputs) {
    auto node = std::make_shared<NodeInfo>();
    node->name = name;
    node->op = TestOps().Find(op);
    MR_CHECK(node->op != nullptr, op);
    node->input_types = {DataType::kInt64};
    node->output_types = {outputs.begin(), outputs.end()};
    return node;
  };
  const auto one = kernels_.Get(info("a", "Tick", {DataType::kInt64}), device_,
                                nullptr, "Tick\nf");
  const auto other = kernels_.Get(info("a\nTick", "Tick", {DataType::kInt64}),
                                  device_, nullptr, "f");
  ASSERT_TRUE(one.ok() && other.ok()) << one.status() << other.status();
  EXPECT_NE(one->kernel, other->kernel);
  const auto without =
      kernels_.Get(info("a", "Tick", {}), device_, nullptr, "Tick\nf");
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_NE(one->kernel, without->kernel);
}

// A text that people read would be shortened in the middle.
TEST_F(FunctionRuntimeTest, InstancesOfOtherAttributesAreOthers) {
  const auto instance = [&](const std::string& value) {
    const auto handle = runtime_.Instantiate({"twice", {{"s", value}}});
    MR_CHECK(handle.ok(), handle.status().ToString());
    return *handle;
  };
  const std::string a(50, 'a');
  const std::string b(50, 'b');
  EXPECT_EQ(instance(absl::StrCat(a, "x", b)),
            instance(absl::StrCat(a, "x", b)));
  EXPECT_NE(instance(absl::StrCat(a, b, "x", b)),
            instance(absl::StrCat(a, b, "y", b)));
}

TEST_F(FunctionRuntimeTest, DropsWhatNothingReadsUnlessItHasState) {
  TestRun run({1});
  ASSERT_TRUE(Run(run, "unread").ok());
  EXPECT_EQ(run.value(0), 2);
  EXPECT_EQ(TestKernels::ticks(), 1);
}

TEST_F(FunctionRuntimeTest, TakesTheGradientThatTheLibraryNames) {
  NameAttrList twice;
  twice.name = "twice";
  TestRun run({1});
  ASSERT_TRUE(Run(run, "SymbolicGradient", {{"f", twice}}).ok());
  EXPECT_EQ(run.value(0), 2);
  EXPECT_EQ(TestKernels::ticks(), 1);
}

TEST_F(FunctionRuntimeTest, BuildsOtherGradients) {
  NameAttrList bad;
  bad.name = "bad";
  const AttrMap attrs = {{"f", bad},
                         {"Tout", AttrValue::TypeList{DataType::kInt64}}};
  TestRun run({1});
  EXPECT_EQ(Run(run, "SymbolicGradient", attrs).code(),
            StatusCode::kUnimplemented);
  FunctionRuntime runtime(
      {.ops = &TestOps(),
       .kernels = &kernels_,
       .pool = &pool_,
       .differentiate =
           +[](const OpRegistry& ops, const FunctionLibrary& library,
               const NameAttrList& function,
               absl::Span<const DataType>) -> StatusOr<Graph> {
         EXPECT_EQ(function.name, "bad");
         return InstantiateFunction(ops, library, {"twice", {}});
       }});
  runtime.SetLibrary(library_);
  TestRun again({1});
  const Status status = Run(again, "SymbolicGradient", attrs, &runtime);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(again.value(0), 3);
}

TEST_F(FunctionRuntimeTest, RunsOnADeviceThatItIsGiven) {
  class Targets final : public FunctionTargets {
   public:
    explicit Targets(Device* device) : device_(device) {}
    Device* Find(absl::string_view name) override {
      return name == device_->name() ? device_ : nullptr;
    }
    void RunRemote(const StepEnvironment&, const RemoteFunction& function,
                   std::vector<Tensor>, FunctionRunner::RunDone done) override {
      EXPECT_NE(function.library->Find(function.function.name), nullptr);
      std::move(done)(Unavailable("not from ", function.device), {});
    }
    void End() override {}

   private:
    Device* const device_;
  };
  TestDevice other(kOther);
  FunctionRuntime runtime({.ops = &TestOps(),
                           .kernels = &kernels_,
                           .pool = &pool_,
                           .targets = std::make_shared<Targets>(&other)});
  runtime.SetLibrary(library_);
  TestRun run;
  NameAttrList twice;
  twice.name = "twice";
  const auto call = [&](FunctionRuntime& of, const std::string& target) {
    Notification ended;
    Status status;
    std::vector<Tensor> results;
    of.RunOn(run.environment(), device_, target, twice, {DataType::kInt64},
             {Tensor::Scalar<int64_t>(5)},
             [&](Status s, std::vector<Tensor> r) {
               status = std::move(s);
               results = std::move(r);
               ended.Notify();
             });
    ended.Wait();
    if (status.ok()) {
      EXPECT_EQ(results[0].scalar<int64_t>(), 7);
    }
    return status;
  };
  EXPECT_TRUE(call(runtime, device_.name()).ok());
  EXPECT_TRUE(call(runtime, kOther).ok());
  EXPECT_EQ(call(runtime, "/job:far/replica:0/task:0/device:CPU:0").code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(call(runtime_, kOther).code(), StatusCode::kInternal);
}

TEST_F(FunctionRuntimeTest, NamesAFunctionThatThereIsNot) {
  TestRun run({1});
  const Status status = Run(run, "nothing");
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.ToString(), HasSubstr("nothing"));
}

TEST_F(FunctionRuntimeTest, AnErrorInABodyNamesBothNodes) {
  TestRun run({1});
  const Status status = Run(run, "bad");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("{{node f}}"));
  EXPECT_THAT(status.ToString(), HasSubstr("{{node call}}"));
}

TEST_F(FunctionRuntimeTest, ABodyOfOtherTypesIsAnError) {
  TestRun run({1});
  const Status status = Run(run, "floats");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(),
              HasSubstr("Expects arg[0] to be float but int64 is provided"));
}

TEST_F(FunctionRuntimeTest, ACancelEndsABody) {
  TestRun run({1});
  Thread canceller("canceller", [&] {
    TestKernels::AwaitWaiting(1);
    run.cancel().Cancel(Cancelled("enough"));
  });
  EXPECT_EQ(Run(run, "wait").code(), StatusCode::kCancelled);
  canceller.Join();
}

TEST_F(FunctionRuntimeTest, AnEndlessRecursionIsAnError) {
  TestRun run({1});
  const Status status = Run(run, "forever");
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.ToString(), HasSubstr("recursion"));
}

}  // namespace
}  // namespace millrace
