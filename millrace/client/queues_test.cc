#include "millrace/client/queues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "millrace/base/threads/thread.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

template <class T>
std::vector<T> Flat(const Tensor& tensor) {
  return {tensor.flat<T>().begin(), tensor.flat<T>().end()};
}

std::vector<std::string> Texts(const Tensor& tensor) {
  std::vector<std::string> texts;
  for (const auto& text : tensor.flat<StringElement>()) {
    texts.emplace_back(text.view());
  }
  return texts;
}

class QueuesTest : public testing::Test {
 protected:
  Status Run(const Operation& op) { return session().RunTargets({op}); }
  std::vector<Tensor> Fetch(const std::vector<Output>& outputs) {
    auto values = session().Run(outputs);
    EXPECT_TRUE(values.ok()) << values.status();
    return values.ok() ? *values : std::vector<Tensor>(outputs.size());
  }
  StatusCode Code(const std::vector<Output>& outputs) {
    return session().Run(outputs).status().code();
  }
  Session& session() {
    if (!session_) session_ = std::make_unique<Session>(s_);
    return *session_;
  }

  const Scope s_ = Scope::NewRoot();
  std::unique_ptr<Session> session_;
};

TEST_F(QueuesTest, TuplesComeOutAsTheyWentIn) {
  const FIFOQueue queue(
      s_, {DataType::kInt32, DataType::kString},
      {.capacity = 10, .shapes = {PartialShape({2}), PartialShape({})}});
  EXPECT_EQ(queue.name(), "fifo_queue");
  const Operation put = queue.Enqueue(s_, {{1, 2}, "a"});
  const Operation put_many =
      queue.EnqueueMany(s_, {{{3, 4}, {5, 6}}, {"b", "c"}});
  EXPECT_EQ(put.name(), "fifo_queue_enqueue");
  EXPECT_EQ(put_many.name(), "fifo_queue_EnqueueMany");
  const std::vector<Output> one = queue.Dequeue(s_);
  const std::vector<Output> two = queue.DequeueMany(s_, 2);
  const std::vector<Output> up_to = queue.DequeueUpTo(s_, 5);
  const Output size = queue.Size(s_);
  const Output is_closed = queue.IsClosed(s_);
  const Operation close = queue.Close(s_);
  EXPECT_EQ(one[0].op().name(), "fifo_queue_Dequeue");
  EXPECT_EQ(close.name(), "fifo_queue_Close");
  EXPECT_EQ(size.op().name(), "fifo_queue_Size");
  EXPECT_EQ(one[0].shape(), PartialShape({2}));
  EXPECT_EQ(two[0].shape(), PartialShape({2, 2}));
  EXPECT_EQ(up_to[0].shape(), PartialShape({-1, 2}));
  ASSERT_TRUE(s_.ok()) << s_.status();

  ASSERT_TRUE(Run(put).ok());
  ASSERT_TRUE(Run(put_many).ok());
  EXPECT_EQ(Fetch({size})[0].scalar<int32_t>(), 3);
  const auto first = Fetch(one);
  EXPECT_THAT(Flat<int32_t>(first[0]), ElementsAre(1, 2));
  EXPECT_THAT(Texts(first[1]), ElementsAre("a"));
  const auto rest = Fetch(two);
  EXPECT_THAT(Flat<int32_t>(rest[0]), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(Texts(rest[1]), ElementsAre("b", "c"));

  ASSERT_TRUE(Run(put).ok());
  EXPECT_FALSE(Fetch({is_closed})[0].scalar<bool>());
  ASSERT_TRUE(Run(close).ok());
  EXPECT_TRUE(Fetch({is_closed})[0].scalar<bool>());
  EXPECT_EQ(Run(put).code(), StatusCode::kCancelled);
  EXPECT_THAT(Flat<int32_t>(Fetch(up_to)[0]), ElementsAre(1, 2));
  EXPECT_EQ(Code(one), StatusCode::kOutOfRange);
}

TEST_F(QueuesTest, AWaitingDequeueIsFed) {
  const FIFOQueue queue(s_, {DataType::kFloat});
  const Output take = queue.Dequeue(s_)[0];
  const Operation put = queue.Enqueue(s_, {2.5f});
  ASSERT_TRUE(session().Extend().ok());
  float taken = 0;
  Thread taker("taker", [&] { taken = Fetch({take})[0].scalar<float>(); });
  EXPECT_TRUE(Run(put).ok());
  taker.Join();
  EXPECT_EQ(taken, 2.5f);
}

TEST_F(QueuesTest, PaddingFillsWithZeros) {
  const PaddingFIFOQueue queue(s_, {DataType::kInt32},
                               {.shapes = {PartialShape({-1, -1})}});
  const Operation a = queue.Enqueue(s_, {{{1, 2}}});
  const Operation b = queue.Enqueue(s_, {{{3}, {4}, {5}}});
  const std::vector<Output> both = queue.DequeueMany(s_, 2);
  ASSERT_TRUE(Run(a).ok());
  ASSERT_TRUE(Run(b).ok());
  const Tensor out = Fetch(both)[0];
  EXPECT_EQ(out.shape(), TensorShape({2, 3, 2}));
  EXPECT_THAT(Flat<int32_t>(out),
              ElementsAre(1, 2, 0, 0, 0, 0, 3, 0, 4, 0, 5, 0));
}

TEST_F(QueuesTest, PrioritiesGoFirst) {
  const PriorityQueue queue(s_, {DataType::kString},
                            {.shapes = {PartialShape({})}});
  EXPECT_THAT(queue.dtypes(), ElementsAre(DataType::kInt64, DataType::kString));
  // The priorities become int64.
  const Operation put =
      queue.EnqueueMany(s_, {{30, 10, 20}, {"third", "first", "second"}});
  const std::vector<Output> all = queue.DequeueMany(s_, 3);
  ASSERT_TRUE(Run(put).ok());
  const auto out = Fetch(all);
  EXPECT_THAT(Flat<int64_t>(out[0]), ElementsAre(10, 20, 30));
  EXPECT_THAT(Texts(out[1]), ElementsAre("first", "second", "third"));
}

TEST_F(QueuesTest, ShuffledInTheOrderOfTheSeed) {
  const RandomShuffleQueueOptions options{.shapes = {PartialShape({})},
                                          .seed = 7};
  std::vector<std::vector<int32_t>> orders;
  for (int i = 0; i < 2; ++i) {
    const RandomShuffleQueue queue(s_, {DataType::kInt32}, 0, options);
    const Operation put = queue.EnqueueMany(s_, {{0, 1, 2, 3, 4, 5, 6, 7}});
    const std::vector<Output> all = queue.DequeueMany(s_, 8);
    ASSERT_TRUE(Run(put).ok());
    orders.push_back(Flat<int32_t>(Fetch(all)[0]));
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_THAT(orders[0], UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(QueuesTest, ASharedNameDecidesTheSeedUnderAGraphsSeed) {
  s_.graph().SetRandomSeed(5);
  const RandomShuffleQueueOptions shared{.shared_name = "shared"};
  const RandomShuffleQueue one(s_, {DataType::kInt32}, 2, shared);
  const RandomShuffleQueue two(s_, {DataType::kInt32}, 2, shared);
  const auto seed = [](const Queue& queue, const char* name) {
    return *queue.handle().op().Attr<int64_t>(name);
  };
  EXPECT_EQ(seed(one, "seed"), 5);
  // The first digits of the MD5 digest of "5shared".
  EXPECT_EQ(seed(one, "seed2"), 0x5dc576bb);
  EXPECT_EQ(seed(one, "seed2"), seed(two, "seed2"));
  const RandomShuffleQueue other(s_, {DataType::kInt32}, 2,
                                 {.shared_name = "shared", .seed = 9});
  EXPECT_EQ(seed(other, "seed2"), 9);
}

TEST_F(QueuesTest, NamesAndHandles) {
  const Scope block = s_.SubScope("input");
  const FIFOQueue queue(block.WithOpName("names"), {DataType::kString});
  EXPECT_EQ(queue.name(), "input/names");
  EXPECT_EQ(queue.Size(s_).op().name(), "names_Size");
  EXPECT_EQ(queue.Size(s_.WithOpName("how_many")).op().name(), "how_many");
  const auto again = Queue::FromHandle(queue.handle());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->dtypes(), queue.dtypes());

  // Old graphs have reference handles.
  const Output reference = ops::PriorityQueue(
      s_, {PartialShape({})}, {.component_types = {DataType::kFloat}});
  const auto old = Queue::FromHandle(reference);
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_THAT(old->dtypes(), ElementsAre(DataType::kInt64, DataType::kFloat));
  EXPECT_EQ(old->Dequeue(s_)[1].op().type(), "QueueDequeue");
  EXPECT_EQ(Queue::FromHandle(ops::Const(s_, 1)).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(s_.ok()) << s_.status();
}

std::string ErrorOf(const std::function<void(const Scope&)>& build) {
  const Scope s = Scope::NewRoot();
  build(s);
  EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
  return std::string(s.status().message());
}

TEST(Queues, WhatDoesNotFitIsAnError) {
  const auto floats = [](const Scope& s) {
    return FIFOQueue(s, {DataType::kFloat}, {.shapes = {PartialShape({2})}});
  };
  EXPECT_THAT(ErrorOf([&](const Scope& s) {
                floats(s).Enqueue(s, {1.f, 2.f});
              }),
              HasSubstr("has 1 components, got 2"));
  EXPECT_THAT(ErrorOf([&](const Scope& s) { floats(s).Enqueue(s, {"a"}); }),
              HasSubstr("component 0 of fifo_queue"));
  EXPECT_THAT(ErrorOf([&](const Scope& s) { floats(s).Enqueue(s, {1.f}); }),
              HasSubstr("Shapes [] and [2] are incompatible"));
  EXPECT_THAT(ErrorOf([&](const Scope& s) {
                floats(s).EnqueueMany(s, {{1.f, 2.f}});
              }),
              HasSubstr("Shapes [2] and [?,2] are incompatible"));
  EXPECT_THAT(ErrorOf([&](const Scope& s) {
                floats(s).Enqueue(s, {ops::Const(s, {1, 2})});
              }),
              HasSubstr("has type int32, expected float"));
  EXPECT_THAT(ErrorOf([](const Scope& s) {
                FIFOQueue(s, {DataType::kFloat},
                          {.shapes = {PartialShape({-1})}});
              }),
              HasSubstr("All shapes must be fully defined"));
  EXPECT_THAT(ErrorOf([](const Scope& s) {
                PaddingFIFOQueue(s, {DataType::kFloat}, {});
              }),
              HasSubstr("same length as dtypes"));
}

TEST(Queues, AfterAnErrorAllIsNull) {
  const Scope s = Scope::NewRoot();
  const PaddingFIFOQueue queue(s, {DataType::kFloat, DataType::kInt32}, {});
  EXPECT_FALSE(queue);
  EXPECT_FALSE(queue.Enqueue(s, {1.f, 2}));
  const std::vector<Output> out = queue.DequeueMany(s, 3);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_FALSE(out[0]);
  EXPECT_FALSE(queue.Size(s));
  EXPECT_FALSE(queue.Close(s, {.cancel_pending_enqueues = true}));
  EXPECT_FALSE(Queue());
}

}  // namespace
}  // namespace millrace
