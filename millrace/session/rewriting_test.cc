// Tests the properties that rewriting must not change: values, to the bit, and
// errors.
#include "millrace/session/testing/rewriting_suite.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

TEST_F(RewritingTest, RandomGraphsGiveTheSameBits) {
  const std::vector<std::string> unary = {"Neg",  "Abs",     "Square", "Tanh",
                                          "Relu", "Sigmoid", "Exp",    "Sign"};
  const std::vector<std::string> binary = {
      "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"};
  const std::vector<std::string> same_size = {"ReluGrad", "TanhGrad",
                                              "SigmoidGrad"};
  int fused = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng random(seed);
    const DataType type = seed % 5 == 0   ? DataType::kHalf
                          : seed % 5 == 1 ? DataType::kDouble
                                          : DataType::kFloat;
    const AttrMap typed = {{"T", type}};
    g_ = GraphText();
    // Compatible shapes, including a row; sometimes large.
    const int64_t rows =
        seed % 7 == 0 ? 3000 : 1 + static_cast<int64_t>(random.Uniform(5));
    const std::vector<TensorShape> shapes = {
        {rows, 7}, {rows, 7}, {}, {1}, {7}};
    std::map<std::string, Tensor> feeds;
    std::vector<std::string> whole, all;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const std::string name = absl::StrCat("x", i);
      if (i < 3 || random.Uniform(2) == 0) {
        g_.Placeholder(name, type);
        feeds[name] = Numbers(shapes[i], random, type);
      } else {
        g_.Const(name, Numbers(shapes[i], random, type));
      }
      if (i < 2) whole.push_back(name);
      // Rows are rare: they do not use the fused code.
      if (i < 4 || seed % 4 == 0) all.push_back(name);
    }
    const auto pick = [&](const std::vector<std::string>& from) {
      return from[random.Uniform(from.size())];
    };
    for (int i = 0; i < 30; ++i) {
      const std::string name = absl::StrCat("n", i);
      const uint64_t kind = random.Uniform(10);
      // Mostly the latest node, so that there are chains.
      const std::string x = random.Uniform(3) != 0 ? all.back() : pick(all);
      if (kind < 4) {
        g_.Add(name, pick(unary), {x}, typed);
      } else if (kind < 9) {
        const bool turned = random.Uniform(2) != 0;
        const std::string y = pick(all);
        g_.Add(name, pick(binary),
               turned ? std::vector<std::string>{y, x}
                      : std::vector<std::string>{x, y},
               typed);
      } else {
        g_.Add(name, pick(same_size), {pick(whole), pick(whole)}, typed);
        whole.push_back(name);
      }
      all.push_back(name);
    }
    std::vector<std::string> fetches = {"n29"};
    for (int i = 0; i < 3; ++i) {
      fetches.push_back(absl::StrCat("n", random.Uniform(30)));
    }
    // Some results are fed.
    if (seed % 3 == 0) {
      feeds["n3"] = Numbers({rows, 7}, random, type);
      std::erase(fetches, "n3");
    }
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const Ran ran = Run(feeds, fetches);
    EXPECT_TRUE(ran.status.ok()) << ran.status;
    for (const std::string& label : ran.labels) {
      fused += label.find("_FusedElementwise[") != label.npos;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(fused, 50);
}

TEST_F(RewritingTest, TheTraceSaysWhatWasFused) {
  g_.Placeholder("x").Placeholder("y");
  g_.Add("p", "Mul", {"x", "y"}).Add("s", "AddV2", {"p", "y"});
  g_.Add("r", "Relu", {"s"});
  const std::map<std::string, Tensor> feeds = {
      {"x", Tensor::Vector<float>({1, 2})}, {"y", Tensor::Scalar(3.0f)}};
  EXPECT_THAT(Run(feeds, {"r"}).labels,
              ElementsAre("r = _FusedElementwise[Mul,AddV2,Relu]()"));
  // Independent of the fetches.
  EXPECT_THAT(Run(feeds, {"r", "s"}).labels,
              ElementsAre("r = _FusedElementwise[Mul,AddV2,Relu]()"));
}

// Among several results, each may take over an operand, but not one that a
// later op reads.
TEST_F(RewritingTest, ResultsTakeOverWhatNobodyReadsAnyMore) {
  g_.Placeholder("x").Placeholder("y");
  g_.Add("p", "MatMul", {"x", "y"}).Add("q", "MatMul", {"y", "x"});
  g_.Add("a", "Neg", {"p"}).Add("b", "Mul", {"a", "q"});
  g_.Add("c", "AddV2", {"b", "p"}).Add("d", "Sub", {"c", "a"});
  Rng random(7);
  const std::map<std::string, Tensor> feeds = {
      {"x", Numbers({60, 60}, random, DataType::kFloat)},
      {"y", Numbers({60, 60}, random, DataType::kFloat)}};
  const Ran ran = Run(feeds, {"a", "b", "c", "d"});
  EXPECT_TRUE(ran.status.ok()) << ran.status;
  EXPECT_THAT(ran.labels,
              testing::Contains("d = _FusedElementwise[Neg,Mul,AddV2,Sub]()"));
}

TEST_F(RewritingTest, SingleSwitches) {
  g_.Placeholder("x").Const("a", Tensor::Scalar(2.0f));
  g_.Add("b", "Neg", {"a"}).Add("p", "Mul", {"x", "b"});
  g_.Add("q", "Mul", {"x", "b"}).Add("s", "Sub", {"p", "q"});
  const std::map<std::string, Tensor> feeds = {
      {"x", Tensor::Vector<float>({1, 2})}};
  const auto labels = [&](auto&& change) {
    GraphOptions options;
    change(options);
    const Ran ran = RunSession(*SessionOf(g_, options), feeds, {"s"});
    EXPECT_TRUE(ran.status.ok()) << ran.status;
    return ran.labels;
  };
  const auto off = RewriterToggle::kOff;
  EXPECT_THAT(labels([](GraphOptions&) {}),
              ElementsAre("s = _FusedElementwise[Mul,Sub]()"));
  EXPECT_THAT(
      labels([&](GraphOptions& o) { o.rewrite_options.remapping = off; }),
      UnorderedElementsAre("p = Mul()", "s = Sub()"));
  EXPECT_THAT(labels([&](GraphOptions& o) {
                o.rewrite_options.remapping = off;
                o.rewrite_options.common_subgraph_elimination = off;
              }),
              UnorderedElementsAre("p = Mul()", "q = Mul()", "s = Sub()"));
  EXPECT_THAT(
      labels([&](GraphOptions& o) {
        o.rewrite_options.remapping = off;
        o.optimizer_options.opt_level = OptimizerOptions::Level::kL0;
      }),
      UnorderedElementsAre("b = Neg()", "p = Mul()", "q = Mul()", "s = Sub()"));
  EXPECT_THAT(labels([&](GraphOptions& o) {
                o.rewrite_options.optimizers = {"constfold"};
              }),
              UnorderedElementsAre("p = Mul()", "q = Mul()", "s = Sub()"));
}

// An error names the original node, and is the same as without fusion.
TEST_F(RewritingTest, ErrorsNameTheirNodes) {
  const AttrMap ints = {{"T", DataType::kInt32}};
  g_.Placeholder("x", DataType::kInt32).Placeholder("y", DataType::kInt32);
  g_.Add("sum", "AddV2", {"x", "y"}, ints);
  g_.Add("quotient", "FloorDiv", {"x", "sum"}, ints);
  g_.Add("last", "Neg", {"quotient"}, ints);
  const Tensor ones = Tensor::Vector<int32_t>({1, 1});
  Ran ran =
      Run({{"x", ones}, {"y", Tensor::Vector<int32_t>({1, -1})}}, {"last"});
  EXPECT_THAT(ran.status.message(), HasSubstr("Integer division by zero"));
  EXPECT_THAT(ran.status.message(), HasSubstr("{{node quotient}}"));
  ran = Run({{"x", ones}, {"y", Tensor::Vector<int32_t>({1, 2, 3})}}, {"last"});
  EXPECT_THAT(ran.status.message(), HasSubstr("{{node sum}}"));
  // Operands of one element each.
  ran = Run(
      {{"x", Tensor::Scalar<int32_t>(1)}, {"y", Tensor::Scalar<int32_t>(-1)}},
      {"last"});
  EXPECT_THAT(ran.status.message(), HasSubstr("{{node quotient}}"));
}

// A constant that cannot be folded reports its error when it is needed.
TEST_F(RewritingTest, ErrorsOfConstantsAreThoseOfTheRun) {
  const AttrMap ints = {{"T", DataType::kInt32}};
  g_.Const("one", Tensor::Scalar<int32_t>(1));
  g_.Const("zero", Tensor::Scalar<int32_t>(0)).Placeholder("x");
  g_.Add("bad", "FloorDiv", {"one", "zero"}, ints).Add("good", "Neg", {"x"});
  const Ran ran = Run({}, {"bad"});
  EXPECT_THAT(ran.status.message(), HasSubstr("{{node bad}}"));
  EXPECT_TRUE(Run({{"x", Tensor::Scalar(1.0f)}}, {"good"}).status.ok());
}

TEST_F(RewritingTest, ResultsOfOtherTypesAndNoElements) {
  g_.Placeholder("x").Placeholder("y");
  g_.Add("p", "Mul", {"x", "y"}).Add("less", "Less", {"p", "y"});
  g_.Add("not", "LogicalNot", {"less"});
  for (const TensorShape& shape :
       {TensorShape({5000}), TensorShape({0, 3}), TensorShape({1, 1})}) {
    Rng random(9);
    const Ran ran = Run({{"x", Numbers(shape, random, DataType::kFloat)},
                         {"y", Tensor::Scalar(1.5f)}},
                        {"not"});
    EXPECT_THAT(ran.labels,
                ElementsAre("not = _FusedElementwise[Mul,Less,LogicalNot]()"));
    EXPECT_EQ(ran.values[0].shape(), shape);
  }
}

// Only rewriting makes such nodes.
TEST_F(RewritingTest, NoGraphFromOutsideHasFusedNodes) {
  g_.Placeholder("x").Add(
      "y", "_FusedElementwise", {"x"},
      {{"Targs", AttrValue::TypeList({DataType::kFloat})},
       {"Tresults", AttrValue::TypeList({DataType::kFloat})}});
  const Ran ran = RunSession(*SessionOf(g_, GraphOptions()),
                             {{"x", Tensor::Scalar(1.0f)}}, {"y"});
  EXPECT_EQ(ran.status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(ran.status.message(), HasSubstr("graph rewriting only"));
}

}  // namespace
}  // namespace millrace
