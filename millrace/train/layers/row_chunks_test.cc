#include "millrace/train/layers/row_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/train/layers/split_tensor.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;

TEST(RowChunks, OverlapWhereWindowsReachIntoTheNextOne) {
  // Windows of 3 over 8 rows: the second of two chunks begins with rows that
  // the first one ends with.
  EXPECT_THAT(RowChunks(8, {.size = 3}, 2),
              ElementsAre(RowChunk{.begin = 0, .end = 5, .margins = {}},
                          RowChunk{.begin = 3, .end = 8, .margins = {}}));
  EXPECT_THAT(RowChunks(8, {.size = 3, .padding = Padding::kSame}, 2),
              ElementsAre(RowChunk{0, 5, {.before = 1, .after = 0}},
                          RowChunk{3, 8, {.before = 0, .after = 1}}));
  // Windows that do not overlap need nothing from each other.
  EXPECT_THAT(RowChunks(8, {.size = 2, .stride = 2}, 2),
              ElementsAre(RowChunk{0, 4, {}}, RowChunk{4, 8, {}}));
}

// Counts, window by window, which rows the parts of an output need.
TEST(RowChunks, AreWhatTheWindowsOfAChunkTouch) {
  for (const Padding padding : {Padding::kValid, Padding::kSame}) {
    for (int64_t length = 1; length <= 9; ++length) {
      for (int64_t size = 1; size <= 4; ++size) {
        for (int64_t stride = 1; stride <= 3; ++stride) {
          for (int64_t dilation = 1; dilation <= 2; ++dilation) {
            const Windows windows{size, stride, dilation, padding};
            const int64_t count = WindowCount(length, windows);
            const Margins margins = MarginsOf(length, windows);
            for (int64_t parts = 1; parts <= count; ++parts) {
              const auto chunks =
                  RowChunks(length, windows, static_cast<size_t>(parts));
              const auto sizes = EvenSizes(count, static_cast<size_t>(parts));
              int64_t window = 0;
              for (size_t i = 0; i < chunks.size(); ++i) {
                const int64_t first = window * stride - margins.before;
                window += sizes[i];
                const int64_t end =
                    (window - 1) * stride - margins.before + windows.reach();
                EXPECT_EQ(chunks[i].begin - chunks[i].margins.before, first);
                EXPECT_EQ(chunks[i].end + chunks[i].margins.after, end);
                EXPECT_GE(chunks[i].begin, 0);
                EXPECT_LE(chunks[i].end, length);
                EXPECT_LT(chunks[i].begin, chunks[i].end);
                // Padding is at the edges of the image alone.
                EXPECT_TRUE(chunks[i].margins.before == 0 ||
                            chunks[i].begin == 0);
                EXPECT_TRUE(chunks[i].margins.after == 0 ||
                            chunks[i].end == length);
              }
            }
          }
        }
      }
    }
  }
}

TEST(RowChunks, CountsWindowsAsTensorFlowDoes) {
  EXPECT_EQ(WindowCount(5, {.size = 3, .stride = 2}), 2);
  EXPECT_EQ(WindowCount(2, {.size = 3}), 0);
  EXPECT_EQ(WindowCount(5, {.size = 3, .dilation = 3}), 0);
  EXPECT_EQ(WindowCount(5, {.size = 3, .stride = 2, .padding = Padding::kSame}),
            3);
  // The odd row of padding is after.
  const Margins margins = MarginsOf(6, {.size = 4, .padding = Padding::kSame});
  EXPECT_EQ(margins.before, 1);
  EXPECT_EQ(margins.after, 2);
}

TEST(SplitTensors, EvenSizesAreLongerFirst) {
  EXPECT_THAT(EvenSizes(7, 3), ElementsAre(3, 2, 2));
  EXPECT_THAT(EvenSizes(6, 3), ElementsAre(2, 2, 2));
}

}  // namespace
}  // namespace millrace::train
