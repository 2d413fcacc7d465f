// How tensors are printed.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "millrace/tensor/tensor.h"

namespace millrace {
namespace {

TEST(TensorTextTest, ShowsTheFirstElementsOrBothEnds) {
  Tensor t = Tensor::Zeros(DataType::kInt32, TensorShape({3, 4}));
  for (int32_t i = 0; i < 12; ++i) t.mutable_flat<int32_t>()[i] = i;
  EXPECT_EQ(t.SummarizeValue(3), "[0 1 2...]...");
  EXPECT_EQ(t.SummarizeValue(5), "[0 1 2 3][4...]...");
  EXPECT_EQ(t.SummarizeValue(-1), "[0 1 2 3][4 5 6 7][8 9 10 11]");
  EXPECT_EQ(t.SummarizeValue(0), "...");
  EXPECT_EQ(t.SummarizeValue(1, true), "[[0 ... 3]\n ...\n [8 ... 11]]");
  EXPECT_EQ(t.SummarizeValue(0, true), "[...]");
  EXPECT_EQ(t.SummarizeValue(-1, true),
            "[[0 1 2 3]\n [4 5 6 7]\n [8 9 10 11]]");
  EXPECT_EQ(t.SummarizeValue(std::numeric_limits<int64_t>::max(), true),
            t.SummarizeValue(-1, true));
}

TEST(TensorTextTest, EscapesLongStringsAsShortOnes) {
  const std::string text(100'000, '\n');
  const std::string shown = Tensor::Scalar<std::string>(text).SummarizeValue(1);
  ASSERT_EQ(shown.size(), 2 * text.size());
  for (size_t i = 0; i < shown.size(); i += 2) {
    ASSERT_EQ(shown.substr(i, 2), "\\n");
  }
}

// Brackets of a tensor without elements, which no memory holds.
TEST(TensorTextTest, EndsWithTheFirstErrorOfItsReader) {
  DimVector dims(60, 2);
  dims.push_back(0);
  const Tensor t = Tensor::Zeros(DataType::kFloat, TensorShape(dims));
  size_t bytes = 0;
  const Status status =
      t.Summarize(3, /*print_v2=*/true, [&](absl::string_view piece) -> Status {
        bytes += piece.size();
        return bytes < 1000 ? OkStatus() : ResourceExhausted("enough");
      });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_LT(bytes, size_t{2000});
  EXPECT_EQ(t.SummarizeValue(-1), "");
}

}  // namespace
}  // namespace millrace
