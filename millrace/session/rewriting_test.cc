// What rewriting must not change: values, to the bit, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "millrace/base/random.h"
#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/session/local_session.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

struct RewritingTables {
  std::unique_ptr<const OpRegistry> ops;
  KernelTable kernels;
};
const RewritingTables& TablesOfAll() {
  static const RewritingTables* const tables = [] {
    auto ops = OpRegistry::Build(AllOps());
    MR_CHECK(ops.ok(), ops.status().message());
    auto kernels = KernelTable::Build(AllCpuKernels());
    MR_CHECK(kernels.ok(), kernels.status().message());
    return new RewritingTables{*std::move(ops), *std::move(kernels)};
  }();
  return *tables;
}

// A graph in few words; `T` is that of the nodes that have one.
class GraphText {
 public:
  GraphText& Add(const std::string& name, const std::string& op,
                 std::vector<std::string> inputs = {}, AttrMap attrs = {}) {
    const OpDef* schema = TablesOfAll().ops->Find(op);
    MR_CHECK(schema != nullptr, "no op ", op);
    if (schema->FindAttr("T") != nullptr && attrs.Find("T") == nullptr) {
      attrs.Set("T", DataType::kFloat);
    }
    def_.nodes.push_back({name, op, std::move(inputs), "", std::move(attrs)});
    return *this;
  }
  GraphText& Const(const std::string& name, Tensor value) {
    const DataType type = value.dtype();
    return Add(name, "Const", {},
               AttrMap({{"dtype", type}, {"value", std::move(value)}}));
  }
  GraphText& Placeholder(const std::string& name,
                         DataType type = DataType::kFloat) {
    return Add(name, "Placeholder", {}, AttrMap({{"dtype", type}}));
  }
  const GraphDef& def() const { return def_; }

 private:
  GraphDef def_;
};

std::unique_ptr<LocalSession> SessionOf(const GraphText& graph,
                                        const GraphOptions& rewriting) {
  LocalSessionOptions options;
  options.ops = TablesOfAll().ops.get();
  options.kernels = &TablesOfAll().kernels;
  options.config.graph_options = rewriting;
  auto devices = MakeDevices(DeviceOptions(), "localhost", 0);
  MR_CHECK(devices.ok(), devices.status().message());
  options.devices = *std::move(devices);
  auto session = LocalSession::Create(std::move(options));
  MR_CHECK(session.ok(), session.status().message());
  const Status extended = (*session)->Extend(graph.def());
  MR_CHECK(extended.ok(), extended.message());
  return *std::move(session);
}

GraphOptions Off() {
  GraphOptions options;
  options.rewrite_options.disable_meta_optimizer = true;
  return options;
}

struct Ran {
  Status status;
  std::vector<Tensor> values;
  std::vector<std::string> labels;  // of the trace
};

Ran RunSession(LocalSession& session,
               const std::map<std::string, Tensor>& feeds,
               std::vector<std::string> fetches) {
  LocalSession::RunRequest request;
  request.feeds.assign(feeds.begin(), feeds.end());
  request.fetches = std::move(fetches);
  request.options.trace_level = TraceLevel::kFull;
  Ran ran;
  RunMetadata metadata;
  ran.status = session.Run(request, &ran.values, &metadata);
  for (const auto& device : metadata.step_stats.dev_stats) {
    for (const auto& node : device.node_stats) {
      ran.labels.push_back(node.timeline_label);
    }
  }
  return ran;
}

// The same graph with everything on and with everything off.
class RewritingTest : public testing::Test {
 protected:
  Ran Run(const std::map<std::string, Tensor>& feeds,
          const std::vector<std::string>& fetches) {
    Ran plain = RunSession(*SessionOf(g_, Off()), feeds, fetches);
    Ran rewritten = RunSession(*SessionOf(g_, GraphOptions()), feeds, fetches);
    EXPECT_EQ(plain.status, rewritten.status);
    EXPECT_EQ(plain.values.size(), rewritten.values.size());
    for (size_t i = 0; i < plain.values.size(); ++i) {
      EXPECT_TRUE(IdenticalTensors(plain.values[i], rewritten.values[i]))
          << fetches[i] << ": " << plain.values[i].DebugString() << " and "
          << rewritten.values[i].DebugString();
    }
    for (const std::string& label : plain.labels) {
      EXPECT_THAT(label, Not(HasSubstr("_Fused")));
    }
    return rewritten;
  }
  GraphText g_;
};

Tensor Numbers(TensorShape shape, Rng& random, DataType type) {
  Tensor t = Tensor::New(type, std::move(shape));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const double x = static_cast<double>(random.Uniform(2001)) / 250.0 - 4.0;
    if (type == DataType::kDouble) {
      t.mutable_flat<double>()[static_cast<size_t>(i)] = x;
    } else if (type == DataType::kHalf) {
      t.mutable_flat<Half>()[static_cast<size_t>(i)] =
          Half(static_cast<float>(x));
    } else if (type == DataType::kInt32) {
      t.mutable_flat<int32_t>()[static_cast<size_t>(i)] =
          static_cast<int32_t>(x);
    } else {
      t.mutable_flat<float>()[static_cast<size_t>(i)] = static_cast<float>(x);
    }
  }
  return t;
}

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
    // Shapes that fit each other, a row among them; sometimes large.
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
      // Rows are rare: they do not take the way that is fused.
      if (i < 4 || seed % 4 == 0) all.push_back(name);
    }
    const auto pick = [&](const std::vector<std::string>& from) {
      return from[random.Uniform(from.size())];
    };
    for (int i = 0; i < 30; ++i) {
      const std::string name = absl::StrCat("n", i);
      const uint64_t kind = random.Uniform(10);
      // Mostly what was made last, so that there are chains.
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
    if (seed % 3 == 0) feeds["n3"] = Numbers({rows, 7}, random, type);
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
  // Whatever is fetched.
  EXPECT_THAT(Run(feeds, {"r", "s"}).labels,
              ElementsAre("r = _FusedElementwise[Mul,AddV2,Relu]()"));
}

// Of several results each may take over an operand, but none that a later op
// reads.
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

// An error names the node that it is of, and is the same as without fusing.
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
  // Of one element each.
  ran = Run(
      {{"x", Tensor::Scalar<int32_t>(1)}, {"y", Tensor::Scalar<int32_t>(-1)}},
      {"last"});
  EXPECT_THAT(ran.status.message(), HasSubstr("{{node quotient}}"));
}

// A constant that cannot be computed says so when it is needed.
TEST_F(RewritingTest, ErrorsOfConstantsAreThoseOfTheRun) {
  const AttrMap ints = {{"T", DataType::kInt32}};
  g_.Const("one", Tensor::Scalar<int32_t>(1));
  g_.Const("zero", Tensor::Scalar<int32_t>(0)).Placeholder("x");
  g_.Add("bad", "FloorDiv", {"one", "zero"}, ints).Add("good", "Neg", {"x"});
  const Ran ran = Run({}, {"bad"});
  EXPECT_THAT(ran.status.message(), HasSubstr("{{node bad}}"));
  EXPECT_TRUE(Run({{"x", Tensor::Scalar(1.0f)}}, {"good"}).status.ok());
}

TEST_F(RewritingTest, ProductsWithBiases) {
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
      // Other shapes run as they did: a matrix to add, and errors.
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

TEST_F(RewritingTest, SumsOfProducts) {
  Rng random(9);
  for (const DataType type : {DataType::kFloat, DataType::kDouble}) {
    g_ = GraphText();
    std::vector<std::string> products;
    std::map<std::string, Tensor> feeds;
    for (int64_t i = 0; i < 4; ++i) {
      const std::string a = absl::StrCat("a", i), b = absl::StrCat("b", i);
      g_.Placeholder(a, type).Placeholder(b, type);
      // The depth may differ.
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
    // Sums of nothing, and errors, are those of the ops.
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

// Whole numbers, whose products and sums are exact in any order.
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

TEST_F(RewritingTest, SumsOfProductsThatThreadsShare) {
  // By rows, by columns, and by oneDNN where nothing can be cut.
  struct Size {
    int64_t m, n;
  };
  for (const Size size : {Size{256, 512}, Size{40, 2048}, Size{2100, 40},
                          Size{130, 250}, Size{20, 50}}) {
    for (int turned = 0; turned < 4; ++turned) {
      const bool a_turned = turned & 1, b_turned = turned & 2;
      g_ = GraphText();
      std::vector<std::string> products;
      std::map<std::string, Tensor> feeds;
      for (int64_t i = 0; i < 5; ++i) {
        const std::string a = absl::StrCat("a", i), b = absl::StrCat("b", i);
        const int64_t k = 100'000 / size.n + i;
        g_.Placeholder(a, DataType::kFloat).Placeholder(b, DataType::kFloat);
        feeds[a] = Wholes(
            a_turned ? TensorShape({k, size.m}) : TensorShape({size.m, k}),
            DataType::kFloat);
        feeds[b] = Wholes(
            b_turned ? TensorShape({size.n, k}) : TensorShape({k, size.n}),
            DataType::kFloat);
        products.push_back(absl::StrCat("product", i));
        g_.Add(products.back(), "MatMul", {a, b},
               {{"T", DataType::kFloat},
                {"transpose_a", a_turned},
                {"transpose_b", b_turned}});
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

TEST_F(RewritingTest, PartsOfProducts) {
  for (const DataType type :
       {DataType::kHalf, DataType::kFloat, DataType::kDouble}) {
    for (int turned = 0; turned < 4; ++turned) {
      const bool a_turned = turned & 1, b_turned = turned & 2;
      g_ = GraphText();
      g_.Placeholder("a", type).Placeholder("b", type);
      g_.Placeholder("from", DataType::kInt32);
      g_.Placeholder("n", DataType::kInt32);
      g_.Add(
          "product", "MatMul", {"a", "b"},
          {{"T", type}, {"transpose_a", a_turned}, {"transpose_b", b_turned}});
      g_.Add("y", "Slice", {"product", "from", "n"},
             {{"T", type}, {"Index", DataType::kInt32}});
      SCOPED_TRACE(absl::StrCat(DataTypeName(type), " ", turned));
      std::map<std::string, Tensor> feeds = {
          {"a",
           Wholes(a_turned ? TensorShape({6, 5}) : TensorShape({5, 6}), type)},
          {"b",
           Wholes(b_turned ? TensorShape({7, 6}) : TensorShape({6, 7}), type)}};
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
      // Errors are those of the ops.
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
      feeds["a"] =
          Wholes(a_turned ? TensorShape({0, 5}) : TensorShape({5, 0}), type);
      feeds["b"] =
          Wholes(b_turned ? TensorShape({7, 0}) : TensorShape({0, 7}), type);
      feeds["from"] = Tensor::Vector<int32_t>({0, 3});
      feeds["n"] = Tensor::Vector<int32_t>({5, 4});
      EXPECT_TRUE(Run(feeds, {"y"}).status.ok());
    }
  }
}

TEST_F(RewritingTest, ProductsThatAreSplit) {
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
  // Errors are those of the ops.
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

TEST_F(RewritingTest, PartsOfProductsThatShareAFactor) {
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
    EXPECT_THAT(ran.labels,
                testing::Contains(HasSubstr("/turned = _TurnedMatrix()")));
  }
  // What is no matrix is an error of the products.
  feeds["b"] = Wholes({7, 6, 1}, DataType::kFloat);
  const Ran ran = RunSession(*SessionOf(g_, GraphOptions()), feeds, fetches);
  EXPECT_THAT(ran.status.message(), HasSubstr("In[1] is not a matrix"));
}

TEST_F(RewritingTest, ConvolutionsWithBiases) {
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

TEST_F(RewritingTest, PoolsWithTheirGradients) {
  Rng random(11);
  struct Pooling {
    TensorShape x, y;
    int64_t size, stride;
    const char* padding;
  };
  const auto run = [&](const Pooling& p) {
    g_ = GraphText();
    g_.Placeholder("x").Placeholder("dy");
    const AttrMap attrs = {
        {"ksize", AttrValue::IntList({1, p.size, p.size, 1})},
        {"strides", AttrValue::IntList({1, p.stride, p.stride, 1})},
        {"padding", p.padding}};
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
        // More taps than a byte counts.
        Pooling{{1, 20, 20, 2}, {1, 20, 20, 2}, 17, 1, "SAME"},
        Pooling{{0, 4, 4, 2}, {0, 2, 2, 2}, 2, 2, "VALID"}}) {
    const Ran ran = run(p);
    EXPECT_TRUE(ran.status.ok()) << ran.status;
    EXPECT_THAT(ran.labels,
                UnorderedElementsAre("y = _MaxPoolWithTaps[MaxPool]()",
                                     "dx = _MaxPoolGradByTaps[MaxPoolGrad]()"));
  }
  // Errors are those of the ops.
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
