// The largest elements of long rows, of equal elements and of NaN, for which
// stock has no answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "millrace/base/random.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/ops/nn/largest_places.h"

namespace millrace::ops {
namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Returns the places that a stable sort gives.
template <class T>
std::vector<int32_t> SortedPlaces(absl::Span<const T> x, int64_t k) {
  std::vector<int32_t> places(x.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](int32_t a, int32_t b) {
    return x[static_cast<size_t>(a)] > x[static_cast<size_t>(b)];
  });
  places.resize(static_cast<size_t>(k));
  return places;
}

// Checks both orders of results of a row.
template <class T>
void CheckRow(const Tensor& row, int64_t k) {
  const Scope s = Scope::NewRoot();
  const Output x = Placeholder(s, row.dtype());
  const auto by_size = TopKV2(s, x, Const(s, k, DataType::kInt32));
  const auto by_place =
      TopKV2(s, x, Const(s, k, DataType::kInt32), {.sorted = false});
  Session session(s);
  const auto got = session.Run({{x, row}}, {by_size.values, by_size.indices,
                                            by_place.values, by_place.indices});
  ASSERT_TRUE(got.ok()) << got.status();
  std::vector<int32_t> places = SortedPlaces<T>(row.flat<T>(), k);
  for (const size_t values : {size_t{0}, size_t{2}}) {
    const auto found = (*got)[values].flat<T>();
    const auto found_at = (*got)[values + 1].flat<int32_t>();
    ASSERT_EQ(found.size(), places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      ASSERT_EQ(found_at[i], places[i]) << "element " << i << " of " << k;
      ASSERT_EQ(found[i], row.flat<T>()[static_cast<size_t>(places[i])]);
    }
    std::sort(places.begin(), places.end());
  }
}

template <class T, class F>
Tensor Row(int64_t n, F&& element) {
  Tensor row = Tensor::New(DataTypeOf<T>, TensorShape({n}));
  auto x = row.mutable_flat<T>();
  for (size_t i = 0; i < x.size(); ++i) x[i] = element(static_cast<int64_t>(i));
  return row;
}

TEST(TopK, LongRowsAreAsASortHasThem) {
  Rng rng(7);
  for (const int64_t n : {1, 17, 4095, 4096, 5000, 40'000, 150'000}) {
    const Tensor spread = Row<float>(n, [&](int64_t) {
      return static_cast<float>(std::exp2(20 * rng.Double()) *
                                (rng.Double() - 0.5));
    });
    const Tensor few = Row<int32_t>(
        n, [&](int64_t) { return static_cast<int32_t>(rng.Uniform(5)) - 2; });
    for (const int64_t k : {int64_t{1}, n / 100, n / 3, n}) {
      if (k == 0 || (k > n / 100 && n > 100'000)) continue;
      CheckRow<float>(spread, k);
      CheckRow<int32_t>(few, k);
    }
  }
}

// What a sample takes for likely is not so: large elements are rare, or where
// it does not look.
TEST(TopK, ASampleThatIsWrongDoesNoHarm) {
  constexpr int64_t kSize = 200'000;
  CheckRow<double>(Row<double>(kSize, [](int64_t) { return 1.0; }), 2000);
  CheckRow<double>(
      Row<double>(kSize, [](int64_t i) { return i == 77'777 ? 9.0 : -1.0; }),
      3);
  CheckRow<int64_t>(Row<int64_t>(kSize, [](int64_t i) { return i; }), 2000);
  CheckRow<int64_t>(Row<int64_t>(kSize, [](int64_t i) { return -i; }), 2000);
  // Only as many as are asked for are above the rest.
  CheckRow<float>(
      Row<float>(kSize, [](int64_t i) { return i < 2000 ? 5.0f : 1.0f; }),
      2001);
  // Large ones only where the sample looks: fewer than it makes believe.
  const int64_t samples = kSize / 16;
  Tensor seen = Row<float>(kSize, [](int64_t) { return 1.0f; });
  for (uint64_t i = 0; i < static_cast<uint64_t>(samples); ++i)
    seen.mutable_flat<float>()[i * 16 + (i * 0x9e3779b97f4a7c15u >> 32) % 16] =
        5.0f;
  ASSERT_EQ(LikelyLeastKey(seen.flat<float>().data(), kSize, 20'000),
            OrderKeyOf(5.0f));
  CheckRow<float>(seen, 20'000);
}

TEST(TopK, NanIsLargestAndZerosAreEqual) {
  const Scope s = Scope::NewRoot();
  const Output x =
      Const(s, {1.0f, kNan, -0.0f, kInf, 0.0f, -kInf, -kNan, -0.0f});
  const auto all = TopKV2(s, x, 8);
  const auto half = TopKV2(s, Cast(s, x, DataType::kHalf), 3);
  const Output median = NthElement(s, x, 5);
  Session session(s);
  const auto got = session.Run({all.indices, half.indices, median});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT((*got)[0].flat<int32_t>(), ElementsAre(1, 6, 3, 0, 2, 4, 7, 5));
  EXPECT_THAT((*got)[1].flat<int32_t>(), ElementsAre(1, 6, 3));
  EXPECT_EQ((*got)[2].scalar<float>(), kInf);
  // More of them than a sort with another order would survive.
  Tensor many = Row<float>(1000, [](int64_t i) {
    return i % 3 == 0 ? kNan : static_cast<float>(i);
  });
  const Scope t = Scope::NewRoot();
  const auto most = TopKV2(t, Const(t, many), 500);
  Session second(t);
  const auto found = second.Run({most.indices});
  ASSERT_TRUE(found.ok()) << found.status();
  const auto places = (*found)[0].flat<int32_t>();
  for (size_t i = 0; i < 334; ++i)
    EXPECT_EQ(places[i], static_cast<int32_t>(3 * i));
  EXPECT_EQ(places[334], 998);
}

TEST(TopK, KeysHaveTheOrderOfElements) {
  EXPECT_LT(OrderKeyOf(int8_t{-128}), OrderKeyOf(int8_t{-1}));
  EXPECT_LT(OrderKeyOf(int8_t{-1}), OrderKeyOf(int8_t{0}));
  EXPECT_LT(OrderKeyOf(uint64_t{1}), OrderKeyOf(~uint64_t{0}));
  EXPECT_LT(OrderKeyOf(-kInf), OrderKeyOf(-1.0f));
  EXPECT_LT(OrderKeyOf(-1.0f), OrderKeyOf(-0.5f));
  EXPECT_LT(OrderKeyOf(-0.5), OrderKeyOf(-0.0));
  EXPECT_EQ(OrderKeyOf(-0.0), OrderKeyOf(0.0));
  EXPECT_LT(OrderKeyOf(0.5), OrderKeyOf(1.0));
  EXPECT_LT(OrderKeyOf(Bfloat16(1.0f)), OrderKeyOf(Bfloat16(2.0f)));
  EXPECT_EQ(OrderKeyOf(kNan), OrderKeyOf(-kNan));
  EXPECT_LT(OrderKeyOf(kInf), OrderKeyOf(kNan));
}

}  // namespace
}  // namespace millrace::ops
