#include "millrace/ops/math/fused_joins.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace millrace::ops {
namespace {

// Rows of 3 and 5 shorts; the first part is a stage's, the second a tensor.
TEST(RowJoinTest, PiecesMeetWhereverTheyEnd) {
  constexpr size_t kRows = 7, kFirst = 3, kSecond = 5;
  std::vector<int16_t> a(kRows * kFirst), b(kRows * kSecond);
  std::iota(a.begin(), a.end(), 100);
  std::iota(b.begin(), b.end(), 500);
  const auto total = static_cast<int64_t>(a.size());
  for (int64_t piece = 1; piece <= total; ++piece) {
    std::vector<int16_t> out(kRows * (kFirst + kSecond), -1);
    RowJoin join;
    join.out = reinterpret_cast<char*>(out.data());
    join.row_bytes = (kFirst + kSecond) * 2;
    join.rows = kRows;
    join.element_bytes = 2;
    join.parts.push_back({nullptr, 1, kFirst * 2, 0});
    join.parts.push_back(
        {reinterpret_cast<const char*>(b.data()), 0, kSecond * 2, kFirst * 2});
    for (int64_t at = 0; at < total; at += piece) {
      const std::vector<char*> results = {
          nullptr, reinterpret_cast<char*>(a.data() + at)};
      join.Run(at, std::min(piece, total - at), total, results);
    }
    for (size_t row = 0; row < kRows; ++row) {
      for (size_t i = 0; i < kFirst + kSecond; ++i) {
        EXPECT_EQ(
            out[row * (kFirst + kSecond) + i],
            i < kFirst ? a[row * kFirst + i] : b[row * kSecond + i - kFirst])
            << "pieces of " << piece << ", row " << row << ", column " << i;
      }
    }
  }
}

TEST(JoinShapeTest, ShapesThatFit) {
  const TensorShape a = {2, 3}, b = {2, 4}, other = {3, 3}, empty = {2, 0};
  const auto joined = JoinShapeOf(Tensor::Scalar(int32_t{-1}), {&a, &b, &a});
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ(joined->out, TensorShape({2, 10}));
  EXPECT_EQ(joined->axis, 1);
  const Tensor second = Tensor::Scalar(int64_t{1});
  EXPECT_FALSE(JoinShapeOf(second, {&a, &other}).has_value());
  EXPECT_FALSE(JoinShapeOf(second, {&a, &empty}).has_value());
  EXPECT_FALSE(JoinShapeOf(Tensor::Scalar(int32_t{2}), {&a}).has_value());
  EXPECT_FALSE(JoinShapeOf(Tensor::Scalar(int32_t{-3}), {&a}).has_value());
  // The joined dimension would not fit.
  const TensorShape large = {int64_t{1} << 62, 1};
  EXPECT_FALSE(
      JoinShapeOf(Tensor::Scalar(int32_t{0}), {&large, &large}).has_value());
}

}  // namespace
}  // namespace millrace::ops
