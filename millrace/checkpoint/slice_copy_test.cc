#include "millrace/checkpoint/slice_copy.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/random.h"

namespace millrace {
namespace {

Box Of(const char* text, const TensorShape& shape) {
  return BoxOf(*TensorSlice::Parse(text), shape);
}

// Returns the index in the whole tensor of each element of the box, row-major.
std::vector<int64_t> Elements(const Box& box, const TensorShape& shape) {
  std::vector<int64_t> all;
  const int64_t n = box.num_elements();
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i;
    int64_t index = 0;
    int64_t stride = 1;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      const size_t at = static_cast<size_t>(d);
      index += (box.start[at] + rest % box.length[at]) * stride;
      rest /= box.length[at];
      stride *= shape.dim(d);
    }
    all.push_back(index);
  }
  return all;
}

TEST(BoxRuns, CopyExactlyWhatIsShared) {
  Rng rng(5);
  for (int round = 0; round < 2000; ++round) {
    DimVector dims;
    const uint64_t rank = rng.Uniform(5);
    for (uint64_t d = 0; d < rank; ++d)
      dims.push_back(static_cast<int64_t>(1 + rng.Uniform(5)));
    const TensorShape shape(dims);
    const auto random_box = [&] {
      Box box;
      for (int64_t dim : dims) {
        const int64_t start =
            static_cast<int64_t>(rng.Uniform(static_cast<uint64_t>(dim)));
        const bool whole = rng.Uniform(2) == 0;
        box.start.push_back(whole ? 0 : start);
        box.length.push_back(
            whole ? dim
                  : static_cast<int64_t>(
                        rng.Uniform(static_cast<uint64_t>(dim - start + 1))));
      }
      return box;
    };
    const Box from = random_box();
    const Box to = random_box();
    const std::vector<int64_t> from_elements = Elements(from, shape);
    const std::vector<int64_t> to_elements = Elements(to, shape);
    std::vector<int64_t> got(to_elements.size(), -1);
    BoxRuns runs(from, to);
    int64_t last_from = -1;
    for (BoxRuns::Run run; runs.Next(&run);) {
      ASSERT_GT(run.from, last_from);
      last_from = run.from + run.count - 1;
      for (int64_t i = 0; i < run.count; ++i) {
        got[static_cast<size_t>(run.to + i)] =
            from_elements[static_cast<size_t>(run.from + i)];
      }
    }
    for (size_t i = 0; i < got.size(); ++i) {
      const bool there = std::find(from_elements.begin(), from_elements.end(),
                                   to_elements[i]) != from_elements.end();
      ASSERT_EQ(got[i], there ? to_elements[i] : -1);
    }
  }
}

TEST(BoxRuns, WholeRowsAreOneRun) {
  const TensorShape shape({10, 3, 2});
  BoxRuns runs(Of("2,5:-:-", shape), Of("4,6:-:-", shape));
  BoxRuns::Run run;
  ASSERT_TRUE(runs.Next(&run));
  EXPECT_EQ(run.from, 12);
  EXPECT_EQ(run.to, 0);
  EXPECT_EQ(run.count, 18);
  EXPECT_FALSE(runs.Next(&run));
}

TEST(SelectCover, FindsWhatIsNeeded) {
  const TensorShape shape({6, 4});
  const std::vector<Box> rows = {Of("0,2:-", shape), Of("2,3:-", shape),
                                 Of("5,1:-", shape)};
  using Indexes = std::vector<size_t>;
  EXPECT_EQ(*SelectCover(rows, Of("-:-", shape)), (Indexes{0, 1, 2}));
  EXPECT_EQ(*SelectCover(rows, Of("2,3:-", shape)), (Indexes{1}));
  EXPECT_EQ(*SelectCover(rows, Of("1,2:1,1", shape)), (Indexes{0, 1}));
  EXPECT_EQ(*SelectCover(rows, Of("5,1:2,2", shape)), (Indexes{2}));
  const std::vector<Box> gap = {rows[0], rows[2]};
  EXPECT_EQ(SelectCover(gap, Of("-:-", shape)).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(*SelectCover(gap, Of("0,1:-", shape)), (Indexes{0}));
  // An overlap is detected, also if the numbers of elements add up.
  const std::vector<Box> doubled = {rows[0], rows[0], Of("4,2:-", shape)};
  EXPECT_EQ(SelectCover(doubled, Of("-:-", shape)).status().code(),
            StatusCode::kDataLoss);
  // Where elements are missing, that is the error.
  const std::vector<Box> corner = {Of("0,3:0,2", shape), Of("2,3:1,2", shape)};
  EXPECT_EQ(SelectCover(corner, Of("1,3:0,3", shape)).status().code(),
            StatusCode::kNotFound);
  // So is one of few elements.
  const std::vector<Box> shifted = {Of("0,2:-", shape), Of("2,4:0,3", shape),
                                    Of("3,2:2,2", shape)};
  EXPECT_EQ(SelectCover(shifted, Of("-:-", shape)).status().code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(*SelectCover({Of("", TensorShape())}, Of("", TensorShape())),
            (Indexes{0}));
  EXPECT_FALSE(SelectCover({}, Of("-:-", shape)).ok());
}

// Random cuts of a box cover it; with one box moved they do not.
TEST(SelectCover, TellsCoversFromOverlaps) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const TensorShape shape({8, 8, 8});
    std::vector<Box> boxes = {BoxOf(TensorSlice::Full(3), shape)};
    for (int cut = 0; cut < 12; ++cut) {
      const size_t at = rng.Uniform(boxes.size()), d = rng.Uniform(3);
      const int64_t length = boxes[at].length[d];
      if (length < 2) continue;
      const auto first = static_cast<int64_t>(
          1 + rng.Uniform(static_cast<uint64_t>(length - 1)));
      boxes.push_back(boxes[at]);
      boxes[at].length[d] = first;
      boxes.back().start[d] += first;
      boxes.back().length[d] -= first;
    }
    if (boxes.size() == 1) continue;
    const Box whole = BoxOf(TensorSlice::Full(3), shape);
    EXPECT_EQ(SelectCover(boxes, whole)->size(), boxes.size());
    Box& moved = boxes[rng.Uniform(boxes.size())];
    const size_t d = rng.Uniform(3);
    if (moved.length[d] == 8) continue;
    moved.start[d] = moved.start[d] > 0 ? moved.start[d] - 1 : 1;
    EXPECT_EQ(SelectCover(boxes, whole).status().code(), StatusCode::kDataLoss);
  }
}

// Each box is long where the others begin, so that comparing those that overlap
// in one dimension would compare all with all.
TEST(SelectCover, ManyBoxesTakeLittleTime) {
  constexpr int64_t kMany = 300'000;
  const TensorShape shape({2 * kMany, 2 * kMany});
  std::vector<Box> boxes;
  for (int64_t i = 0; i < kMany; ++i) {
    boxes.push_back({.start = {i, i}, .length = {kMany, 1}});
  }
  EXPECT_EQ(
      SelectCover(boxes, BoxOf(TensorSlice::Full(2), shape)).status().code(),
      StatusCode::kNotFound);
}

}  // namespace
}  // namespace millrace
