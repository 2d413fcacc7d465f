#include "millrace/train/input/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "millrace/client/ops.h"
#include "millrace/train/input/input_producers.h"
#include "millrace/train/testing/pipelines.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 0 ... limit - 1, once.
Output Numbers(const Scope& s, int limit) {
  return RangeInputProducer(s, limit, {.num_epochs = 1, .shuffle = false})
      .Dequeue(s)[0];
}

// Returns the numbers of all batches, in ascending order.
std::vector<int> Sorted(const std::vector<std::string>& batches) {
  std::vector<int> numbers;
  for (const std::string& batch : batches) {
    for (absl::string_view text : absl::StrSplit(batch, ' ')) {
      int number = 0;
      EXPECT_TRUE(absl::SimpleAtoi(text, &number)) << batch;
      numbers.push_back(number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(Batches, TheLastOneIsDroppedOrSmaller) {
  for (const bool smaller : {false, true}) {
    const Scope s = Scope::NewRoot();
    const Output x = Numbers(s, 7);
    const auto batch = Batch(s, {x, ops::Mul(s, x, x)}, 3,
                             {.allow_smaller_final_batch = smaller});
    ASSERT_EQ(batch.size(), 2u);
    EXPECT_EQ(batch[0].op().name(), "batch");
    EXPECT_EQ(batch[0].shape(), PartialShape({smaller ? -1 : 3}));
    std::vector<std::string> expected = {"0 1 2 | 0 1 4", "3 4 5 | 9 16 25"};
    if (smaller) expected.push_back("6 | 36");
    EXPECT_EQ(PipelineValues(s, batch), expected);
  }
}

TEST(Batches, PaddedToTheLongest) {
  const Scope s = Scope::NewRoot();
  const Output x = Numbers(s, 4);
  const Output run = ops::Fill(s, ops::ExpandDims(s, x, 0), x);
  const auto batch = Batch(s, {run}, 2, {.dynamic_pad = true});
  EXPECT_THAT(PipelineValues(s, batch),
              ElementsAre("[0][1]", "[2 2 0][3 3 3]"));
}

TEST(Batches, WithoutPaddingShapesMustBeKnown) {
  const Scope s = Scope::NewRoot();
  const Output x =
      ops::Placeholder(s, DataType::kFloat, {.shape = PartialShape({-1})});
  EXPECT_FALSE(Batch(s, {x}, 2)[0]);
  EXPECT_THAT(std::string(s.status().message()),
              HasSubstr("All shapes must be fully defined"));
}

TEST(Batches, OfRows) {
  const Scope s = Scope::NewRoot();
  const Output x = Numbers(s, 3);
  const Output rows = ops::Pack(s, {x, ops::Neg(s, x)});
  const auto batch = Batch(s, {rows}, 3, {.enqueue_many = true});
  EXPECT_THAT(PipelineValues(s, batch), ElementsAre("0 0 1", "-1 2 -2"));
}

TEST(Batches, OfManyThreads) {
  const Scope s = Scope::NewRoot();
  const auto batch =
      Batch(s, {Numbers(s, 100)}, 10, {.num_threads = 4, .capacity = 8});
  const std::vector<int> numbers = Sorted(PipelineValues(s, batch));
  ASSERT_EQ(numbers.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(numbers[i], i);
}

TEST(Batches, Chosen) {
  const Scope s = Scope::NewRoot();
  const Output x = Numbers(s, 8);
  const Output even = ops::Equal(s, ops::FloorMod(s, x, 2), 0);
  EXPECT_THAT(PipelineValues(s, MaybeBatch(s, {x}, even, 2)),
              ElementsAre("0 2", "4 6"));
}

TEST(Batches, ChosenRows) {
  const Scope s = Scope::NewRoot();
  const Output x = Numbers(s, 3);
  const Output rows = ops::Pack(s, {x, ops::Neg(s, x)});
  const Output positive = ops::Greater(s, rows, 0);
  EXPECT_THAT(PipelineValues(s, MaybeBatch(s, {rows}, positive, 2,
                                           {.enqueue_many = true})),
              ElementsAre("1 2"));
}

TEST(Batches, ChosenByAConstant) {
  const Scope s = Scope::NewRoot();
  const auto batch = MaybeBatch(s, {Numbers(s, 2)}, true, 2);
  EXPECT_THAT(PipelineValues(s, batch), ElementsAre("0 1"));
}

TEST(Batches, OfSeveralLists) {
  const Scope s = Scope::NewRoot();
  const Output a = Numbers(s, 5);
  const Output b = ops::AddV2(s, Numbers(s, 5), 10);
  const auto batch = BatchJoin(s, {{a}, {b}}, 2);
  EXPECT_EQ(batch[0].op().name(), "batch_join");
  EXPECT_THAT(Sorted(PipelineValues(s, batch)),
              ElementsAre(0, 1, 2, 3, 4, 10, 11, 12, 13, 14));
}

TEST(Batches, OfSeveralListsThatAreChosen) {
  const Scope s = Scope::NewRoot();
  const Output a = Numbers(s, 5);
  const Output keep =
      ops::Placeholder(s, DataType::kBool, {.shape = PartialShape({1})});
  EXPECT_FALSE(MaybeBatchJoin(s, {{a}, {a}}, keep, 2)[0]);
  EXPECT_THAT(std::string(s.status().message()),
              HasSubstr("`keep_input` cannot be a vector"));
}

TEST(Batches, Shuffled) {
  const Scope s = Scope::NewRoot();
  const auto batch =
      ShuffleBatch(s, {Numbers(s, 40)}, 10,
                   {.capacity = 30, .min_after_dequeue = 15, .seed = 1});
  EXPECT_EQ(batch[0].op().name(), "shuffle_batch");
  const std::vector<std::string> batches = PipelineValues(s, batch);
  ASSERT_EQ(batches.size(), 4u);
  EXPECT_NE(batches[0], "0 1 2 3 4 5 6 7 8 9");
  const std::vector<int> numbers = Sorted(batches);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(numbers[i], i);
}

TEST(Batches, ShuffledOfSeveralLists) {
  const Scope s = Scope::NewRoot();
  std::vector<InputList> lists;
  for (int i = 0; i < 4; ++i) {
    lists.push_back({ops::AddV2(s, Numbers(s, 10), 10 * i)});
  }
  const auto batch = ShuffleBatchJoin(s, lists, 7,
                                      {.capacity = 20,
                                       .min_after_dequeue = 5,
                                       .allow_smaller_final_batch = true});
  const std::vector<int> numbers = Sorted(PipelineValues(s, batch));
  ASSERT_EQ(numbers.size(), 40u);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(numbers[i], i);
}

TEST(Batches, ShuffledAndChosen) {
  for (const bool join : {false, true}) {
    const Scope s = Scope::NewRoot();
    const Output x = Numbers(s, 20);
    const Output big = ops::GreaterEqual(s, x, 10);
    const ShuffleBatchOptions options{.capacity = 8, .min_after_dequeue = 2};
    const auto batch = join ? MaybeShuffleBatchJoin(s, {{x}}, big, 5, options)
                            : MaybeShuffleBatch(s, {x}, big, 5, options);
    EXPECT_THAT(Sorted(PipelineValues(s, batch)),
                ElementsAre(10, 11, 12, 13, 14, 15, 16, 17, 18, 19));
  }
}

std::string ErrorOf(const std::function<void(const Scope&)>& build) {
  const Scope s = Scope::NewRoot();
  build(s);
  EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
  return std::string(s.status().message());
}

TEST(Batches, WhatDoesNotFitIsAnError) {
  EXPECT_THAT(ErrorOf([](const Scope& s) {
                Batch(s, InputList(std::vector<Input>()), 2);
              }),
              HasSubstr("Expected at least one tensor"));
  EXPECT_THAT(ErrorOf([](const Scope& s) {
                BatchJoin(s, {{1}, {2.5f}}, 2);
              }),
              HasSubstr("Expected types to be consistent"));
  EXPECT_THAT(ErrorOf([](const Scope& s) {
                BatchJoin(s, {{{1, 2}}, {{1, 2, 3}}}, 2);
              }),
              HasSubstr("2"));
  EXPECT_THAT(ErrorOf([](const Scope& s) {
                ShuffleBatch(s, {1}, 2,
                             {.capacity = 5, .min_after_dequeue = 5});
              }),
              HasSubstr("capacity 5 must be bigger than min_after_dequeue 5."));
  EXPECT_THAT(ErrorOf([](const Scope& s) { MaybeBatch(s, {1}, 3, 2); }),
              HasSubstr("`keep_input` must be bool"));
  EXPECT_THAT(ErrorOf([](const Scope& s) {
                Batch(s, {ops::Placeholder(s, DataType::kFloat)}, 2);
              }),
              HasSubstr("Cannot infer Tensor's rank"));
}

}  // namespace
}  // namespace millrace::train
