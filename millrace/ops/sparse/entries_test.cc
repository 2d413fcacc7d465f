#include "millrace/ops/sparse/entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor kIndices = Tensor::Of<int64_t>({4, 2}, {2, 1, 0, 3, 2, 0, 0, 3});
const Tensor kValues = Tensor::Vector<float>({1, 2, 3, 4});

TEST(SparseEntriesTest, ReadsThreeTensors) {
  const Tensor shape = Tensor::Vector<int64_t>({3, 4});
  const auto entries = ReadEntries(kIndices, kValues, shape);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(entries->count, 4);
  EXPECT_EQ(entries->rank, 2);
  EXPECT_EQ(entries->at(1)[1], 3);
  EXPECT_TRUE(entries->CheckInside().ok());
}

TEST(SparseEntriesTest, RefusesWhatDoesNotFit) {
  const Tensor shape = Tensor::Vector<int64_t>({3, 4});
  for (const auto& result :
       {ReadEntries(kValues, kValues, shape),
        ReadEntries(kIndices, kIndices, shape),
        ReadEntries(kIndices, kValues, kIndices),
        ReadEntries(kIndices, Tensor::Vector<float>({1}), shape),
        ReadEntries(kIndices, kValues, Tensor::Vector<int64_t>({3}))}) {
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(SparseEntriesTest, NamesTheFirstEntryOutside) {
  const Tensor shape = Tensor::Vector<int64_t>({3, 3});
  const auto entries = ReadEntries(kIndices, kValues, shape);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_THAT(
      std::string(entries->CheckInside().message()),
      HasSubstr(
          "indices[1] = [0,3] is out of bounds: need 0 <= index < [3,3]"));
}

TEST(SparseEntriesTest, EqualEntriesKeepTheirOrder) {
  const Tensor shape = Tensor::Vector<int64_t>({3, 4});
  const auto entries = ReadEntries(kIndices, kValues, shape);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_THAT(RowMajorOrder(*entries), ElementsAre(1, 3, 2, 0));
  EXPECT_THAT(OrderBy(*entries, {1, 0}), ElementsAre(2, 0, 1, 3));
}

}  // namespace
}  // namespace millrace::ops
