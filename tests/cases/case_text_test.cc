#include "tests/cases/case_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::cases {
namespace {

Case Of(std::vector<Value> inputs, AttrMap attrs = {}) {
  Case c;
  c.op = "SoftClip";
  c.Name("case 24").Node("op", "SoftClip", std::move(inputs), std::move(attrs));
  return c;
}

TEST(CaseTextTest, TypesShapesAndAttributes) {
  EXPECT_EQ(CaseText(Of({F64({5})}, {{"limit", 3.5}})),
            "SoftClip, case 24 (double [5]; limit=3.5)");
  EXPECT_EQ(CaseText(Of({Var(F32({2, 3})), Uninitialized(kInt32, {}), "q:1"})),
            "SoftClip, case 24 (variable float [2,3], uninitialized int32 [], "
            "q:1)");
  EXPECT_EQ(CaseText(Of({}, {{"N", 2}})), "SoftClip, case 24 (N=2)");
  EXPECT_EQ(CaseText(Of({})), "SoftClip, case 24");
}

TEST(CaseTextTest, TheNodeOfItsOpInASequence) {
  Case c;
  c.op = "Dequeue";
  c.Name("twice").Node("q", "Queue", {}, {{"capacity", 3}});
  EXPECT_EQ(CaseText(c), "Dequeue, twice");
  c.Node("d", "Dequeue", {"q"}).Node("e", "Dequeue", {"q", "d"});
  EXPECT_EQ(CaseText(c), "Dequeue, twice (q)");
}

TEST(CaseTextTest, IsShort) {
  const std::string attr = CaseText(Of({}, {{"a", std::string(100, 'x')}}));
  EXPECT_THAT(attr, testing::EndsWith("xxx...)"));
  EXPECT_LT(attr.size(), 70u);
  const std::string inputs =
      CaseText(Of(std::vector<Value>(50, F32({2})), {{"N", 50}}));
  EXPECT_THAT(inputs, testing::EndsWith("...)"));
  EXPECT_EQ(inputs.size(), std::string("SoftClip, case 24").size() + 120);
}

}  // namespace
}  // namespace millrace::cases
