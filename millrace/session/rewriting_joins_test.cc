// Elementwise ops and the ConcatV2 that joins their results run as one.
#include "absl/strings/str_cat.h"
#include "millrace/session/rewriting_suite.h"

namespace millrace {
namespace {

using testing::Contains;
using testing::HasSubstr;

Tensor Axis(int32_t axis) { return Tensor::Scalar(axis); }

class RewritingJoinsTest : public RewritingTest {
 protected:
  RewritingJoinsTest() {
    g_.Const("first", Axis(0)).Const("last", Axis(-1));
    g_.Placeholder("x").Placeholder("y");
  }
  void Join(const std::string& name, std::vector<std::string> inputs,
            DataType type = DataType::kFloat) {
    const auto n = static_cast<int64_t>(inputs.size()) - 1;
    g_.Add(name, "ConcatV2", std::move(inputs),
           AttrMap({{"N", n}, {"T", type}}));
  }
  Rng random_{5};
};

// The step of a recurrent network: what it hands on goes beside the next input.
TEST_F(RewritingJoinsTest, ResultsBesideATensor) {
  g_.Add("t", "Tanh", {"x"}).Add("h", "Mul", {"t", "x"});
  Join("next", {"y", "h", "last"});
  const std::map<std::string, Tensor> feeds = {
      {"x", Numbers({65, 130}, random_, DataType::kFloat)},
      {"y", Numbers({65, 41}, random_, DataType::kFloat)}};
  const Ran ran = Run(feeds, {"next"});
  EXPECT_TRUE(ran.status.ok()) << ran.status;
  EXPECT_THAT(ran.labels,
              Contains("next = _FusedElementwise[Tanh,Mul,ConcatV2]()"));
}

TEST_F(RewritingJoinsTest, RandomGraphsGiveTheSameBits) {
  int fused = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng random(seed);
    const DataType type = seed % 5 == 0   ? DataType::kHalf
                          : seed % 5 == 1 ? DataType::kDouble
                                          : DataType::kFloat;
    const AttrMap typed = {{"T", type}};
    const int64_t rows =
        seed % 3 == 0 ? 900 : 1 + static_cast<int64_t>(random.Uniform(5));
    const int64_t columns = 1 + static_cast<int64_t>(random.Uniform(20));
    g_ = GraphText();
    std::map<std::string, Tensor> feeds;
    std::vector<std::string> whole, fetches;
    for (int i = 0; i < 3; ++i) {
      const std::string name = absl::StrCat("x", i);
      g_.Placeholder(name, type);
      feeds[name] = Numbers({rows, columns}, random, type);
      // Nobody but the graph has these, so that others take their memory over.
      g_.Placeholder(name + "w", type);
      feeds[name + "w"] = Numbers({columns, columns}, random, type);
      g_.Add(name + "p", "MatMul", {name, name + "w"}, typed);
      whole.push_back(name + "p");
    }
    for (int axis = -2; axis < 2; ++axis) {
      g_.Const(absl::StrCat("axis", axis), Axis(axis));
    }
    const auto pick = [&] { return whole[random.Uniform(whole.size())]; };
    for (int i = 0; i < 24; ++i) {
      const std::string name = absl::StrCat("n", i);
      if (i % 4 != 3) {
        const std::string x = random.Uniform(2) != 0 ? whole.back() : pick();
        random.Uniform(2) != 0
            ? g_.Add(name, "Tanh", {x}, typed)
            : g_.Add(name, i % 2 != 0 ? "Mul" : "AddV2", {x, pick()}, typed);
        whole.push_back(name);
        continue;
      }
      std::vector<std::string> parts;
      for (uint64_t n = 2 + random.Uniform(3); n > 0; --n) {
        parts.push_back(random.Uniform(3) == 0 ? pick() : whole.back());
      }
      const auto axis = static_cast<int>(random.Uniform(4)) - 2;
      parts.push_back(absl::StrCat("axis", axis));
      Join(name, parts, type);
      fetches.push_back(name);
      if (random.Uniform(2) == 0) {
        g_.Add(name + "r", "Neg", {name}, typed);
        g_.Add(name + "s", "Mul", {name + "r", name}, typed);
        fetches.push_back(name + "s");
      }
    }
    fetches.push_back(whole.back());
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const Ran ran = Run(feeds, fetches);
    EXPECT_TRUE(ran.status.ok()) << ran.status;
    for (const std::string& label : ran.labels) {
      fused += label.find(",ConcatV2") != label.npos;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(fused, 50);
}

// The sum may lie where a part of the join was.
TEST_F(RewritingJoinsTest, PartsThatAreTakenOver) {
  g_.Add("p", "MatMul", {"x", "y"}).Add("q", "MatMul", {"y", "x"});
  g_.Add("a", "Neg", {"q"});
  Join("joined", {"a", "p", "first"});
  g_.Add("sum", "AddV2", {"p", "a"});
  const std::map<std::string, Tensor> feeds = {
      {"x", Numbers({200, 200}, random_, DataType::kFloat)},
      {"y", Numbers({200, 200}, random_, DataType::kFloat)}};
  const Ran ran = Run(feeds, {"joined", "sum"});
  EXPECT_TRUE(ran.status.ok()) << ran.status;
  EXPECT_THAT(ran.labels,
              Contains("sum = _FusedElementwise[Neg,ConcatV2,AddV2]()"));
}

// Shapes are known when a step runs; what does not fit runs by its own kernel.
TEST_F(RewritingJoinsTest, OtherShapesAndErrors) {
  g_.Placeholder("axis", DataType::kInt32);
  g_.Add("t", "Tanh", {"x"}).Add("h", "Mul", {"t", "x"});
  Join("joined", {"h", "y", "axis"});
  const auto run = [&](TensorShape x, TensorShape y, Tensor axis) {
    return Run({{"x", Numbers(std::move(x), random_, DataType::kFloat)},
                {"y", Numbers(std::move(y), random_, DataType::kFloat)},
                {"axis", std::move(axis)}},
               {"joined"});
  };
  for (const auto& [x, y, axis] :
       std::vector<std::tuple<TensorShape, TensorShape, int>>{
           {{2, 3}, {2, 3}, 0},
           {{2, 3}, {2, 5}, 1},
           {{2, 3, 4}, {2, 1, 4}, -2},
           {{1, 1}, {1, 3}, 1},  // one element
           {{0, 3}, {2, 3}, 0},  // nothing
           {{2, 3}, {2, 0}, 1},  // nothing beside it
           {{2}, {3000}, 0},     // much beside it
           {{3000}, {2}, 0}}) {
    const Ran ran = run(x, y, Axis(axis));
    EXPECT_TRUE(ran.status.ok()) << ran.status;
  }
  EXPECT_EQ(run({2, 3}, {2, 3}, Tensor::Vector<int32_t>({1})).status,
            OkStatus());
  for (const auto& [x, y, axis] :
       std::vector<std::tuple<TensorShape, TensorShape, Tensor>>{
           {{2, 3}, {3, 3}, Axis(1)},
           {{2, 3}, {2, 3, 1}, Axis(1)},
           {{2, 3}, {2, 3}, Axis(2)},
           {{2, 3}, {2, 3}, Axis(-3)},
           {{2, 3}, {2, 3}, Axis(INT32_MIN)},
           {{2, 3}, {2, 3}, Tensor::Vector<int32_t>({0, 1})},
           {{}, {}, Axis(0)}}) {
    const Ran ran = run(x, y, axis);
    EXPECT_EQ(ran.status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(ran.status.message()), HasSubstr("joined"));
  }
}

// What reads a join of its own group waits until all of it is there.
TEST_F(RewritingJoinsTest, ReadersOfAJoin) {
  g_.Add("p", "MatMul", {"x", "y"});
  g_.Add("a", "Tanh", {"p"}).Add("b", "Neg", {"p"});
  Join("joined", {"a", "b", "last"});
  g_.Add("c", "Tanh", {"joined"}).Add("d", "Mul", {"c", "joined"});
  Join("again", {"joined", "d", "first"});
  const std::map<std::string, Tensor> feeds = {
      {"x", Numbers({90, 60}, random_, DataType::kFloat)},
      {"y", Numbers({60, 90}, random_, DataType::kFloat)}};
  const Ran ran = Run(feeds, {"again", "b"});
  EXPECT_TRUE(ran.status.ok()) << ran.status;
}

}  // namespace
}  // namespace millrace
