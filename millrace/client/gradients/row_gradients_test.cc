// Tests gradients that are rows: of lookups, and of what rows go through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables/variables.h"

namespace millrace {
namespace {

using testing::ElementsAre;

std::vector<float> FloatsOf(const Tensor& t) {
  const auto flat = t.flat<float>();
  return {flat.begin(), flat.end()};
}

// Fetches the indices of rows, as floats, and a second output.
std::vector<std::vector<float>> IndicesAnd(Session& session, const Scope& s,
                                           const std::vector<Feed>& feeds,
                                           const Gradient& rows,
                                           const Output& second) {
  const Output indices = ops::Cast(s, rows.slices.indices, DataType::kFloat);
  const auto out = session.Run(feeds, {indices, second});
  EXPECT_TRUE(out.ok()) << out.status();
  if (!out.ok()) return {};
  return {FloatsOf((*out)[0]), FloatsOf((*out)[1])};
}

TEST(RowGradients, LookupsGiveRows) {
  const Scope s = Scope::NewRoot();
  const Output table = ops::Const(s, {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const Output rows = ops::GatherV2(s, table, {2, 0, 2}, 0);
  const Output more = ops::GatherV2(s, table, {1}, 0);
  auto dx = ops::Gradients(s, {ops::Mul(s, rows, 2), more}, {table});
  ASSERT_TRUE(s.ok()) << s.status();
  ASSERT_TRUE(dx[0].is_slices());
  const Output dense = ops::ToTensor(s, dx[0]);
  EXPECT_EQ(dense.shape(), (PartialShape{3, 2}));
  Session session(s);
  auto out = session.Run({dx[0].slices.values, dense});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].dim(0), 4);
  EXPECT_THAT(FloatsOf((*out)[1]), ElementsAre(2, 2, 1, 1, 4, 4));
}

// Of tables that stand below each other: each has the rows that lie in it.
TEST(RowGradients, RowsOfAConcatenationAreRowsOfItsParts) {
  const Scope s = Scope::NewRoot();
  const Output above = ops::Const(s, {{1.f, 2.f}});
  const Output below = ops::Const(s, {{3.f, 4.f}, {5.f, 6.f}});
  const Output factors = ops::Const(s, {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const std::vector<Output> wholes = {
      ops::ConcatV2(s, {above, below}, 0), ops::ConcatV2(s, {above, below}, -2),
      ops::ConcatV2(s, {above, below}, ops::Const(s, int64_t{0})),
      ops::Concat(s, 0, {above, below})};
  for (const Output& whole : wholes) {
    const Output rows = ops::GatherV2(s, whole, {2, 0, 2}, 0);
    const auto dx =
        ops::Gradients(s, {ops::Mul(s, rows, factors)}, {above, below});
    ASSERT_TRUE(s.ok()) << s.status();
    ASSERT_TRUE(dx[0].is_slices());
    ASSERT_TRUE(dx[1].is_slices());
    Session session(s);
    const auto out = session.Run({dx[0].slices.values, dx[1].slices.values,
                                  dx[1].slices.indices, ops::ToTensor(s, dx[0]),
                                  ops::ToTensor(s, dx[1])});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(FloatsOf((*out)[0]), ElementsAre(3, 4));
    EXPECT_THAT(FloatsOf((*out)[1]), ElementsAre(1, 2, 5, 6));
    EXPECT_THAT((*out)[2].flat<int32_t>(), ElementsAre(1, 1));
    EXPECT_THAT(FloatsOf((*out)[3]), ElementsAre(3, 4));
    EXPECT_THAT(FloatsOf((*out)[4]), ElementsAre(0, 0, 6, 8));
  }
}

// Of tables that are side by side: each has its part of every row.
TEST(RowGradients, RowsOfTablesSideBySideAreTheirPartsOfRows) {
  const Scope s = Scope::NewRoot();
  const Output left = ops::Const(s, {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const Output right = ops::Const(s, {{7.f}, {8.f}, {9.f}});
  const Output factors = ops::Const(s, {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  for (const int axis : {1, -1}) {
    const Output rows =
        ops::GatherV2(s, ops::ConcatV2(s, {left, right}, axis), {2, 0}, 0);
    const auto dx =
        ops::Gradients(s, {ops::Mul(s, rows, factors)}, {left, right});
    ASSERT_TRUE(s.ok()) << s.status();
    ASSERT_TRUE(dx[0].is_slices());
    ASSERT_TRUE(dx[1].is_slices());
    Session session(s);
    const auto out =
        session.Run({dx[0].slices.values, dx[1].slices.values,
                     ops::ToTensor(s, dx[0]), ops::ToTensor(s, dx[1])});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(FloatsOf((*out)[0]), ElementsAre(1, 2, 4, 5));
    EXPECT_THAT(FloatsOf((*out)[1]), ElementsAre(3, 6));
    EXPECT_THAT(FloatsOf((*out)[2]), ElementsAre(4, 5, 0, 0, 1, 2));
    EXPECT_THAT(FloatsOf((*out)[3]), ElementsAre(6, 0, 3));
  }
}

TEST(RowGradients, RowsOfAConcatenationAlongAnyAxisAreATensor) {
  const Scope s = Scope::NewRoot();
  const Output axis = ops::Placeholder(s, DataType::kInt32);
  const Output above = ops::Const(s, {{1.f, 2.f}});
  const Output below = ops::Const(s, {{3.f, 4.f}});
  const Output rows =
      ops::GatherV2(s, ops::ConcatV2(s, {above, below}, axis), {1}, 0);
  const auto dx = ops::Gradients(s, {rows}, {above, below});
  ASSERT_TRUE(s.ok()) << s.status();
  ASSERT_TRUE(dx[0].tensor);
  ASSERT_TRUE(dx[1].tensor);
  Session session(s);
  const auto out = session.Run({{axis, 0}}, {dx[0].tensor, dx[1].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(FloatsOf((*out)[0]), ElementsAre(0, 0));
  EXPECT_THAT(FloatsOf((*out)[1]), ElementsAre(1, 1));
}

TEST(RowGradients, RowsStayRowsWhereElementsAreChangedAlone) {
  const Scope s = Scope::NewRoot();
  const Output table = ops::Const(s, {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const Output other = ops::Const(s, {{1.f, 1.f}, {1.f, 1.f}, {1.f, 1.f}});
  const std::vector<std::pair<Output, float>> wholes = {
      {ops::Neg(s, table), -1.f},
      {ops::Cast(s, table, DataType::kDouble), 1.f},
      {ops::AddN(s, {table, other}), 1.f},
      {ops::AccumulateNV2(s, {table, other}, PartialShape{3, 2}), 1.f}};
  for (const auto& [whole, slope] : wholes) {
    const Output rows = ops::GatherV2(s, whole, {2, 2}, 0);
    const auto dx = ops::Gradients(s, {rows}, {table});
    ASSERT_TRUE(s.ok()) << s.status();
    ASSERT_TRUE(dx[0].is_slices()) << whole.name();
    EXPECT_EQ(dx[0].slices.dtype(), DataType::kFloat);
    Session session(s);
    const auto out =
        session.Run({dx[0].slices.values, ops::ToTensor(s, dx[0])});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(FloatsOf((*out)[0]), ElementsAre(slope, slope, slope, slope));
    EXPECT_THAT(FloatsOf((*out)[1]),
                ElementsAre(0, 0, 0, 0, 2 * slope, 2 * slope));
  }
}

// As in TensorFlow, a branch that reads no rows has zeros for all of them, so
// that an optimizer with slots moves every row.
TEST(RowGradients, OfRowsInOneBranchAreAllRowsInTheOther) {
  for (const bool resource : {false, true}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(s.WithOpName("w"), {3.0f, 4.0f},
                          {.use_resource = resource});
    const Output pred = ops::Placeholder(s, DataType::kBool);
    Output row;
    if (resource) {
      const Output handle = ops::Switch(s, w.handle(), pred).output_true;
      row = ops::ResourceGather(s, handle, {1}, DataType::kFloat);
    } else {
      row =
          ops::Gather(s, ops::RefSwitch(s, w.handle(), pred).output_true, {1});
    }
    const Output other =
        ops::Switch(s, ops::Const(s, {5.0f}), pred).output_false;
    const Output y = ops::Merge(s, {other, ops::Square(s, row)}).output;
    const auto dw = ops::Gradients(s, {y}, {w.handle()});
    ASSERT_TRUE(s.ok()) << s.status();
    ASSERT_TRUE(dw[0].is_slices());
    Session session(s);
    ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
    const Output values = dw[0].slices.values;
    EXPECT_THAT(IndicesAnd(session, s, {{pred, true}}, dw[0], values),
                ElementsAre(ElementsAre(1), ElementsAre(8)));
    EXPECT_THAT(IndicesAnd(session, s, {{pred, false}}, dw[0], values),
                ElementsAre(ElementsAre(0, 1), ElementsAre(0, 0)));
  }
}

TEST(RowGradients, OfRowsInOneBranchAndATensorInTheOther) {
  const Scope s = Scope::NewRoot();
  const Output pred = ops::Placeholder(s, DataType::kBool);
  const Output x = ops::Const(s, {3.0f, 4.0f});
  const auto branch = ops::Switch(s, x, pred);
  const Output row =
      ops::Gather(s, branch.output_true, ops::Const(s, {int64_t{1}}));
  const Output y =
      ops::Merge(s, {ops::Square(s, branch.output_false), ops::Square(s, row)})
          .output;
  const auto dx = ops::Gradients(s, {y}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  ASSERT_TRUE(dx[0].is_slices());
  const Output dense = ops::ToTensor(s, dx[0]);
  Session session(s);
  EXPECT_THAT(IndicesAnd(session, s, {{pred, true}}, dx[0], dense),
              ElementsAre(ElementsAre(1), ElementsAre(0, 8)));
  EXPECT_THAT(IndicesAnd(session, s, {{pred, false}}, dx[0], dense),
              ElementsAre(ElementsAre(0, 1), ElementsAre(6, 8)));
}

TEST(RowGradients, OfSegmentsOfRowsAreThoseRowsIfAsked) {
  const Scope s = Scope::NewRoot();
  const Output table =
      ops::Const(s, {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  const Output rows = ops::Const(s, {2, 0, 2});
  const Output segments = ops::Const(s, {0, 0, 1});
  for (const bool sparse : {false, true}) {
    const Output y = ops::SparseSegmentMean(s, table, rows, segments,
                                            {.sparse_gradient = sparse});
    auto dx = ops::Gradients(s, {y}, {table});
    ASSERT_TRUE(s.ok()) << s.status();
    ASSERT_EQ(dx[0].is_slices(), sparse);
    Session session(s);
    auto out = session.Run({ops::ToTensor(s, dx[0])});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(FloatsOf((*out)[0]), ElementsAre(0.5, 0.5, 0, 0, 1.5, 1.5));
    if (!sparse) continue;
    out = session.Run({ops::Cast(s, dx[0].slices.indices, DataType::kFloat)});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(FloatsOf((*out)[0]), ElementsAre(0, 2));
  }
}

}  // namespace
}  // namespace millrace
