#include "millrace/base/threads/event_threads.h"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "gtest/gtest.h"

namespace millrace {
namespace {

// Events are functions; threads take them as they arrive.
class Events {
 public:
  explicit Events(int threads) {
    threads_ = std::make_unique<EventThreads>("events", threads,
                                              [this] { return Serve(); });
  }
  ~Events() {
    Add(nullptr);
    threads_.reset();
  }

  void Add(std::function<void()> event) {
    MutexLock lock(mu_);
    events_.push_back(std::move(event));
    changed_.NotifyAll();
  }
  // Adds the event and blocks until it was handled.
  void Handle(const std::function<void()>& event) {
    Gate done;
    Add([&] {
      event();
      done.Open();
    });
    done.Wait();
  }

  // A gate that opens once.
  class Gate {
   public:
    void Open() {
      MutexLock lock(mu_);
      open_ = true;
      changed_.NotifyAll();
    }
    void Wait() {
      MutexLock lock(mu_);
      while (!open_) changed_.Wait(mu_);
    }

   private:
    Mutex mu_;
    CondVar changed_;
    bool open_ = false;
  };

 private:
  bool Serve() {
    const int others = serving_.fetch_add(1);
    EXPECT_EQ(others, 0) << "two threads wait for events";
    std::function<void()> event;
    {
      MutexLock lock(mu_);
      while (events_.empty()) changed_.Wait(mu_);
      event = std::move(events_.front());
      events_.pop_front();
    }
    serving_.fetch_sub(1);
    if (event == nullptr) return false;
    event();
    return true;
  }

  Mutex mu_;
  CondVar changed_;
  std::deque<std::function<void()>> events_;
  std::atomic<int> serving_{0};
  std::unique_ptr<EventThreads> threads_;
};

TEST(EventThreadsTest, AnotherThreadTakesOverWhatComesMeanwhile) {
  Events events(2);
  Events::Gate reached;
  events.Handle([&] {
    EXPECT_FALSE(EventThreads::HasHandedOver());
    EXPECT_TRUE(EventThreads::HandOver());
    EXPECT_TRUE(EventThreads::HandOver()) << "once is enough";
    EXPECT_TRUE(EventThreads::HasHandedOver());
    events.Add([&] { reached.Open(); });
    reached.Wait();  // of the other thread
  });
}

TEST(EventThreadsTest, TheDutyComesBackForNewEvents) {
  Events events(2);
  for (int round = 0; round < 100; ++round) {
    Events::Gate reached;
    events.Handle([&] {
      EXPECT_FALSE(EventThreads::HasHandedOver());
      // The other thread may still be about to wait for its turn.
      while (!EventThreads::HandOver()) Yield();
      events.Add([&] { reached.Open(); });
      reached.Wait();
    });
  }
}

TEST(EventThreadsTest, SomebodyStaysOnDuty) {
  Events events(2);
  Events::Gate go_on;
  Events::Gate handed_over;
  events.Add([&] {
    EXPECT_TRUE(EventThreads::HandOver());
    handed_over.Open();
    go_on.Wait();
  });
  handed_over.Wait();
  events.Handle([&] { EXPECT_FALSE(EventThreads::HandOver()); });
  go_on.Open();
}

TEST(EventThreadsTest, OneThreadHandsNothingOver) {
  EXPECT_FALSE(EventThreads::HandOver()) << "this thread has no duty";
  EXPECT_FALSE(EventThreads::HasHandedOver());
  Events events(1);
  events.Handle([&] { EXPECT_FALSE(EventThreads::HandOver()); });
}

TEST(EventThreadsTest, TheEndWaitsForWhoHandedOver) {
  std::atomic<bool> done{false};
  Events::Gate handed_over;
  Events::Gate go_on;
  {
    Events events(2);
    events.Add([&] {
      EXPECT_TRUE(EventThreads::HandOver());
      handed_over.Open();
      go_on.Wait();
      done = true;
    });
    handed_over.Wait();
    events.Add([&] { go_on.Open(); });
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace millrace
