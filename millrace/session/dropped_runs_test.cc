// Tests that a local session drops prepared runs, and which of their objects it
// keeps.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"

namespace millrace {
namespace {

NodeDef Defined(std::string name, std::string op,
                std::vector<std::string> inputs, AttrMap attrs) {
  return {std::move(name), std::move(op), std::move(inputs), "",
          std::move(attrs)};
}

NodeDef Value(std::string name, Tensor value) {
  const DataType dtype = value.dtype();
  return Defined(std::move(name), "Const", {},
                 {{"dtype", dtype}, {"value", std::move(value)}});
}

class DroppedRunsTest : public ::testing::Test {
 protected:
  void Start(GraphDef graph, size_t max_prepared_runs) {
    static const OpRegistry* const ops =
        OpRegistry::Build(AllOps()).value().release();
    static const KernelTable* const kernels =
        new KernelTable(KernelTable::Build(AllKernels()).value());
    LocalSessionOptions options;
    options.ops = ops;
    options.kernels = kernels;
    options.devices = MakeDevices({}, "localhost", 0).value();
    options.max_prepared_runs = max_prepared_runs;
    session_ = LocalSession::Create(std::move(options)).value();
    ASSERT_TRUE(session_->Extend(graph).ok());
  }

  float Run(const std::string& fetch) {
    std::vector<Tensor> outputs;
    const Status status =
        session_->Run({.fetches = {fetch}}, &outputs, nullptr);
    EXPECT_TRUE(status.ok()) << status;
    return status.ok() ? outputs[0].scalar<float>() : -1;
  }

  std::unique_ptr<LocalSession> session_;
};

GraphDef Drawing() {
  GraphDef graph;
  graph.nodes.push_back(Value("one", Tensor::Scalar(1.0f)));
  graph.nodes.push_back(Value("shape", Tensor::Vector<int32_t>({})));
  graph.nodes.push_back(Defined("draw", "RandomUniform", {"shape"},
                                {{"T", DataType::kInt32},
                                 {"dtype", DataType::kFloat},
                                 {"seed", int64_t{3}},
                                 {"seed2", int64_t{4}}}));
  for (int i = 0; i < 20; ++i) {
    graph.nodes.push_back(Defined(absl::StrCat("exp", i), "Exp", {"draw"},
                                  {{"T", DataType::kFloat}}));
  }
  return graph;
}

TEST_F(DroppedRunsTest, ThoseThatRanLastStay) {
  Start(Drawing(), 3);
  std::vector<int64_t> kernels;
  for (int i = 0; i < 20; ++i) {
    Run(absl::StrCat("exp", i, ":0"));
    Run("exp0:0");
    kernels.push_back(session_->counts().kernels);
  }
  EXPECT_EQ(session_->counts().prepared, 3);
  // One kernel each, and the stateful one.
  EXPECT_EQ(kernels[2], kernels[19]);
  EXPECT_GT(kernels[2], kernels[1]);
}

TEST_F(DroppedRunsTest, StateGoesOn) {
  Start(Drawing(), 1000);
  std::vector<float> expected;
  for (int i = 0; i < 4; ++i) expected.push_back(Run("draw:0"));
  EXPECT_NE(expected[0], expected[1]);
  Start(Drawing(), 1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Run("draw:0"), expected[i]) << i;
    EXPECT_EQ(session_->counts().prepared, 1);
    EXPECT_EQ(Run("one:0"), 1);  // evicts the other one
    EXPECT_EQ(session_->counts().prepared, 1);
  }
}

TEST_F(DroppedRunsTest, WhatSomebodyKeepsStays) {
  Start(Drawing(), 2);
  {
    std::vector<std::shared_ptr<const LocalSession::Prepared>> kept;
    for (int i = 0; i < 4; ++i) {
      auto prepared = session_->Prepare(
          {.feeds = {}, .fetches = {absl::StrCat("exp", i)}, .targets = {}});
      ASSERT_TRUE(prepared.ok()) << prepared.status();
      kept.push_back(*std::move(prepared));
    }
    EXPECT_EQ(session_->counts().prepared, 4);
    std::vector<Tensor> outputs;
    EXPECT_TRUE(
        session_->RunPrepared(*kept[0], {}, {}, nullptr, &outputs, nullptr)
            .ok());
  }
  Run("exp9:0");
  EXPECT_EQ(session_->counts().prepared, 2);
}

// The bodies of called functions are destroyed with a prepared run; their state
// is kept.
TEST_F(DroppedRunsTest, FunctionsGoToo) {
  GraphDef graph = Drawing();
  FunctionDef draws;
  draws.signature.name = "draws";
  draws.signature.flags |= kStateful;
  draws.signature.inputs = {{.name = "shape", .type = DataType::kInt32}};
  draws.signature.outputs = {{.name = "y", .type = DataType::kFloat}};
  draws.nodes.push_back({"inner",
                         "RandomUniform",
                         {"shape"},
                         "",
                         {{"T", DataType::kInt32},
                          {"dtype", DataType::kFloat},
                          {"seed", int64_t{5}},
                          {"seed2", int64_t{6}}}});
  for (int i = 0; i < 10; ++i) {
    const std::string from =
        i == 0 ? "inner:output:0" : absl::StrCat("sin", i - 1, ":y:0");
    draws.nodes.push_back(
        {absl::StrCat("sin", i), "Sin", {from}, "", {{"T", DataType::kFloat}}});
  }
  draws.ret = {{"y", "sin9:y:0"}};
  graph.library.functions.push_back(std::move(draws));
  graph.nodes.push_back(Value("two", Tensor::Scalar(2.0f)));
  graph.nodes.push_back(
      Defined("always", "Less", {"draw", "two"}, {{"T", DataType::kFloat}}));
  for (const char* name : {"call", "same"}) {
    graph.nodes.push_back(
        Defined(name, "If", {"always", "shape"},
                {{"Tcond", DataType::kBool},
                 {"Tin", AttrValue::TypeList{DataType::kInt32}},
                 {"Tout", AttrValue::TypeList{DataType::kFloat}},
                 {"then_branch", NameAttrList{"draws", {}}},
                 {"else_branch", NameAttrList{"draws", {}}}}));
  }
  const auto run = [&](int i) { return Run(i % 2 == 0 ? "call:0" : "same:0"); };
  Start(graph, 1000);
  std::vector<float> expected;
  for (int i = 0; i < 4; ++i) expected.push_back(run(i));
  const int64_t all = session_->counts().kernels;
  EXPECT_GT(all, 20);
  Start(graph, 1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(run(i), expected[i]) << i;
    EXPECT_LT(session_->counts().kernels, all);
    EXPECT_EQ(Run("one:0"), 1);
    // The seeded ops, and the two callers.
    EXPECT_LE(session_->counts().kernels, 4);
  }
}

}  // namespace
}  // namespace millrace
