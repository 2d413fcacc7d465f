#include "millrace/train/input/input_producers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/files/memory_files.h"
#include "millrace/client/ops.h"
#include "millrace/train/testing/pipelines.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

TEST(InputProducers, NumbersEpochAfterEpoch) {
  const Scope s = Scope::NewRoot();
  const Queue queue =
      RangeInputProducer(s, 4, {.num_epochs = 2, .shuffle = false});
  EXPECT_EQ(queue.name(), "input_producer");
  EXPECT_THAT(PipelineValues(s, queue.Dequeue(s)),
              ElementsAre("0", "1", "2", "3", "0", "1", "2", "3"));
}

TEST(InputProducers, EachEpochHasItsOwnOrder) {
  const Scope s = Scope::NewRoot();
  const Queue queue = RangeInputProducer(s, 20, {.num_epochs = 2, .seed = 3});
  const std::vector<std::string> values = PipelineValues(s, queue.Dequeue(s));
  ASSERT_EQ(values.size(), 40u);
  const std::vector<std::string> first(values.begin(), values.begin() + 20);
  const std::vector<std::string> second(values.begin() + 20, values.end());
  EXPECT_THAT(first, UnorderedElementsAreArray(second));
  EXPECT_NE(first, second);
}

TEST(InputProducers, WithoutALimitItGoesOn) {
  const Scope s = Scope::NewRoot();
  const Queue queue = RangeInputProducer(s, 2, {.shuffle = false});
  EXPECT_THAT(PipelineValues(s, queue.Dequeue(s), 7),
              ElementsAre("0", "1", "0", "1", "0", "1", "0"));
}

TEST(InputProducers, RowsOfATensor) {
  const Scope s = Scope::NewRoot();
  const Queue queue = InputProducer(s.WithOpName("rows"), {{1, 2}, {3, 4}},
                                    {.num_epochs = 1, .shuffle = false});
  EXPECT_EQ(queue.name(), "rows/FIFOQueueV2");
  EXPECT_EQ(queue.shapes()[0], PartialShape({2}));
  EXPECT_THAT(PipelineValues(s, queue.Dequeue(s)), ElementsAre("1 2", "3 4"));
}

TEST(InputProducers, RowsOfUnknownShapeNeedIt) {
  {
    const Scope s = Scope::NewRoot();
    const Output rows = ops::Placeholder(s, DataType::kFloat);
    EXPECT_FALSE(InputProducer(s, rows));
    EXPECT_THAT(std::string(s.status().message()),
                HasSubstr("`element_shape` must be specified"));
  }
  const Scope s = Scope::NewRoot();
  const Output rows = ops::Placeholder(s, DataType::kFloat);
  EXPECT_TRUE(InputProducer(s, rows, {.element_shape = PartialShape({3})}));
  EXPECT_TRUE(s.ok()) << s.status();
}

TEST(InputProducers, Strings) {
  const Scope s = Scope::NewRoot();
  const Queue queue = StringInputProducer(
      s, {"a", "b"}, {.num_epochs = 2, .shuffle = false, .capacity = 1});
  EXPECT_THAT(PipelineValues(s, queue.Dequeue(s)),
              ElementsAre("a", "b", "a", "b"));
  const auto summaries = s.graph().Collection<Output>(graph_keys::kSummaries);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].op().name(), "input_producer/fraction_of_1_full");
}

TEST(InputProducers, NoStringsAreAnError) {
  {
    const Scope s = Scope::NewRoot();
    EXPECT_FALSE(StringInputProducer(
        s, Tensor::New(DataType::kString, TensorShape({0}))));
    EXPECT_THAT(std::string(s.status().message()),
                HasSubstr("requires a non-null input tensor"));
  }
  // Found when they are looked up.
  const Scope s = Scope::NewRoot();
  const ops::Variable names = MatchFilenamesOnce(s, "/none/*");
  const Queue queue = StringInputProducer(s, names, {.num_epochs = 1});
  ASSERT_TRUE(s.ok()) << s.status();
  Status status;
  PipelineValues(s, queue.Dequeue(s), 100, &status);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("requires a non-null input tensor"));
}

TEST(InputProducers, SlicesOfSeveralTensors) {
  const Scope s = Scope::NewRoot();
  const std::vector<Output> slices =
      SliceInputProducer(s, {{{1.5f}, {2.5f}, {3.5f}}, {10, 20, 30}},
                         {.num_epochs = 1, .shuffle = false});
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_THAT(PipelineValues(s, slices),
              ElementsAre("1.5 | 10", "2.5 | 20", "3.5 | 30"));
}

TEST(InputProducers, EpochsMustBePositive) {
  const Scope s = Scope::NewRoot();
  EXPECT_FALSE(LimitEpochs(s, 1, 0));
  EXPECT_THAT(std::string(s.status().message()),
              HasSubstr("num_epochs must be > 0 not 0."));
}

}  // namespace
}  // namespace millrace::train
