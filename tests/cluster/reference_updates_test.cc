// Updates of reference variables by their own values, in order and at once: no
// update waits for its own lock or for one that waits for it, and no row tears.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cluster/simulated_cluster.h"
#include "tests/support/graph_text.h"

namespace millrace {
namespace {

constexpr int64_t kRows = 4, kColumns = 16;

Tensor Table(float first) {
  Tensor t = Tensor::New(DataType::kFloat, {kRows, kColumns});
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.mutable_flat<float>()[static_cast<size_t>(i)] =
        first + static_cast<float>(i / kColumns);
  }
  return t;
}

// Two tables on ps 0, their snapshots, and updates of each by both.
GraphDef Tables() {
  const std::string ps = "/job:ps/task:0";
  const AttrMap floats = {{"T", DataType::kFloat}};
  const AttrMap scatter = {{"T", DataType::kFloat},
                           {"Tindices", DataType::kInt32}};
  GraphText g;
  g.Value("rows", Tensor::Vector<int32_t>({0, 1, 2, 3}), ps);
  g.Const("half", 0.5f, ps);
  for (const char* name : {"a", "b"}) {
    const std::string v = name;
    g.Value(v + "/initial", Table(v == "a" ? 1.0f : 10.0f), ps);
    g.Node(v, "VariableV2", {},
           {{"dtype", DataType::kFloat},
            {"shape", PartialShape({kRows, kColumns})}},
           ps);
    g.Assign(v + "/init", v, v + "/initial");
    g.Node(v + "/view", "Identity", {v}, floats, ps);
    g.Node(v + "/value", "Snapshot", {v + "/view"}, floats, ps);
  }
  for (const auto& [v, other] : {std::pair("a", "b"), std::pair("b", "a")}) {
    const std::string name = v, mine = name + "/view",
                      others = absl::StrCat(other, "/view");
    g.AssignAdd(name + "/double", name, mine);
    g.Node(name + "/descend", "ApplyGradientDescent", {name, "half", mine},
           floats, ps);
    g.Node(name + "/scatter_own", "ScatterAdd", {name, "rows", mine}, scatter,
           ps);
    g.Node(name + "/scatter_other", "ScatterSub", {name, "rows", others},
           scatter, ps);
    g.Assign(name + "/take_other", name, others);
  }
  return g.Take();
}

std::vector<float> FirstColumn(const Tensor& t) {
  std::vector<float> column;
  for (int64_t row = 0; row < kRows; ++row) {
    column.push_back(t.flat<float>()[static_cast<size_t>(row * kColumns)]);
  }
  return column;
}

void ExpectWholeRows(const Tensor& t) {
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    ASSERT_EQ(t.flat<float>()[static_cast<size_t>(i)],
              t.flat<float>()[static_cast<size_t>(i / kColumns * kColumns)])
        << "row " << i / kColumns << " is torn";
  }
}

TEST(ReferenceUpdates, ByTheirOwnValuesInOrder) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
    ASSERT_TRUE(session.Create(Tables()).ok());
    ASSERT_TRUE(session.Run({.targets = {"a/init", "b/init"}}).ok());
    const auto value = [&](const std::string& target) {
      EXPECT_TRUE(session.Run({.targets = {target}}).ok());
      const auto fetched = session.Run({.fetches = {"a:0"}});
      EXPECT_TRUE(fetched.ok());
      return FirstColumn((*fetched)[0]);
    };
    EXPECT_EQ(value("a/double"), (std::vector<float>{2, 4, 6, 8}));
    EXPECT_EQ(value("a/descend"), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(value("a/scatter_own"), (std::vector<float>{2, 4, 6, 8}));
    EXPECT_EQ(value("a/scatter_other"), (std::vector<float>{-8, -7, -6, -5}));
    EXPECT_EQ(value("b/take_other"), (std::vector<float>{-8, -7, -6, -5}));
    EXPECT_EQ(value("a/scatter_other"), (std::vector<float>{0, 0, 0, 0}));
  });
}

TEST(ReferenceUpdates, AtOnceAndCrosswise) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
    ASSERT_TRUE(session.Create(Tables()).ok());
    ASSERT_TRUE(session.Run({.targets = {"a/init", "b/init"}}).ok());
    const auto run = [&](const std::vector<std::string>& targets) {
      for (int i = 0; i < 8; ++i) {
        const auto ran = session.Run(
            {.fetches = {"a/value:0", "b/value:0"}, .targets = targets});
        ASSERT_TRUE(ran.ok()) << ran.status();
        for (const Tensor& t : *ran) ExpectWholeRows(t);
      }
    };
    Thread other("other", [&] {
      run({"a/scatter_own", "b/scatter_other", "a/descend"});
    });
    run({"a/scatter_other", "b/scatter_own", "a/double", "b/descend"});
    other.Join();
  });
}

}  // namespace
}  // namespace millrace
