#include "millrace/pass/start_sources.h"

#include <gtest/gtest.h>

#include "millrace/pass/testing/graphs.h"

namespace millrace {
namespace {

TEST(NumberSets, EqualSetsHaveOneNumber) {
  NumberSets sets(100);
  const int32_t a = sets.Of(1), b = sets.Of(2), c = sets.Of(3);
  EXPECT_EQ(sets.Union(sets.Union(a, b), c), sets.Union(sets.Union(c, a), b));
  EXPECT_NE(sets.Union(a, b), sets.Union(a, c));
  EXPECT_EQ(sets.Union(sets.Union(a, b), a), sets.Union(b, a));
  EXPECT_EQ(sets.Union(NumberSets::kEmpty, a), a);
  EXPECT_EQ(sets.Union(a, NumberSets::kUnknown), NumberSets::kUnknown);
}

TEST(NumberSets, HaveRoomForSoMuch) {
  NumberSets sets(10);
  int32_t all = NumberSets::kEmpty;
  for (int32_t i = 0; i < 5; ++i) all = sets.Union(all, sets.Of(i));
  EXPECT_EQ(all, NumberSets::kUnknown);
  // The existing sets are kept.
  EXPECT_NE(sets.Of(0), NumberSets::kUnknown);
}

class StartSourcesTest : public testing::Test {
 protected:
  int32_t Of(absl::string_view name) {
    const auto order = TopologicalOrder(g_.graph());
    EXPECT_TRUE(order.ok()) << order.status();
    return StartSources(g_.graph(), *order).Of(g_.Named(name).id);
  }
  RewriteGraph g_;
};

TEST_F(StartSourcesTest, TheNearestOnesCount) {
  g_.Add("x", "_Arg").Add("r", "Random").Add("s", "Random", {"^r"});
  g_.Add("a", "Neg", {"r"}).Add("b", "AddV2", {"a", "x"});
  g_.Add("c", "AddV2", {"r", "s"}).Add("d", "Neg", {"s"});
  g_.Add("waits", "Neg", {"x", "^r"});
  EXPECT_EQ(Of("x"), NumberSets::kEmpty);
  EXPECT_EQ(Of("a"), Of("b"));
  EXPECT_EQ(Of("a"), Of("waits"));
  EXPECT_NE(Of("a"), Of("c"));
  EXPECT_NE(Of("a"), Of("d"));
  EXPECT_NE(Of("c"), Of("d"));
}

TEST_F(StartSourcesTest, SidesOfAConditionDiffer) {
  g_.Add("x", "_Arg").Add("if", "_Arg", {}, {{"T", DataType::kBool}});
  g_.Add("s", "Switch", {"x", "if"}).Add("t", "Switch", {"x", "if"});
  g_.Add("no", "Neg", {"s"}).Add("no2", "Neg", {"t"});
  g_.Add("yes", "Neg", {"s:1"}).Add("after", "Neg", {"x", "^s"});
  EXPECT_EQ(Of("no"), Of("no2"));
  EXPECT_NE(Of("no"), Of("yes"));
  EXPECT_NE(Of("no"), Of("x"));
  EXPECT_EQ(Of("after"), NumberSets::kEmpty);  // the Switch itself is alive
}

TEST_F(StartSourcesTest, WhoTakesAHandleMayWait) {
  g_.Add("q", "RefVar");
  g_.Add("first", "TakeByRef", {"q"})
      .Add("second", "TakeByRef", {"q", "^first"});
  g_.Add("a", "Neg", {"first"}).Add("b", "Neg", {"second"});
  EXPECT_NE(Of("a"), Of("b"));
}

TEST_F(StartSourcesTest, ATriggerIsAliveBehindADeadBranch) {
  g_.Add("x", "_Arg").Add("if", "_Arg", {}, {{"T", DataType::kBool}});
  g_.Add("s", "Switch", {"x", "if"}).Add("yes", "Neg", {"s:1"});
  g_.Add("trigger", "ControlTrigger", {"^yes"});
  g_.Add("behind", "Neg", {"x", "^trigger"});
  EXPECT_NE(Of("yes"), Of("behind"));
}

}  // namespace
}  // namespace millrace
