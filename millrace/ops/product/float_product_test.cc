#include "millrace/ops/product/float_product.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "millrace/base/random.h"

namespace millrace::ops {
namespace {

std::vector<float> Fill(int64_t count, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> v(static_cast<size_t>(count));
  for (float& f : v) f = static_cast<float>(rng.Double() - 0.5);
  return v;
}

struct Problems {
  MatrixProblem p;
  std::vector<float> a, b;

  std::vector<float> Sum(IntraOpPool& pool, int terms, int* parts) const {
    const ProductTerm term = TermOf(p, a.data(), b.data(), 0);
    const std::vector<ProductTerm> all(static_cast<size_t>(terms), term);
    std::vector<float> c(static_cast<size_t>(p.m * p.n), 0.5f);
    std::vector<float> finished(c.size());
    std::atomic<int> count{0};
    const auto finish = [&](const ProductPart& part) {
      ++count;
      for (int64_t i = part.row; i < part.row + part.rows; ++i) {
        for (int64_t j = part.column; j < part.column + part.columns; ++j) {
          const size_t at = static_cast<size_t>(i * p.n + j);
          finished[at] += c[at];
        }
      }
    };
    const FinishProduct finish_product = finish;
    DnnlRun run(pool, *HostAllocator(), pool.width());
    // Computes long products in two pieces.
    const int64_t first = p.m > 1000 ? p.m / 2 : p.m;
    EXPECT_TRUE(
        FloatProductRows(run, all, 0, first, c.data(), false, &finish_product)
            .ok());
    if (first < p.m) {
      EXPECT_TRUE(FloatProductRows(run, all, first, p.m - first, c.data(),
                                   false, &finish_product)
                      .ok());
    }
    EXPECT_EQ(std::memcmp(c.data(), finished.data(), c.size() * 4), 0)
        << "each element is finished once, with its value";
    *parts = count.load();
    return c;
  }
};

Problems MakeProblems(int64_t m, int64_t k, int64_t n, bool ta, bool tb) {
  Problems s;
  s.p.type = DataType::kFloat;
  s.p.m = m;
  s.p.k = k;
  s.p.n = n;
  s.p.transpose_a = ta;
  s.p.transpose_b = tb;
  s.a = Fill(m * k, 1);
  s.b = Fill(k * n, 2);
  return s;
}

// Checks that the result has the same bits for any number of threads, and is
// correct at some elements.
void CheckWidths(const Problems& s, int terms) {
  SCOPED_TRACE(::testing::Message()
               << s.p.m << " x " << s.p.k << " times " << s.p.k << " x "
               << s.p.n << (s.p.transpose_a ? " transpose_a" : "")
               << (s.p.transpose_b ? " transpose_b" : "") << ", " << terms
               << " terms");
  IntraOpPool alone("alone", 1);
  int parts = 0;
  const std::vector<float> expected = s.Sum(alone, terms, &parts);
  for (const int width : {2, 3}) {
    IntraOpPool pool("shared", width);
    EXPECT_EQ(std::memcmp(expected.data(), s.Sum(pool, terms, &parts).data(),
                          expected.size() * 4),
              0)
        << width << " threads, " << parts << " parts";
  }
  for (int64_t at = 0; at < s.p.m * s.p.n; at += 97) {
    const int64_t i = at / s.p.n, j = at % s.p.n;
    double sum = 0;
    for (int64_t l = 0; l < s.p.k; ++l) {
      const int64_t in_a = s.p.transpose_a ? l * s.p.m + i : i * s.p.k + l;
      const int64_t in_b = s.p.transpose_b ? j * s.p.k + l : l * s.p.n + j;
      sum += static_cast<double>(s.a[static_cast<size_t>(in_a)]) *
             static_cast<double>(s.b[static_cast<size_t>(in_b)]);
    }
    ASSERT_NEAR(expected[static_cast<size_t>(at)], sum * terms, 1e-3 * terms)
        << i << ", " << j;
  }
}

TEST(FloatProductTest, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      for (const int terms : {1, 3}) {
        CheckWidths(MakeProblems(130, 512, 250, ta, tb), terms);
        CheckWidths(MakeProblems(64, 256, 512, ta, tb), terms);
        CheckWidths(MakeProblems(33, 300, 129, ta, tb), terms);
        // Factors that are copied.
        CheckWidths(MakeProblems(256, 64, 512, ta, tb), terms);
        CheckWidths(MakeProblems(45, 100, 1024, ta, tb), terms);
        // Shares that leave a single row or column.
        CheckWidths(MakeProblems(97, 200, 65, ta, tb), terms);
        CheckWidths(MakeProblems(65, 200, 97, ta, tb), terms);
        CheckWidths(MakeProblems(1203, 100, 31, ta, tb), terms);
        CheckWidths(MakeProblems(700, 90, 1, ta, tb), terms);
      }
      // Packed products: packed at once, and some columns or terms at a time.
      CheckWidths(MakeProblems(530, 64, 610, ta, tb), 1);
      CheckWidths(MakeProblems(601, 517, 1025, ta, tb), 5);
      CheckWidths(MakeProblems(534, 9, 8300, ta, tb), 2);
      CheckWidths(MakeProblems(1, 700, 400, ta, tb), 1);
    }
  }
}

TEST(FloatProductTest, AddsToWhatIsThere) {
  IntraOpPool pool("shared", 2);
  for (const int64_t n : {70, 577}) {
    const Problems s = MakeProblems(531, 517, n, false, true);
    const std::vector<ProductTerm> terms(
        2, TermOf(s.p, s.a.data(), s.b.data(), 0));
    std::vector<float> once(static_cast<size_t>(s.p.m * n)), c = once;
    DnnlRun run(pool, *HostAllocator(), 2);
    ASSERT_TRUE(
        FloatProductRows(run, {&terms[0], 1}, 0, s.p.m, once.data(), false)
            .ok());
    for (size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i % 7);
    ASSERT_TRUE(FloatProductRows(run, terms, 0, s.p.m, c.data(), true).ok());
    for (size_t i = 0; i < c.size(); ++i) {
      ASSERT_NEAR(c[i], static_cast<float>(i % 7) + 2 * once[i], 1e-4f) << i;
    }
  }
}

TEST(FloatProductTest, IsCutWhereThereAreThreads) {
  IntraOpPool pool("shared", 2);
  int parts = 0;
  MakeProblems(64, 256, 512, false, false).Sum(pool, 1, &parts);
  EXPECT_GE(parts, 2);
  MakeProblems(512, 256, 10, false, false).Sum(pool, 1, &parts);
  EXPECT_GE(parts, 2);
}

}  // namespace
}  // namespace millrace::ops
