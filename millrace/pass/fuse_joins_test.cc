// Which ConcatV2 goes with the elementwise nodes before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/pass/fuse_nodes.h"
#include "millrace/pass/rewrite_graphs.h"

namespace millrace {
namespace {

using testing::Contains;

Status JoinedNothing(KernelContext&) { return OkStatus(); }
StatusOr<std::unique_ptr<ElementwiseFunction>> NoSpans(const KernelInit&) {
  return Unimplemented("only a mark");
}

const KernelTable& JoiningKernels() {
  static constexpr KernelEntry kPlain = {.make =
                                             MakeFunctionKernel<JoinedNothing>};
  static constexpr KernelEntry kElements = {
      .make = MakeFunctionKernel<JoinedNothing>, .elementwise = NoSpans};
  static const KernelDecl kDecls[] = {{"Neg", "CPU", {kElements}},
                                      {"Mul", "CPU", {kElements}},
                                      {"MatMul", "CPU", {kPlain}},
                                      {"ConcatV2", "CPU", {kPlain}},
                                      {"_FusedElementwise", "CPU", {kPlain}}};
  static const KernelTable* const table = [] {
    std::vector<const KernelDecl*> all;
    for (const KernelDecl& decl : kDecls) all.push_back(&decl);
    return new KernelTable(*KernelTable::Build(all));
  }();
  return *table;
}

class FuseJoinsTest : public testing::Test {
 protected:
  FuseJoinsTest() {
    g_.Add("x", "_Arg").Add("y", "_Arg").Const("axis", Tensor::Scalar(1));
    g_.Add("p", "MatMul", {"x", "y"});
  }
  void Join(const std::string& name, std::vector<std::string> inputs) {
    const auto n = static_cast<int64_t>(inputs.size());
    inputs.push_back("axis");
    g_.Add(name, "ConcatV2", inputs, AttrMap({{"N", n}}));
  }
  void Fuse() {
    const Status status = FuseNodes(JoiningKernels(), &g_.graph());
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(TopologicalOrder(g_.graph()).ok());
  }
  RewriteGraph g_;
};

TEST_F(FuseJoinsTest, OfNodesThatNobodyElseReads) {
  g_.Add("a", "Neg", {"p"}).Add("b", "Mul", {"p", "x"});
  Join("joined", {"y", "a", "b"});
  g_.Add("out", "_Retval", {"joined"});
  Fuse();
  EXPECT_EQ(g_.FusedOf("joined"),
            "a=Neg(0) b=Mul(0,1) joined=ConcatV2(2,-1,-2,3)>0");
  EXPECT_THAT(g_.Lines(),
              Contains("joined = _FusedElementwise(p, x, y, axis)"));
}

TEST_F(FuseJoinsTest, OfANodeThatOthersRead) {
  g_.Add("a", "Neg", {"p"});
  Join("joined", {"x", "a"});
  g_.Add("out", "_Retval", {"joined"}).Add("more", "_Retval", {"a"});
  Fuse();
  EXPECT_EQ(g_.FusedOf("joined"), "a=Neg(0)>0 joined=ConcatV2(1,-1,2)>1");
}

// Nodes behind it have other shapes; they are a group of their own.
TEST_F(FuseJoinsTest, ReadersAreNotOfItsTree) {
  g_.Add("a", "Neg", {"p"});
  Join("joined", {"x", "a"});
  g_.Add("q", "MatMul", {"joined", "y"}).Add("b", "Neg", {"q"});
  g_.Add("c", "Neg", {"b"}).Add("out", "_Retval", {"c"});
  Fuse();
  EXPECT_EQ(g_.FusedOf("joined"), "a=Neg(0) joined=ConcatV2(1,-1,2)>0");
  EXPECT_EQ(g_.FusedOf("c"), "b=Neg(0) c=Neg(-1)>0");
}

TEST_F(FuseJoinsTest, NothingToGoWith) {
  Join("joined", {"x", "p"});
  g_.Add("a", "Neg", {"joined"}).Add("out", "_Retval", {"a"});
  const std::vector<std::string> before = g_.Lines();
  Fuse();
  EXPECT_EQ(g_.Lines(), before);
}

TEST_F(FuseJoinsTest, NotOfManyParts) {
  std::vector<std::string> parts;
  for (int i = 0; i < 9; ++i) {
    parts.push_back(absl::StrCat("a", i));
    g_.Add(parts.back(), "Neg", {"p"});
  }
  Join("joined", parts);
  g_.Add("out", "_Retval", {"joined"});
  Fuse();
  EXPECT_EQ(g_.FusedOf("joined"), "");
}

}  // namespace
}  // namespace millrace
