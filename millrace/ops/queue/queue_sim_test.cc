#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "millrace/base/sim/sim.h"
#include "millrace/ops/queue/testing/queue_values.h"

namespace millrace::ops {
namespace {

// Elements in = out + inside, with every kind of end; the seed decides.
TEST(QueueSimTest, NoElementIsLostOrDoubled) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const SimResult result = SimWorld({.seed = seed}).Run([seed] {
      constexpr QueueKind kKinds[] = {
          QueueKind::kFifo, QueueKind::kRandomShuffle, QueueKind::kPaddingFifo,
          QueueKind::kPriority};
      const QueueKind kind = kKinds[seed % 4];
      auto queue = MakeRef<Queue>(Int64s(kind, 7), "q");
      ThreadPool completions("completions", 2);
      Mutex mu;
      std::map<int64_t, int> in, out;  // value -> count
      std::map<int64_t, int> unknown;  // from enqueues that ended early
      const auto caller = [&](CancelScope* scope) {
        QueueCaller c;
        c.cancel = scope;
        c.allocator = HostAllocator();
        c.completions = &completions;
        return c;
      };
      const auto producer = [&](int64_t first) {
        for (int64_t i = 0; i < 12; ++i) {
          const auto n = static_cast<int64_t>(1 + SimRandom(10));
          const QueueTuple batch = Many(first + i * 10, first + i * 10 + n);
          CancelScope scope;
          Notification ended;
          Status status;
          queue->EnqueueMany(caller(&scope), batch, Done([&](Status s) {
                               status = std::move(s);
                               ended.Notify();
                             }));
          if (SimRandom(4) == 0) scope.Cancel(Cancelled("stop"));
          ended.Wait();
          MutexLock lock(mu);
          for (int64_t v : Values(batch)) ++(status.ok() ? in : unknown)[v];
        }
      };
      std::atomic<bool> finished{false};
      const auto consumer = [&] {
        while (!finished.load()) {
          CancelScope scope;
          Notification ended;
          StatusOr<QueueTuple> got = QueueTuple();
          const SmallBatch small_batch =
              SimRandom(3) == 0 ? SmallBatch::kAllow : SmallBatch::kRefuse;
          const auto n = static_cast<int64_t>(1 + SimRandom(9));
          queue->DequeueMany(caller(&scope), n, small_batch,
                             [&](StatusOr<QueueTuple> r) {
                               got = std::move(r);
                               ended.Notify();
                             });
          if (!ended.WaitUntil(
                  Deadline::AfterMillis(static_cast<int64_t>(SimRandom(5))))) {
            scope.Cancel(DeadlineExceeded("late"));
            ended.Wait();
          }
          if (got.status().code() == StatusCode::kOutOfRange) return;
          if (!got.ok()) continue;
          MutexLock lock(mu);
          for (int64_t v : Values(*got)) ++out[v];
        }
      };
      {
        std::vector<Thread> producers, consumers;
        for (int i = 0; i < 3; ++i) {
          producers.emplace_back("producer", [&, i] { producer(i * 1000); });
          consumers.emplace_back("consumer", consumer);
        }
        for (Thread& t : producers) t.Join();
        Notification closed;
        queue->Close(caller(nullptr),
                     SimRandom(2) == 0 ? PendingEnqueues::kCancel
                                       : PendingEnqueues::kWaitFor,
                     Done([&](Status) { closed.Notify(); }));
        closed.Wait();
        for (Thread& t : consumers) t.Join();
      }
      // Takes the rest.
      while (queue->size() > 0) {
        queue->Dequeue(caller(nullptr), [&](StatusOr<QueueTuple> r) {
          ASSERT_TRUE(r.ok());
          ++out[Values(*r)[0]];
        });
      }
      for (const auto& [value, times] : out) {
        EXPECT_EQ(times, 1) << value;
        EXPECT_TRUE(in.count(value) || unknown.count(value)) << value;
      }
      for (const auto& [value, times] : in) EXPECT_EQ(out.count(value), 1u);
    });
    ASSERT_TRUE(result.status.ok()) << result.Report();
  }
}

}  // namespace
}  // namespace millrace::ops
