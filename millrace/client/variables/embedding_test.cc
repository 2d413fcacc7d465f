#include "millrace/client/variables/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables/partitioned_variable.h"

namespace millrace {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

constexpr int64_t kRows = 7;
constexpr int64_t kColumns = 2;

// Row i is {i, -10 i}, whatever the parts and the strategy.
struct Param {
  int parts;
  bool use_resource;
  ops::PartitionStrategy strategy;
};

class Embedding : public testing::TestWithParam<Param> {
 protected:
  void SetUp() override {
    const int64_t n = GetParam().parts;
    int64_t begin = 0;
    for (int64_t p = 0; p < n; ++p) {
      const int64_t rows = kRows / n + (p < kRows % n ? 1 : 0);
      Tensor values =
          Tensor::New(DataType::kFloat, TensorShape({rows, kColumns}));
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t id = GetParam().strategy == ops::PartitionStrategy::kDiv
                               ? begin + r
                               : r * n + p;
        values.mutable_flat<float>()[static_cast<size_t>(r * kColumns)] =
            static_cast<float>(id);
        values.mutable_flat<float>()[static_cast<size_t>(r * kColumns + 1)] =
            static_cast<float>(-10 * id);
      }
      begin += rows;
      parts_.emplace_back(
          s_.WithOpName(absl::StrCat("part", p)), values,
          ops::VariableOptions{.use_resource = GetParam().use_resource});
    }
  }
  StatusOr<Tensor> Run(const Output& output) {
    EXPECT_TRUE(s_.ok()) << s_.status();
    Session session(s_);
    MR_RETURN_IF_ERROR(
        session.RunTargets({ops::GlobalVariablesInitializer(s_)}));
    MR_ASSIGN_OR_RETURN(auto out, session.Run({output}));
    return out[0];
  }
  std::vector<float> Values(const Output& output) {
    const auto out = Run(output);
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return {};
    const auto flat = out->flat<float>();
    return {flat.begin(), flat.end()};
  }
  const Scope s_ = Scope::NewRoot();
  std::vector<ops::Variable> parts_;
};
INSTANTIATE_TEST_SUITE_P(
    All, Embedding,
    testing::Values(Param{1, false, ops::PartitionStrategy::kMod},
                    Param{1, true, ops::PartitionStrategy::kDiv},
                    Param{2, false, ops::PartitionStrategy::kDiv},
                    Param{2, true, ops::PartitionStrategy::kMod},
                    Param{3, false, ops::PartitionStrategy::kMod},
                    Param{3, true, ops::PartitionStrategy::kDiv},
                    Param{7, true, ops::PartitionStrategy::kDiv}));

TEST_P(Embedding, FindsRows) {
  const Output rows = ops::EmbeddingLookup(s_, parts_, {{6, 0, 3}, {3, 5, 4}},
                                           {.strategy = GetParam().strategy});
  ASSERT_TRUE(rows) << s_.status();
  EXPECT_EQ(rows.shape(), PartialShape({2, 3, kColumns}));
  EXPECT_THAT(Values(rows), testing::ElementsAre(6, -60, 0, 0, 3, -30, 3, -30,
                                                 5, -50, 4, -40));
  const Output none = ops::EmbeddingLookup(
      s_, parts_, Tensor::New(DataType::kInt64, TensorShape({0})),
      {.strategy = GetParam().strategy});
  const auto empty = Run(none);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->shape(), TensorShape({0, kColumns}));
}

TEST_P(Embedding, AllRows) {
  std::vector<int64_t> ids;
  std::vector<float> expected;
  for (int64_t i = 0; i < kRows; ++i) {
    ids.push_back(i);
    expected.push_back(static_cast<float>(i));
    expected.push_back(static_cast<float>(-10 * i));
  }
  EXPECT_EQ(Values(ops::EmbeddingLookup(s_, parts_, ids,
                                        {.strategy = GetParam().strategy})),
            expected);
}

TEST_P(Embedding, RowsOutsideAreErrors) {
  for (const int64_t bad : {int64_t{-1}, kRows * 2}) {
    const auto out =
        Run(ops::EmbeddingLookup(s_, parts_, Tensor::Vector<int64_t>({1, bad}),
                                 {.strategy = GetParam().strategy}));
    EXPECT_EQ(out.status().code(), StatusCode::kInvalidArgument)
        << bad << ": " << out.status();
  }
}

TEST_P(Embedding, TheNormIsCut) {
  const Output rows = ops::EmbeddingLookup(
      s_, parts_, {0, 1, 3}, {.strategy = GetParam().strategy, .max_norm = 2});
  const float norm = std::sqrt(101.0f);
  const std::vector<float> expected = {0,          0,        2 / norm,
                                       -20 / norm, 2 / norm, -20 / norm};
  EXPECT_THAT(Values(rows), Pointwise(FloatNear(1e-5f), expected));
}

TEST_P(Embedding, GradientsAreRowsOfEachPart) {
  const Output rows = ops::EmbeddingLookup(s_, parts_, {6, 1, 6},
                                           {.strategy = GetParam().strategy});
  const Output factors =
      ops::Const(s_, {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  const Output y = ops::Sum(s_, ops::Mul(s_, rows, factors), {0, 1});
  std::vector<Output> handles;
  for (const ops::Variable& part : parts_) handles.push_back(part.handle());
  const auto gradients = ops::Gradients(s_, {y}, handles);
  ASSERT_TRUE(s_.ok()) << s_.status();
  std::vector<Output> dense;
  for (size_t p = 0; p < parts_.size(); ++p) {
    ASSERT_TRUE(gradients[p].is_slices());
    dense.push_back(ops::Reshape(
        s_,
        ops::Sum(s_, ops::Mul(s_, ops::ToTensor(s_, gradients[p]), parts_[p]),
                 {0, 1}),
        {1}));
  }
  // <gradient, table> equals y, since y is linear in the table.
  EXPECT_THAT(Values(ops::Sum(s_, ops::Pack(s_, dense), {0})),
              testing::ElementsAre(6 * (1 - 20) + (3 - 40) + 6 * (5 - 60)));
}

TEST_P(Embedding, SparseSums) {
  // Examples {2, 5, 2}, {}, {1}.
  const ops::SparseIds ids = {
      ops::Const(s_, Tensor::Vector<int64_t>({0, 0, 0, 1, 0, 2, 2, 0})),
      ops::Const(s_, Tensor::Vector<int64_t>({2, 5, 2, 1})),
      ops::Const(s_, Tensor::Vector<int64_t>({3, 3}))};
  ops::SparseIds sparse = ids;
  sparse.indices = ops::Reshape(s_, ids.indices, {4, 2});
  const Output weights = ops::Const(s_, {1.0f, 2.0f, 3.0f, 0.5f});
  const auto first_column = [&](ops::EmbeddingCombiner combiner,
                                const Output& w) {
    const std::vector<float> all = Values(ops::EmbeddingLookupSparse(
        s_, parts_, sparse,
        {.weights = w, .combiner = combiner, .strategy = GetParam().strategy}));
    std::vector<float> column;
    for (size_t i = 0; i < all.size(); i += 2) {
      EXPECT_FLOAT_EQ(all[i + 1], -10 * all[i]);
      column.push_back(all[i]);
    }
    return column;
  };
  const auto near = FloatNear(1e-5f);
  EXPECT_THAT(first_column(ops::EmbeddingCombiner::kSum, {}),
              Pointwise(near, {9.0f, 0.0f, 1.0f}));
  EXPECT_THAT(first_column(ops::EmbeddingCombiner::kMean, {}),
              Pointwise(near, {3.0f, 0.0f, 1.0f}));
  EXPECT_THAT(first_column(ops::EmbeddingCombiner::kSqrtN, {}),
              Pointwise(near, {9 / std::sqrt(3.0f), 0.0f, 1.0f}));
  EXPECT_THAT(first_column(ops::EmbeddingCombiner::kSum, weights),
              Pointwise(near, {18.0f, 0.0f, 0.5f}));
  EXPECT_THAT(first_column(ops::EmbeddingCombiner::kMean, weights),
              Pointwise(near, {3.0f, 0.0f, 1.0f}));
  EXPECT_THAT(first_column(ops::EmbeddingCombiner::kSqrtN, weights),
              Pointwise(near, {18 / std::sqrt(14.0f), 0.0f, 1.0f}));
}

TEST(EmbeddingErrors, Tables) {
  const Scope s = Scope::NewRoot();
  EXPECT_FALSE(ops::EmbeddingLookup(s, {}, {1}));
  EXPECT_THAT(s.status().message(), HasSubstr("needs a table"));
  const Scope other = Scope::NewRoot();
  EXPECT_FALSE(ops::EmbeddingLookup(other, {ops::Variable(other, 1.0f)}, {1}));
  EXPECT_THAT(other.status().message(), HasSubstr("needs rows"));
}

TEST(EmbeddingPlacement, GathersLieBesideTheirParts) {
  const Scope s = Scope::NewRoot();
  std::vector<ops::Variable> parts;
  for (int p = 0; p < 2; ++p) {
    parts.push_back(ops::MakeVariable(
        s.WithDevice(absl::StrCat("/job:ps/task:", p)).WithOpName("t"),
        TensorShape({4, 3}), DataType::kFloat, Ones(), {.use_resource = true}));
  }
  const Scope worker = s.WithDevice("/job:worker/task:0");
  const Output rows = ops::EmbeddingLookup(worker, parts, {1, 2});
  const auto gradients =
      ops::Gradients(worker, {ops::Sum(worker, rows, {0, 1})},
                     {parts[0].handle(), parts[1].handle()});
  ASSERT_TRUE(worker.ok()) << worker.status();
  int gathers = 0;
  s.graph().Read([&](const Graph& graph) {
    for (NodeId id = 0; id < graph.num_ids(); ++id) {
      const Node* node = graph.node(id);
      if (!node) continue;
      const bool on_ps =
          node->requested_device.find("/job:ps") != std::string::npos;
      if (node->op->name == "ResourceGather") {
        EXPECT_TRUE(on_ps);
        ++gathers;
      }
      // No read of a whole part is used anywhere else.
      for (const OutputRef& input : node->inputs) {
        if (input.node == kNoNode) continue;
        if (graph.node(input.node)->op->name == "ReadVariableOp") {
          EXPECT_TRUE(on_ps) << node->name;
        }
      }
    }
  });
  EXPECT_EQ(gathers, 2);
}

}  // namespace
}  // namespace millrace
