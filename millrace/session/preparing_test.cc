// Tests that a run whose kernels are being made keeps no other run off: those
// of GPUs are compiled then.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"
#include "millrace/session/testing/local_session_suite.h"

namespace millrace {
namespace {

// Of the first kernel of Sqrt that is made.
Notification* begun = nullptr;
Notification* go = nullptr;
int made = 0;
bool held_for_long = false;

Status Negate(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar(-ctx.input(0).scalar<float>()));
  return OkStatus();
}

StatusOr<std::unique_ptr<Kernel>> MakeSlowly(const KernelInit& init) {
  if (made++ == 0) {
    begun->Notify();
    held_for_long = !go->WaitUntil(Deadline::AfterMillis(20'000));
  }
  return MakeFunctionKernel<Negate>(init);
}

const KernelTable& TableWithSlowSqrt() {
  static const KernelDecl slow = {"Sqrt", "CPU", {{.make = MakeSlowly}}};
  static const KernelTable* const table = [] {
    std::vector<const KernelDecl*> decls = {&slow};
    for (const KernelDecl* decl : AllKernels()) {
      if (absl::string_view(decl->op) != "Sqrt") decls.push_back(decl);
    }
    return new KernelTable(KernelTable::Build(decls).value());
  }();
  return *table;
}

class PreparingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    begun = &begun_;
    go = &go_;
    made = 0;
    LocalSessionOptions options;
    options.ops = TablesOfAll().ops.get();
    options.kernels = &TableWithSlowSqrt();
    options.devices = MakeDevices({}, "localhost", 0).value();
    options.config.graph_options.rewrite_options.disable_meta_optimizer = true;
    session_ = LocalSession::Create(std::move(options)).value();
    GraphDefBuilder graph;
    graph.Add("x", "Placeholder", {}, {{"dtype", DataType::kFloat}})
        .Add("slow", "Sqrt", {"x"}, {{"T", DataType::kFloat}})
        .Add("quick", "Exp", {"x"}, {{"T", DataType::kFloat}});
    ASSERT_TRUE(session_->Extend(graph.Take()).ok());
  }

  StatusOr<float> Run(const std::string& fetch) {
    std::vector<Tensor> outputs;
    MR_RETURN_IF_ERROR(session_->Run(
        {.feeds = {{"x:0", Tensor::Scalar(0.0f)}}, .fetches = {fetch}},
        &outputs, nullptr));
    return outputs[0].scalar<float>();
  }

  Notification begun_, go_;
  std::unique_ptr<LocalSession> session_;
};

TEST_F(PreparingTest, OtherRunsAndExtensionsGoOn) {
  EXPECT_EQ(*Run("quick:0"), 1);
  Thread slow("slow", [&] { EXPECT_TRUE(Run("slow:0").ok()); });
  begun_.Wait();
  EXPECT_EQ(*Run("quick:0"), 1);
  GraphDefBuilder more;
  more.Add("new", "Cos", {"x"}, {{"T", DataType::kFloat}});
  EXPECT_TRUE(session_->Extend(more.Take()).ok());
  EXPECT_EQ(*Run("new:0"), 1);
  go_.Notify();
  slow.Join();
  EXPECT_FALSE(held_for_long);
  EXPECT_EQ(session_->counts().prepared, 3);
}

TEST_F(PreparingTest, RunsOfTheSameKindArePreparedOnce) {
  Thread one("one", [&] { EXPECT_TRUE(Run("slow:0").ok()); });
  begun_.Wait();
  Thread two("two", [&] { EXPECT_TRUE(Run("slow:0").ok()); });
  go_.Notify();
  one.Join();
  two.Join();
  EXPECT_EQ(made, 1);
}

TEST_F(PreparingTest, ASessionIsClosedMeanwhile) {
  Thread slow("slow", [&] {
    EXPECT_EQ(Run("slow:0").status().code(), StatusCode::kCancelled);
  });
  begun_.Wait();
  EXPECT_TRUE(session_->Close().ok());
  go_.Notify();
  slow.Join();
}

}  // namespace
}  // namespace millrace
