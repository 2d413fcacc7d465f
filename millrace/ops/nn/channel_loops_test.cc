#include "millrace/ops/nn/channel_loops.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace::ops {
namespace {

// Returns small integers, whose sums as floats are exact in any order.
std::vector<float> Numbers(int64_t n, int factor) {
  std::vector<float> v;
  for (int64_t i = 0; i < n; ++i) {
    v.push_back(static_cast<float>(i * factor % 7 - 3));
  }
  return v;
}

TEST(ChannelLoopsTest, SumsOfRows) {
  for (int64_t n : {1, 7, 8, 9, 31, 32, 33, 64, 100, 3000}) {
    for (int64_t rows : {1, 2, 63, 65, 300}) {
      const std::vector<float> x = Numbers(rows * n, 5);
      const std::vector<float> dy = Numbers(rows * n, 3);
      const std::vector<float> mean = Numbers(n, 2);
      std::vector<float> sums = Numbers(n, 1), squares = Numbers(n, 4);
      std::vector<float> grads = Numbers(n, 1), products = Numbers(n, 4);
      std::vector<float> expected[] = {sums, squares, grads, products};
      for (size_t i = 0; i < x.size(); ++i) {
        const size_t c = i % static_cast<size_t>(n);
        const float d = x[i] - mean[c];
        expected[0][c] += d;
        expected[1][c] += d * d;
        expected[2][c] += dy[i];
        expected[3][c] += dy[i] * d;
      }
      AddRows(x.data(), mean.data(), rows, n, sums.data(), squares.data());
      AddGradRows(dy.data(), x.data(), mean.data(), rows, n, grads.data(),
                  products.data());
      EXPECT_EQ(sums, expected[0]) << rows << " rows of " << n;
      EXPECT_EQ(squares, expected[1]) << rows << " rows of " << n;
      EXPECT_EQ(grads, expected[2]) << rows << " rows of " << n;
      EXPECT_EQ(products, expected[3]) << rows << " rows of " << n;
    }
  }
}

}  // namespace
}  // namespace millrace::ops
