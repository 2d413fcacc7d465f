#include "millrace/exec/local_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace {
namespace {

class LocalQueueTest : public testing::Test {
 protected:
  ReadyNode Ready(int i) const { return {&nodes_[i], nullptr, false}; }
  void Fill(int n) {
    for (int i = 0; i < n; ++i) queue_.push_back(Ready(i));
  }
  // Returns the indices of its nodes, in the order in which they would run.
  std::vector<int> Empty(LocalQueue& queue) const {
    std::vector<int> order;
    while (!queue.empty()) {
      order.push_back(static_cast<int>(queue.pop_front().node - nodes_.data()));
    }
    return order;
  }

  std::vector<PlanNode> nodes_ = std::vector<PlanNode>(100);
  LocalQueue queue_;
};

TEST_F(LocalQueueTest, TheExpensiveNodeGoesAfterTheOthers) {
  queue_.set_last(Ready(7));
  Fill(3);
  EXPECT_EQ(queue_.size(), 4u);
  EXPECT_EQ(Empty(queue_), (std::vector<int>{0, 1, 2, 7}));
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(LocalQueueTest, AfterManyCheapNodesItIsLate) {
  queue_.set_last(Ready(99));
  Fill(99);
  int before = 0;
  while (!queue_.last_is_late()) {
    queue_.pop_front();
    ++before;
  }
  EXPECT_EQ(before, 67) << "300 ns each, until 20 us have passed";
  EXPECT_EQ(queue_.take_last().node, &nodes_[99]);
  EXPECT_FALSE(queue_.last_is_late());
}

TEST_F(LocalQueueTest, AfterALongKernelItIsLate) {
  queue_.set_last(Ready(99));
  queue_.Spend(LocalQueue::kNanosBeforeLast);
  EXPECT_FALSE(queue_.last_is_late()) << "no other node is left to go first";
  Fill(1);
  EXPECT_TRUE(queue_.last_is_late());
  EXPECT_EQ(queue_.TakeSpent(), LocalQueue::kNanosBeforeLast);
  EXPECT_EQ(queue_.spent_nanos(), 0);
  EXPECT_TRUE(queue_.last_is_late());
}

TEST_F(LocalQueueTest, PiecesHaveAllNodesInOrder) {
  for (const int n : {1, 2, 7, 8, 9, 17, 64, 100}) {
    Fill(n);
    const size_t piece = queue_.piece_size();
    std::vector<int> order;
    size_t pieces = 0;
    for (; !queue_.empty(); ++pieces) {
      LocalQueue taken = queue_.TakeFront(piece);
      for (int i : Empty(taken)) order.push_back(i);
    }
    EXPECT_LE(pieces, LocalQueue::kPieces);
    ASSERT_EQ(order.size(), static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST_F(LocalQueueTest, APieceMayHaveTheExpensiveNode) {
  Fill(2);
  queue_.set_last(Ready(9));
  LocalQueue taken = queue_.TakeFront(5);
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(Empty(taken), (std::vector<int>{0, 1, 9}));
}

}  // namespace
}  // namespace millrace
