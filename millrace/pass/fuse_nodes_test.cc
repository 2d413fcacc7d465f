#include "millrace/pass/fuse_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/pass/testing/graphs.h"

namespace millrace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;

Status FusedNothing(KernelContext&) { return OkStatus(); }
StatusOr<std::unique_ptr<ElementwiseFunction>> NoFunction(const KernelInit&) {
  return Unimplemented("only a mark");
}

const KernelTable& FusingKernels() {
  static constexpr KernelEntry kPlain = {.make =
                                             MakeFunctionKernel<FusedNothing>};
  static constexpr KernelEntry kElements = {
      .types = "T: float",
      .make = MakeFunctionKernel<FusedNothing>,
      .elementwise = NoFunction};
  static const KernelDecl kDecls[] = {
      {"Neg", "CPU", {kElements, kPlain}},
      {"Relu", "CPU", {kElements, kPlain}},
      {"AddV2", "CPU", {kElements, kPlain}},
      {"Mul", "CPU", {kElements, kPlain}},
      {"Identity", "CPU", {kPlain}},
      {"MatMul", "CPU", {kPlain}},
      {"BiasAdd", "CPU", {kPlain}},
      {"_FusedMatMul", "CPU", {kPlain}},
      {"AddN", "CPU", {kPlain}},
      {"_SumOfProducts", "CPU", {kElements}},
      {"Split", "CPU", {kPlain}},
      {"_SplitProduct", "CPU", {kElements}},
      {"Slice", "CPU", {kPlain}},
      {"_SlicedProduct", "CPU", {kElements}},
      {"_TransposedMatrix", "CPU", {kPlain}},
      {"MaxPool", "CPU", {kPlain}},
      {"MaxPoolGrad", "CPU", {kPlain}},
      {"_MaxPoolWithOffsets", "CPU", {kElements}},
      {"_MaxPoolGradByOffsets", "CPU", {kPlain}},
      {"_FusedElementwise", "CPU", {kPlain}}};
  static const KernelTable* const table = [] {
    std::vector<const KernelDecl*> all;
    for (const KernelDecl& decl : kDecls) all.push_back(&decl);
    return new KernelTable(*KernelTable::Build(all));
  }();
  return *table;
}

class FuseNodesTest : public testing::Test {
 protected:
  FuseNodesTest() { g_.Add("x", "_Arg").Add("y", "_Arg"); }
  void Fuse() {
    const Status status = FuseNodes(FusingKernels(), &g_.graph());
    ASSERT_TRUE(status.ok()) << status;
    // The result is still a valid graph.
    EXPECT_TRUE(TopologicalOrder(g_.graph()).ok());
  }
  void ExpectNothingFused() {
    const std::vector<std::string> before = g_.Lines();
    Fuse();
    EXPECT_EQ(g_.Lines(), before);
  }
  RewriteGraph g_;
};

TEST_F(FuseNodesTest, AChain) {
  g_.Add("a", "Mul", {"x", "y"}).Add("b", "AddV2", {"a", "y"});
  g_.Add("c", "Relu", {"b"}).Add("out", "_Retval", {"c"});
  Fuse();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("c = _FusedElementwise(x, y)", "out = _Retval(c)",
                          "x = _Arg()", "y = _Arg()"));
  EXPECT_EQ(g_.FusedOf("c"), "a=Mul(0,1) b=AddV2(-1,1) c=Relu(-2)>0");
  EXPECT_EQ(g_.Named("c").assigned_device, g_.device);
}

TEST_F(FuseNodesTest, BranchesThatMeetAgain) {
  g_.Add("a", "Neg", {"x"}).Add("b", "Relu", {"a"}).Add("c", "Neg", {"a"});
  g_.Add("d", "AddV2", {"b", "c"}).Add("e", "Mul", {"d", "d"});
  g_.Add("out", "_Retval", {"e"});
  Fuse();
  EXPECT_THAT(g_.Lines(), Contains("e = _FusedElementwise(x)"));
  EXPECT_THAT(g_.FusedOf("e"), testing::EndsWith("e=Mul(-4,-4)>0"));
}

TEST_F(FuseNodesTest, WhatOthersReadOrWaitForIsAResult) {
  g_.Add("a", "Neg", {"x"}).Add("fetched", "Neg", {"a"});
  g_.Add("b", "Relu", {"fetched"}).Add("waited_for", "Neg", {"b"});
  g_.Add("c", "Neg", {"waited_for"}).Add("d", "Neg", {"c"});
  g_.Add("out", "_Retval", {"d"}).Add("inner", "_Retval", {"fetched"});
  g_.Add("then", "NoOp", {"^waited_for"});
  Fuse();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("d = _FusedElementwise(x)", "inner = _Retval(d)",
                          "out = _Retval(d:2)", "then = NoOp(^d)", "x = _Arg()",
                          "y = _Arg()"));
  EXPECT_EQ(g_.FusedOf("d"),
            "a=Neg(0) fetched=Neg(-1)>0 b=Relu(-2) waited_for=Neg(-3)>1 "
            "c=Neg(-4) d=Neg(-5)>2");
}

// A step of a recurrent network in training: gradients read intermediate
// values.
TEST_F(FuseNodesTest, ResultsBetween) {
  g_.Add("p", "MatMul", {"x", "y"}).Add("q", "MatMul", {"x", "y"});
  g_.Add("gate", "Relu", {"p"}).Add("input", "Neg", {"q"});
  g_.Add("state", "Mul", {"gate", "input"});
  for (const char* name : {"gate", "input", "state"}) {
    g_.Add(absl::StrCat(name, "_read"), "_Retval", {name});
  }
  Fuse();
  EXPECT_THAT(g_.Lines(), IsSupersetOf({"gate_read = _Retval(state)",
                                        "input_read = _Retval(state:1)",
                                        "state = _FusedElementwise(p, q)",
                                        "state_read = _Retval(state:2)"}));
}

TEST_F(FuseNodesTest, WhatReadsOneComputedValueIsOnePass) {
  g_.Add("p", "MatMul", {"x", "y"});
  g_.Add("a", "Neg", {"p"}).Add("b", "Relu", {"p"});
  g_.Add("a_read", "_Retval", {"a"}).Add("b_read", "_Retval", {"b"});
  // Many parts of a graph may share an argument.
  g_.Add("c", "Neg", {"x"}).Add("c_read", "_Retval", {"c"});
  g_.Add("d", "Relu", {"x"}).Add("d_read", "_Retval", {"d"});
  Fuse();
  EXPECT_THAT(g_.Lines(),
              IsSupersetOf({"b = _FusedElementwise(p)", "a_read = _Retval(b)",
                            "c = Neg(x)", "d = Relu(x)"}));
}

// A value that comes for reasons outside the graph may depend on a value that
// is read.
TEST_F(FuseNodesTest, NothingWaitsForWhatItDidNot) {
  g_.Add("a", "Neg", {"x"}).Add("read", "_Retval", {"a"});
  g_.Add("late", "Random").Add("b", "Mul", {"a", "late"});
  g_.Add("out", "_Retval", {"b"});
  ExpectNothingFused();
}

TEST_F(FuseNodesTest, WhatMayBeDeadStaysApart) {
  g_.Add("if", "_Arg", {}, {{"T", DataType::kBool}});
  g_.Add("s", "Switch", {"x", "if"});
  g_.Add("a", "Neg", {"s"}).Add("a_read", "_Retval", {"a"});
  g_.Add("b", "Mul", {"a", "s:1"}).Add("b_read", "_Retval", {"b"});
  g_.Add("c", "Mul", {"b", "y"}).Add("c_read", "_Retval", {"c"});
  Fuse();
  EXPECT_THAT(g_.Lines(), IsSupersetOf({"a = Neg(s)", "b_read = _Retval(c)",
                                        "c = _FusedElementwise(a, s:1, y)"}));
}

TEST_F(FuseNodesTest, OneSideOfACondition) {
  g_.Add("if", "_Arg", {}, {{"T", DataType::kBool}});
  g_.Add("s", "Switch", {"x", "if"}).Add("t", "Switch", {"y", "if"});
  g_.Add("a", "Neg", {"s:1"}).Add("a_read", "_Retval", {"a"});
  g_.Add("b", "Mul", {"a", "t:1"}).Add("b_read", "_Retval", {"b"});
  Fuse();
  EXPECT_THAT(g_.Lines(), Contains("b = _FusedElementwise(s:1, t:1)"));
}

// b leads out of the potential group and back into it.
TEST_F(FuseNodesTest, NoCycles) {
  g_.Add("a", "Neg", {"x"}).Add("b", "Identity", {"a"});
  g_.Add("c", "AddV2", {"a", "b"}).Add("out", "_Retval", {"c"});
  ExpectNothingFused();
}

TEST_F(FuseNodesTest, WaitsAreThoseOfAll) {
  g_.Add("r", "Random").Add("s", "Random").Add("n", "Neg", {"y"});
  g_.Add("m", "Neg", {"n"});
  g_.Add("a", "Neg", {"x", "^r"}).Add("b", "Neg", {"a", "^s", "^r", "^m"});
  g_.Add("out", "_Retval", {"b"});
  Fuse();
  EXPECT_THAT(g_.Lines(), IsSupersetOf({"b = _FusedElementwise(x, ^m, ^r, ^s)",
                                        "m = _FusedElementwise(y)"}));
}

TEST_F(FuseNodesTest, OtherNodesStay) {
  g_.Add("v", "RefVar").Const("h", Tensor::New(DataType::kHalf, {}));
  g_.Add("of_variable", "Neg", {"v"}).Add("n1", "Neg", {"of_variable"});
  g_.Add("half", "Neg", {"h"}, {{"T", DataType::kHalf}});
  g_.Add("n2", "Neg", {"half"}, {{"T", DataType::kHalf}});
  g_.Add("here", "Neg", {"x"});
  g_.device = "/job:a/replica:0/task:0/device:CPU:1";
  g_.Add("there", "Neg", {"here"});
  g_.device = "/job:a/replica:0/task:0/device:GPU:0";
  g_.Add("g1", "Neg", {"x"}).Add("g2", "Neg", {"g1"});
  ExpectNothingFused();
}

TEST_F(FuseNodesTest, LongChainsAreCut) {
  std::string last = "x";
  for (int i = 0; i < 100; ++i) {
    const std::string name = absl::StrCat("n", i);
    g_.Add(name, "Neg", {last});
    last = name;
  }
  g_.Add("out", "_Retval", {last});
  Fuse();
  EXPECT_EQ(g_.graph().num_nodes(), 3 + 4);
  EXPECT_TRUE(g_.Named("n99").IsOp("_FusedElementwise"));
}

TEST_F(FuseNodesTest, AProductWithItsBiasAndActivation) {
  g_.Add("b", "_Arg")
      .Add("product", "MatMul", {"x", "y"}, {{"transpose_b", true}});
  g_.Add("sum", "BiasAdd", {"product", "b"}).Add("relu", "Relu", {"sum"});
  g_.Add("out", "_Retval", {"relu"});
  Fuse();
  EXPECT_THAT(g_.Lines(), Contains("relu = _FusedMatMul(x, y, b)"));
  EXPECT_EQ(g_.FusedOf("relu"),
            "product=MatMul(0,1) sum=BiasAdd(-1,2) relu=Relu(-2)>0");
  const AttrMap& attrs = g_.Named("relu").attrs;
  EXPECT_TRUE(*GetAttr<bool>(attrs, "transpose_b"));
  EXPECT_THAT(*GetAttr<AttrValue::StringList>(attrs, "fused_ops"),
              ElementsAre("BiasAdd", "Relu"));
}

TEST_F(FuseNodesTest, AProductWithItsBiasAndASplit) {
  const AttrMap kSplit = {{"num_split", int64_t{2}}};
  g_.Add("b", "_Arg").Const("dim", Tensor::Scalar<int32_t>(1));
  g_.Add("product", "MatMul", {"x", "y"}, {{"transpose_b", true}});
  g_.Add("sum", "BiasAdd", {"product", "b"});
  g_.Add("gates", "Split", {"dim", "sum"}, kSplit);
  g_.Add("input", "Neg", {"gates:1"}).Add("out", "_Retval", {"input"});
  g_.Add("forget", "_Retval", {"gates"}).Add("then", "NoOp", {"^gates"});
  // The gates read the output of another cell.
  g_.Add("p2", "MatMul", {"gates:1", "y"}).Add("s2", "BiasAdd", {"p2", "b"});
  g_.Add("gates2", "Split", {"dim", "s2"}, kSplit);
  g_.Add("out2", "_Retval", {"gates2:1"});
  Fuse();
  EXPECT_THAT(
      g_.Lines(),
      IsSupersetOf({"gates = _SplitProduct(x, y, b, dim)",
                    "gates2 = _SplitProduct(gates:1, y, b, dim)",
                    "input = Neg(gates:1)", "forget = _Retval(gates)",
                    "out2 = _Retval(gates2:1)", "then = NoOp(^gates)"}));
  EXPECT_EQ(g_.FusedOf("gates"),
            "product=MatMul(0,1) sum=BiasAdd(-1,2) gates=Split(3,-2)>0");
  EXPECT_TRUE(*GetAttr<bool>(g_.Named("gates").attrs, "transpose_b"));
}

TEST_F(FuseNodesTest, ASumWithAParameterIsABias) {
  g_.Add("square", "MatMul", {"x", "x"}).Const("b", 1);
  g_.Add("sum", "AddV2", {"b", "square"}).Add("out", "_Retval", {"sum"});
  g_.Add("read", "_Retval", {"sum"});
  Fuse();
  EXPECT_THAT(g_.Lines(), Contains("sum = _FusedMatMul(x, x, b)"));
}

TEST_F(FuseNodesTest, ProductsThatStay) {
  g_.Add("b", "_Arg");
  g_.Add("p", "MatMul", {"x", "y"}).Add("q", "MatMul", {"y", "x"});
  g_.Add("of_products", "AddV2", {"p", "q"});
  g_.Add("fetched", "MatMul", {"x", "y"}).Add("out", "_Retval", {"fetched"});
  g_.Add("n1", "BiasAdd", {"fetched", "b"});
  g_.Add("r", "MatMul", {"x", "y"}).Add("as_bias", "BiasAdd", {"b", "r"});
  g_.Add("s", "MatMul", {"x", "y"});
  g_.Add("first", "BiasAdd", {"s", "b"}, {{"data_format", "NCHW"}});
  g_.Add("d", "_Arg", {}, {{"T", DataType::kDouble}});
  const AttrMap kDoubles = {{"T", DataType::kDouble}};
  g_.Add("t", "MatMul", {"d", "d"}, kDoubles);
  g_.Add("no_kernel", "BiasAdd", {"t", "d"}, kDoubles);
  ExpectNothingFused();
}

TEST_F(FuseNodesTest, ASumOfProducts) {
  const AttrMap kTransposed = {{"transpose_a", true}};
  g_.Add("p", "MatMul", {"x", "y"}, kTransposed);
  g_.Add("q", "MatMul", {"y", "y"}, kTransposed);
  g_.Add("r", "MatMul", {"y", "x"}, kTransposed);
  g_.Add("sum", "AddN", {"p", "q", "r"}, {{"N", int64_t{3}}});
  g_.Add("out", "_Retval", {"sum"});
  Fuse();
  EXPECT_THAT(g_.Lines(), Contains("sum = _SumOfProducts(x, y, y, y, y, x)"));
  EXPECT_EQ(g_.FusedOf("sum"),
            "p=MatMul(0,1) q=MatMul(2,3) r=MatMul(4,5) sum=AddN(-1,-2,-3)>0");
  EXPECT_TRUE(*GetAttr<bool>(g_.Named("sum").attrs, "transpose_a"));
  EXPECT_FALSE(*GetAttr<bool>(g_.Named("sum").attrs, "transpose_b"));
}

TEST_F(FuseNodesTest, APartOfAProduct) {
  const AttrMap kLong = {{"T", DataType::kInt64}};
  g_.Add("from", "_Arg", {}, kLong).Add("n", "_Arg", {}, kLong);
  g_.Add("p", "MatMul", {"x", "y"}, {{"transpose_b", true}});
  g_.Add("part", "Slice", {"p", "from", "n"}, {{"Index", DataType::kInt64}});
  g_.Add("out", "_Retval", {"part"});
  Fuse();
  EXPECT_THAT(g_.Lines(), Contains("part = _SlicedProduct(x, y, from, n)"));
  EXPECT_EQ(g_.FusedOf("part"), "p=MatMul(0,1) part=Slice(-1,2,3)>0");
  EXPECT_FALSE(*GetAttr<bool>(g_.Named("part").attrs, "transpose_a"));
  EXPECT_TRUE(*GetAttr<bool>(g_.Named("part").attrs, "transpose_b"));
}

// The backward pass through the steps of a recurrent network.
TEST_F(FuseNodesTest, PartsOfProductsWithOneTransposedFactor) {
  const AttrMap kLong = {{"T", DataType::kInt64}};
  g_.Add("from", "_Arg", {}, kLong).Add("n", "_Arg", {}, kLong);
  const auto add = [&](int i, bool transposed) {
    const std::string p = absl::StrCat(transposed ? "p" : "q", i);
    g_.Add(p, "MatMul", {"x", "y"}, {{"transpose_b", transposed}});
    g_.Add(p + "_part", "Slice", {p, "from", "n"},
           {{"Index", DataType::kInt64}});
    g_.Add(p + "_out", "_Retval", {p + "_part"});
  };
  for (int i = 0; i < 4; ++i) {
    add(i, true);
    add(i, false);
  }
  Fuse();
  std::vector<std::string> expected = {"y/transposed = _TransposedMatrix(y)"};
  for (int i = 0; i < 4; ++i) {
    expected.push_back(absl::StrCat(
        "p", i, "_part = _SlicedProduct(x, y, from, n, y/transposed)"));
    expected.push_back(
        absl::StrCat("q", i, "_part = _SlicedProduct(x, y, from, n)"));
  }
  EXPECT_THAT(g_.Lines(), IsSupersetOf(expected));
}

TEST_F(FuseNodesTest, FewProductsDoNotPayForATransposedFactor) {
  const AttrMap kLong = {{"T", DataType::kInt64}};
  g_.Add("from", "_Arg", {}, kLong).Add("n", "_Arg", {}, kLong);
  for (const char* p : {"p", "q", "r"}) {
    g_.Add(p, "MatMul", {"x", "y"}, {{"transpose_b", true}});
    g_.Add(absl::StrCat(p, "_part"), "Slice", {p, "from", "n"},
           {{"Index", DataType::kInt64}});
  }
  Fuse();
  EXPECT_THAT(g_.Lines(), Contains("r_part = _SlicedProduct(x, y, from, n)"));
}

TEST_F(FuseNodesTest, PartsThatStay) {
  const AttrMap kLong = {{"T", DataType::kInt64}};
  const AttrMap kIndex = {{"Index", DataType::kInt64}};
  g_.Add("from", "_Arg", {}, kLong).Add("n", "_Arg", {}, kLong);
  g_.Add("no_product", "Slice", {"x", "from", "n"}, kIndex);
  g_.Add("p", "MatMul", {"x", "y"});
  g_.Add("one", "Slice", {"p", "from", "n"}, kIndex);
  g_.Add("other", "Slice", {"p", "from", "from"}, kIndex);
  g_.Add("q", "MatMul", {"x", "y"});
  g_.Add("part", "Slice", {"q", "from", "n"}, kIndex);
  g_.Add("waits", "_Arg", {"^q"});
  const AttrMap kDoubles = {{"T", DataType::kDouble}};
  g_.Add("d", "_Arg", {}, kDoubles).Add("r", "MatMul", {"d", "d"}, kDoubles);
  g_.Add("no_kernel", "Slice", {"r", "from", "n"},
         {{"Index", DataType::kInt64}, {"T", DataType::kDouble}});
  ExpectNothingFused();
}

TEST_F(FuseNodesTest, SumsThatStay) {
  const AttrMap kTwo = {{"N", int64_t{2}}};
  g_.Add("p", "MatMul", {"x", "y"});
  g_.Add("transposed", "MatMul", {"x", "y"}, {{"transpose_b", true}});
  g_.Add("differ", "AddN", {"p", "transposed"}, kTwo);
  g_.Add("q", "MatMul", {"x", "y"}).Add("no_product", "AddN", {"q", "x"}, kTwo);
  g_.Add("r", "MatMul", {"x", "y"}).Add("twice", "AddN", {"r", "r"}, kTwo);
  g_.Add("s", "MatMul", {"x", "y"}).Add("fetched", "MatMul", {"x", "y"});
  g_.Add("out", "_Retval", {"fetched"});
  g_.Add("read", "AddN", {"s", "fetched"}, kTwo);
  g_.Add("alone", "MatMul", {"x", "y"});
  g_.Add("one", "AddN", {"alone"}, {{"N", int64_t{1}}});
  g_.Add("d", "_Arg", {}, {{"T", DataType::kDouble}});
  const AttrMap kDoubles = {{"T", DataType::kDouble}};
  g_.Add("d1", "MatMul", {"d", "d"}, kDoubles);
  g_.Add("d2", "MatMul", {"d", "d"}, kDoubles);
  g_.Add("no_kernel", "AddN", {"d1", "d2"},
         {{"N", int64_t{2}}, {"T", DataType::kDouble}});
  ExpectNothingFused();
}

TEST_F(FuseNodesTest, PoolsWithTheirGradients) {
  const AttrMap kThree = {{"ksize", int64_t{3}}};
  g_.Add("pool", "MaxPool", {"x"}, kThree).Add("read", "_Retval", {"pool"});
  g_.Add("waits", "_Arg", {"^pool"});
  g_.Add("grad", "MaxPoolGrad", {"x", "pool", "y"}, kThree);
  g_.Add("other", "MaxPoolGrad", {"x", "pool", "pool"}, kThree);
  g_.Add("out", "_Retval", {"grad"});
  Fuse();
  EXPECT_THAT(
      g_.Lines(),
      ElementsAre("grad = _MaxPoolGradByOffsets(x, pool, y, pool:1)",
                  "other = _MaxPoolGradByOffsets(x, pool, pool, pool:1)",
                  "out = _Retval(grad)", "pool = _MaxPoolWithOffsets(x)",
                  "read = _Retval(pool)", "waits = _Arg(^pool)", "x = _Arg()",
                  "y = _Arg()"));
  EXPECT_EQ(g_.FusedOf("pool"), "pool=MaxPool(0)>0");
  EXPECT_EQ(g_.FusedOf("grad"), "grad=MaxPoolGrad(0,1,2)>0");
  EXPECT_EQ(*GetAttr<int64_t>(g_.Named("grad").attrs, "ksize"), 3);
}

TEST_F(FuseNodesTest, PoolsThatStay) {
  const AttrMap kThree = {{"ksize", int64_t{3}}};
  g_.Add("pool", "MaxPool", {"x"}, kThree);
  g_.Add("of_another", "MaxPoolGrad", {"y", "pool", "y"}, kThree);
  g_.Add("as_gradient", "MaxPoolGrad", {"x", "y", "pool"}, kThree);
  g_.Add("differs", "MaxPoolGrad", {"x", "pool", "y"}, {{"ksize", int64_t{2}}});
  const AttrMap kDoubles = {{"ksize", int64_t{3}}, {"T", DataType::kDouble}};
  g_.Add("d", "_Arg", {}, {{"T", DataType::kDouble}});
  g_.Add("no_kernel", "MaxPool", {"d"}, kDoubles);
  g_.Add("no_kernel_grad", "MaxPoolGrad", {"d", "no_kernel", "d"}, kDoubles);
  g_.device = "/job:a/replica:0/task:0/device:CPU:1";
  g_.Add("elsewhere", "MaxPoolGrad", {"x", "pool", "y"}, kThree);
  ExpectNothingFused();
}

}  // namespace
}  // namespace millrace
