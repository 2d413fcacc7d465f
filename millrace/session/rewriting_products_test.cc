// Products, convolutions and poolings: the properties that rewriting must not
// change.
#include <limits>

#include "millrace/session/testing/rewriting_suite.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class RewritingProductsTest : public RewritingTest {};

TEST_F(RewritingProductsTest, ProductsWithBiases) {
  Rng random(7);
  for (const char* activation :
       {"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"}) {
    for (const char* sum : {"BiasAdd", "AddV2"}) {
      g_ = GraphText();
      g_.Placeholder("a").Placeholder("b").Placeholder("bias");
      g_.Add("product", "MatMul", {"a", "b"});
      g_.Add("sum", sum, {"product", "bias"}).Add("y", activation, {"sum"});
      std::map<std::string, Tensor> feeds = {
          {"a", Numbers({5, 4}, random, DataType::kFloat)},
          {"b", Numbers({4, 3}, random, DataType::kFloat)},
          {"bias", Numbers({3}, random, DataType::kFloat)}};
      SCOPED_TRACE(absl::StrCat(sum, ", ", activation));
      EXPECT_THAT(Run(feeds, {"y"}).labels,
                  ElementsAre(absl::StrCat("y = _FusedMatMul[MatMul,", sum, ",",
                                           activation, "]()")));
      // Other shapes run as before: a matrix to add, and errors.
      feeds["bias"] = Numbers({5, 3}, random, DataType::kFloat);
      EXPECT_EQ(Run(feeds, {"y"}).status.ok(), sum == std::string("AddV2"));
      feeds["bias"] = Numbers({4}, random, DataType::kFloat);
      EXPECT_THAT(Run(feeds, {"y"}).status.message(),
                  HasSubstr("{{node sum}}"));
      feeds["b"] = Numbers({3, 3}, random, DataType::kFloat);
      EXPECT_THAT(Run(feeds, {"y"}).status.message(),
                  HasSubstr("{{node product}}"));
    }
  }
}

TEST_F(RewritingProductsTest, SumsOfProducts) {
  Rng random(9);
  for (const DataType type : {DataType::kFloat, DataType::kDouble}) {
    g_ = GraphText();
    std::vector<std::string> products;
    std::map<std::string, Tensor> feeds;
    for (int64_t i = 0; i < 4; ++i) {
      const std::string a = absl::StrCat("a", i), b = absl::StrCat("b", i);
      g_.Placeholder(a, type).Placeholder(b, type);
      // The inner dimension may differ.
      feeds[a] = Numbers({2 + i, 5}, random, type);
      feeds[b] = Numbers({2 + i, 3}, random, type);
      products.push_back(absl::StrCat("product", i));
      g_.Add(products.back(), "MatMul", {a, b},
             {{"T", type}, {"transpose_a", true}});
    }
    g_.Add("y", "AddN", products, {{"T", type}, {"N", int64_t{4}}});
    SCOPED_TRACE(DataTypeName(type));
    EXPECT_THAT(
        Run(feeds, {"y"}).labels,
        ElementsAre("y = _SumOfProducts[MatMul,MatMul,MatMul,MatMul,AddN]()"));
    // Sums of no products, and errors, are those of the original ops.
    feeds["a1"] = Numbers({0, 5}, random, type);
    feeds["b1"] = Numbers({0, 3}, random, type);
    EXPECT_TRUE(Run(feeds, {"y"}).status.ok());
    feeds["a1"] = Numbers({4, 5}, random, type);
    EXPECT_THAT(Run(feeds, {"y"}).status.message(),
                HasSubstr("{{node product1}}"));
    feeds["b1"] = Numbers({4, 2}, random, type);
    EXPECT_THAT(Run(feeds, {"y"}).status.message(), HasSubstr("{{node y}}"));
  }
}

// Returns integers, whose products and sums are exact in any order.
Tensor Wholes(const TensorShape& shape, DataType type) {
  Tensor t = Tensor::New(type, shape);
  for (size_t i = 0; i < static_cast<size_t>(shape.num_elements()); ++i) {
    const auto x = static_cast<float>(i * 5 % 7) - 3;
    if (type == DataType::kHalf) {
      t.mutable_flat<Half>()[i] = Half(x);
    } else if (type == DataType::kDouble) {
      t.mutable_flat<double>()[i] = x;
    } else {
      t.mutable_flat<float>()[i] = x;
    }
  }
  return t;
}

TEST_F(RewritingProductsTest, SumsOfProductsThatThreadsShare) {
  // By rows, by columns, and by oneDNN where the product cannot be split.
  struct Size {
    int64_t m, n;
  };
  for (const Size size : {Size{256, 512}, Size{40, 2048}, Size{2100, 40},
                          Size{130, 250}, Size{20, 50}}) {
    for (int turned = 0; turned < 4; ++turned) {
      const bool a_transposed = turned & 1, b_transposed = turned & 2;
      g_ = GraphText();
      std::vector<std::string> products;
      std::map<std::string, Tensor> feeds;
      for (int64_t i = 0; i < 5; ++i) {
        const std::string a = absl::StrCat("a", i), b = absl::StrCat("b", i);
        const int64_t k = 100'000 / size.n + i;
        g_.Placeholder(a, DataType::kFloat).Placeholder(b, DataType::kFloat);
        feeds[a] = Wholes(
            a_transposed ? TensorShape({k, size.m}) : TensorShape({size.m, k}),
            DataType::kFloat);
        feeds[b] = Wholes(
            b_transposed ? TensorShape({size.n, k}) : TensorShape({k, size.n}),
            DataType::kFloat);
        products.push_back(absl::StrCat("product", i));
        g_.Add(products.back(), "MatMul", {a, b},
               {{"T", DataType::kFloat},
                {"transpose_a", a_transposed},
                {"transpose_b", b_transposed}});
      }
      g_.Add("y", "AddN", products,
             {{"T", DataType::kFloat}, {"N", int64_t{5}}});
      SCOPED_TRACE(absl::StrCat(size.m, " x ", size.n, " ", turned));
      const Ran ran = Run(feeds, {"y"});
      EXPECT_TRUE(ran.status.ok()) << ran.status;
      EXPECT_THAT(ran.labels,
                  ElementsAre("y = _SumOfProducts[MatMul,MatMul,MatMul,MatMul,"
                              "MatMul,AddN]()"));
    }
  }
}

TEST_F(RewritingProductsTest, PartsOfProducts) {
  for (const DataType type :
       {DataType::kHalf, DataType::kFloat, DataType::kDouble}) {
    for (int turned = 0; turned < 4; ++turned) {
      const bool a_transposed = turned & 1, b_transposed = turned & 2;
      g_ = GraphText();
      g_.Placeholder("a", type).Placeholder("b", type);
      g_.Placeholder("from", DataType::kInt32);
      g_.Placeholder("n", DataType::kInt32);
      g_.Add("product", "MatMul", {"a", "b"},
             {{"T", type},
              {"transpose_a", a_transposed},
              {"transpose_b", b_transposed}});
      g_.Add("y", "Slice", {"product", "from", "n"},
             {{"T", type}, {"Index", DataType::kInt32}});
      SCOPED_TRACE(absl::StrCat(DataTypeName(type), " ", turned));
      std::map<std::string, Tensor> feeds = {
          {"a", Wholes(a_transposed ? TensorShape({6, 5}) : TensorShape({5, 6}),
                       type)},
          {"b", Wholes(b_transposed ? TensorShape({7, 6}) : TensorShape({6, 7}),
                       type)}};
      struct Part {
        std::vector<int32_t> from, n;
      };
      const Part parts[] = {{{0, 0}, {-1, -1}}, {{0, 0}, {5, 7}},
                            {{0, 3}, {5, 4}},   {{2, 0}, {3, 7}},
                            {{1, 2}, {-1, 3}},  {{4, 6}, {1, 1}},
                            {{5, 0}, {0, 7}},   {{0, 7}, {5, -1}}};
      for (const Part& part : parts) {
        feeds["from"] = Tensor::Vector<int32_t>(absl::MakeConstSpan(part.from));
        feeds["n"] = Tensor::Vector<int32_t>(absl::MakeConstSpan(part.n));
        const Ran ran = Run(feeds, {"y"});
        EXPECT_TRUE(ran.status.ok()) << ran.status;
        EXPECT_THAT(ran.labels,
                    ElementsAre("y = _SlicedProduct[MatMul,Slice]()"));
      }
      // Errors are those of the original ops.
      for (const Part& part : {Part{{0, 3}, {5, 5}}, Part{{6, 0}, {1, 1}},
                               Part{{0, -1}, {1, 1}}, Part{{0}, {1}}}) {
        feeds["from"] = Tensor::Vector<int32_t>(absl::MakeConstSpan(part.from));
        feeds["n"] = Tensor::Vector<int32_t>(absl::MakeConstSpan(part.n));
        EXPECT_THAT(Run(feeds, {"y"}).status.message(),
                    HasSubstr("{{node y}}"));
      }
      feeds["a"] = Wholes({4, 4}, type);
      EXPECT_THAT(Run(feeds, {"y"}).status.message(),
                  HasSubstr("{{node product}}"));
      // No products to add up.
      feeds["a"] = Wholes(
          a_transposed ? TensorShape({0, 5}) : TensorShape({5, 0}), type);
      feeds["b"] = Wholes(
          b_transposed ? TensorShape({7, 0}) : TensorShape({0, 7}), type);
      feeds["from"] = Tensor::Vector<int32_t>({0, 3});
      feeds["n"] = Tensor::Vector<int32_t>({5, 4});
      EXPECT_TRUE(Run(feeds, {"y"}).status.ok());
    }
  }
}

TEST_F(RewritingProductsTest, ProductsThatAreSplit) {
  Rng random(10);
  g_.Placeholder("a").Placeholder("b").Placeholder("bias");
  g_.Placeholder("dim", DataType::kInt32);
  g_.Add("product", "MatMul", {"a", "b"})
      .Add("sum", "BiasAdd", {"product", "bias"});
  g_.Add("y", "Split", {"dim", "sum"}, {{"num_split", int64_t{3}}});
  const std::vector<std::string> fetches = {"y:0", "y:1", "y:2"};
  std::map<std::string, Tensor> feeds;
  const auto feed = [&](int64_t m, int64_t k, int64_t n, int32_t dim) {
    feeds["a"] = Numbers({m, k}, random, DataType::kFloat);
    feeds["b"] = Numbers({k, n}, random, DataType::kFloat);
    feeds["bias"] = Numbers({n}, random, DataType::kFloat);
    feeds["dim"] = Tensor::Scalar<int32_t>(dim);
  };
  for (const int32_t dim : {1, -1, 0, -2}) {
    feed(6, 5, 9, dim);
    const Ran ran = Run(feeds, fetches);
    EXPECT_TRUE(ran.status.ok()) << ran.status;
    EXPECT_THAT(ran.labels,
                ElementsAre("y = _SplitProduct[MatMul,BiasAdd,Split]()"));
  }
  for (const auto& [m, k, n] : {std::tuple{64, 32, 384}, std::tuple{0, 5, 9},
                                std::tuple{3, 0, 9}, std::tuple{3, 5, 0}}) {
    feed(m, k, n, 1);
    EXPECT_TRUE(Run(feeds, fetches).status.ok());
  }
  // Errors are those of the original ops.
  feed(6, 5, 8, 1);
  EXPECT_THAT(Run(feeds, fetches).status.message(), HasSubstr("{{node y}}"));
  feed(6, 5, 9, 2);
  EXPECT_THAT(Run(feeds, fetches).status.message(), HasSubstr("{{node y}}"));
  feed(6, 5, 9, 1);
  feeds["bias"] = Numbers({3}, random, DataType::kFloat);
  EXPECT_THAT(Run(feeds, fetches).status.message(), HasSubstr("{{node sum}}"));
  feeds["a"] = Numbers({6, 4}, random, DataType::kFloat);
  EXPECT_THAT(Run(feeds, fetches).status.message(),
              HasSubstr("{{node product}}"));
}

TEST_F(RewritingProductsTest, PartsOfProductsThatShareAFactor) {
  g_.Placeholder("b").Placeholder("from", DataType::kInt32);
  g_.Placeholder("n", DataType::kInt32);
  std::map<std::string, Tensor> feeds = {
      {"b", Wholes({7, 6}, DataType::kFloat)}};
  std::vector<std::string> fetches;
  for (int i = 0; i < 4; ++i) {
    const std::string a = absl::StrCat("a", i);
    g_.Placeholder(a);
    feeds[a] = Wholes({3 + i, 6}, DataType::kFloat);
    g_.Add(a + "_b", "MatMul", {a, "b"}, {{"transpose_b", true}});
    g_.Add(a + "_part", "Slice", {a + "_b", "from", "n"},
           {{"Index", DataType::kInt32}});
    fetches.push_back(a + "_part");
  }
  for (const auto& [from, n] :
       {std::pair{0, 7}, std::pair{0, 3}, std::pair{3, 4}, std::pair{6, 1}}) {
    feeds["from"] = Tensor::Vector<int32_t>({1, from});
    feeds["n"] = Tensor::Vector<int32_t>({2, n});
    const Ran ran = Run(feeds, fetches);
    EXPECT_TRUE(ran.status.ok()) << ran.status;
    EXPECT_THAT(
        ran.labels,
        testing::Contains(HasSubstr("/transposed = _TransposedMatrix()")));
  }
  // An operand that is not a matrix is an error of the products.
  feeds["b"] = Wholes({7, 6, 1}, DataType::kFloat);
  const Ran ran = RunSession(*SessionOf(g_, GraphOptions()), feeds, fetches);
  EXPECT_THAT(ran.status.message(),
              HasSubstr("In[0] and In[1] has different ndims"));
}

TEST_F(RewritingProductsTest, ConvolutionsWithBiases) {
  Rng random(8);
  g_.Placeholder("x").Placeholder("w").Placeholder("bias");
  g_.Add("c", "Conv2D", {"x", "w"},
         {{"strides", AttrValue::IntList({1, 1, 1, 1})}, {"padding", "SAME"}});
  g_.Add("sum", "BiasAdd", {"c", "bias"}).Add("y", "Relu", {"sum"});
  std::map<std::string, Tensor> feeds = {
      {"x", Numbers({2, 5, 5, 3}, random, DataType::kFloat)},
      {"w", Numbers({3, 3, 3, 4}, random, DataType::kFloat)},
      {"bias", Numbers({4}, random, DataType::kFloat)}};
  EXPECT_THAT(Run(feeds, {"y"}).labels,
              ElementsAre("y = _FusedConv2D[Conv2D,BiasAdd,Relu]()"));
  feeds["bias"] = Numbers({3}, random, DataType::kFloat);
  EXPECT_THAT(Run(feeds, {"y"}).status.message(), HasSubstr("{{node sum}}"));
  feeds["w"] = Numbers({3, 3, 2, 4}, random, DataType::kFloat);
  EXPECT_THAT(Run(feeds, {"y"}).status.message(), HasSubstr("{{node c}}"));
}

TEST_F(RewritingProductsTest, DoublesHaveTheActivationsOfTheOps) {
  Rng random(8);
  for (const char* activation : {"Elu", "LeakyRelu", "Tanh", "Sigmoid"}) {
    const AttrMap doubles = {{"T", DataType::kDouble}};
    g_ = GraphText();
    for (const char* name : {"x", "w", "bias"})
      g_.Placeholder(name, DataType::kDouble);
    g_.Add("c", "Conv2D", {"x", "w"},
           {{"T", DataType::kDouble},
            {"strides", AttrValue::IntList({1, 1, 1, 1})},
            {"padding", "SAME"}});
    g_.Add("sum", "BiasAdd", {"c", "bias"}, doubles);
    g_.Add("y", activation, {"sum"}, doubles);
    SCOPED_TRACE(activation);
    Run({{"x", Numbers({2, 20, 20, 1}, random, DataType::kDouble)},
         {"w", Numbers({1, 1, 1, 1}, random, DataType::kDouble)},
         {"bias", Numbers({1}, random, DataType::kDouble)}},
        {"y"});
  }
}

// Product and sum are exact, so that only the activation rounds.
TEST_F(RewritingProductsTest, TheSlopeHasTheTypeOfTheElements) {
  Rng random(8);
  for (const DataType type : {DataType::kHalf, DataType::kFloat}) {
    for (const float alpha : {0.2f, 0.f, 1.7f}) {
      g_ = GraphText();
      for (const char* name : {"a", "b", "bias"}) g_.Placeholder(name, type);
      g_.Add("product", "MatMul", {"a", "b"}, {{"T", type}});
      g_.Add("sum", "BiasAdd", {"product", "bias"}, {{"T", type}});
      g_.Add("y", "LeakyRelu", {"sum"}, {{"T", type}, {"alpha", alpha}});
      Tensor a = Numbers({200, 1}, random, type);
      Tensor b = Tensor::New(type, {1, 1});
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      if (type == DataType::kHalf) {
        a.mutable_flat<Half>()[0] = Half(kInfinity);
        a.mutable_flat<Half>()[1] = Half(-kInfinity);
        b.mutable_flat<Half>()[0] = Half(-1.f);
      } else {
        a.mutable_flat<float>()[0] = kInfinity;
        a.mutable_flat<float>()[1] = -kInfinity;
        b.mutable_flat<float>()[0] = -1;
      }
      SCOPED_TRACE(absl::StrCat(DataTypeName(type), ", ", alpha));
      EXPECT_THAT(
          Run({{"a", a}, {"b", b}, {"bias", Tensor::Zeros(type, {1})}}, {"y"})
              .labels,
          ElementsAre("y = _FusedMatMul[MatMul,BiasAdd,LeakyRelu]()"));
    }
  }
}

TEST_F(RewritingProductsTest, PoolsWithTheirGradients) {
  Rng random(11);
  struct Pooling {
    TensorShape x, y;
    int64_t size, stride;
    const char* padding;
  };
  const auto run = [&](const Pooling& p) {
    g_ = GraphText();
    g_.Placeholder("x").Placeholder("dy");
    AttrMap attrs = {
        {"ksize", AttrValue::IntList({1, p.size, p.size, 1})},
        {"strides", AttrValue::IntList({1, p.stride, p.stride, 1})},
        {"padding", p.padding}};
    if (p.padding == std::string("EXPLICIT")) {
      attrs.Set("explicit_paddings",
                AttrValue::IntList({0, 0, 1, 1, 1, 1, 0, 0}));
    }
    g_.Add("y", "MaxPool", {"x"}, attrs);
    g_.Add("dx", "MaxPoolGrad", {"x", "y", "dy"}, attrs);
    Tensor x = Numbers(p.x, random, DataType::kFloat);
    for (const float value : {std::numeric_limits<float>::quiet_NaN(),
                              -std::numeric_limits<float>::infinity()}) {
      for (int64_t i = 0; i < x.num_elements() / 9; ++i) {
        x.mutable_flat<float>()[random.Uniform(
            static_cast<uint64_t>(x.num_elements()))] = value;
      }
    }
    return Run({{"x", x}, {"dy", Numbers(p.y, random, DataType::kFloat)}},
               {"y", "dx"});
  };
  for (const Pooling& p :
       {Pooling{{2, 7, 9, 37}, {2, 4, 5, 37}, 3, 2, "SAME"},
        Pooling{{1, 9, 8, 3}, {1, 7, 6, 3}, 3, 1, "VALID"},
        Pooling{{1, 7, 7, 2}, {1, 2, 2, 2}, 2, 5, "VALID"},
        // More argmax offsets than a byte can count.
        Pooling{{1, 20, 20, 2}, {1, 20, 20, 2}, 17, 1, "SAME"},
        Pooling{{0, 4, 4, 2}, {0, 2, 2, 2}, 2, 2, "VALID"},
        // Windows that cover nothing.
        Pooling{{1, 0, 5, 3}, {1, 1, 6, 3}, 2, 1, "EXPLICIT"},
        Pooling{{1, 5, 0, 3}, {1, 6, 1, 3}, 2, 1, "EXPLICIT"}}) {
    const Ran ran = run(p);
    EXPECT_TRUE(ran.status.ok()) << ran.status;
    EXPECT_THAT(ran.labels, UnorderedElementsAre(
                                "y = _MaxPoolWithOffsets[MaxPool]()",
                                "dx = _MaxPoolGradByOffsets[MaxPoolGrad]()"));
  }
  // Errors are those of the original ops.
  const auto error = [&](const Pooling& p) {
    return std::string(run(p).status.message());
  };
  EXPECT_THAT(error({{1, 4, 4, 2}, {1, 2, 2, 3}, 2, 2, "VALID"}),
              HasSubstr("{{node dx}}"));
  EXPECT_THAT(error({{0, 4, 4, 2}, {1, 2, 2, 2}, 2, 2, "VALID"}),
              HasSubstr("{{node dx}}"));
  EXPECT_THAT(error({{4, 4, 2}, {2, 2, 2}, 2, 2, "VALID"}),
              HasSubstr("{{node y}}"));
}

}  // namespace
}  // namespace millrace
