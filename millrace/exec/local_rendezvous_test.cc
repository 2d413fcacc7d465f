#include "millrace/exec/local_rendezvous.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

Tensor Number(int64_t v) { return Tensor::Scalar<int64_t>(v); }

// One receive and its result.
struct Receive {
  void Start(LocalRendezvous& r, absl::string_view key,
             CancelScope* cancel = nullptr) {
    r.RecvAsync(key, cancel, [this](StatusOr<RendezvousValue> received) {
      ++calls;
      status = received.status();
      if (!received.ok()) return;
      is_dead = received->is_dead;
      if (received->tensor.valid()) value = received->tensor.scalar<int64_t>();
    });
  }
  int calls = 0;
  Status status;
  int64_t value = -1;
  bool is_dead = false;
};

TEST(LocalRendezvousTest, EitherMayComeFirst) {
  auto r = MakeRef<LocalRendezvous>();
  Receive late, early;
  ASSERT_TRUE(r->Send("a", {.tensor = Number(1)}).ok());
  late.Start(*r, "a");
  EXPECT_EQ(late.value, 1);
  early.Start(*r, "b");
  EXPECT_EQ(early.calls, 0);
  ASSERT_TRUE(r->Send("b", {.tensor = Number(2), .is_dead = true}).ok());
  EXPECT_EQ(early.value, 2);
  EXPECT_TRUE(early.is_dead);
  EXPECT_EQ(r->counts().values + r->counts().waiters, 0);
}

TEST(LocalRendezvousTest, SeveralOfAKeyMeetInOrder) {
  auto r = MakeRef<LocalRendezvous>();
  Receive first, second, third;
  first.Start(*r, "k");
  second.Start(*r, "k");
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(r->Send("k", {.tensor = Number(i)}).ok());
  }
  third.Start(*r, "k");
  EXPECT_EQ(first.value, 1);
  EXPECT_EQ(second.value, 2);
  EXPECT_EQ(third.value, 3);
}

TEST(LocalRendezvousTest, ACancelledReceiveTakesNoValue) {
  auto r = MakeRef<LocalRendezvous>();
  CancelScope cancel;
  Receive gone, next;
  gone.Start(*r, "k", &cancel);
  EXPECT_EQ(r->counts().waiters, 1);
  cancel.Cancel(Cancelled("no longer"));
  EXPECT_EQ(gone.calls, 1);
  EXPECT_EQ(gone.status.code(), StatusCode::kCancelled);
  EXPECT_EQ(r->counts().waiters, 0);
  ASSERT_TRUE(r->Send("k", {.tensor = Number(4)}).ok());
  next.Start(*r, "k");
  EXPECT_EQ(next.value, 4);
  EXPECT_EQ(gone.calls, 1);
}

// Of a step that goes on, whose keys are anybody's.
TEST(LocalRendezvousTest, ForgetsReceivesThatWereCancelled) {
  auto r = MakeRef<LocalRendezvous>();
  CancelScope lives;
  Receive waits;
  waits.Start(*r, "waits", &lives);
  for (int i = 0; i < 1000; ++i) {
    CancelScope cancel;
    Receive gone;
    gone.Start(*r, absl::StrCat("key ", i), &cancel);
    cancel.Cancel(Cancelled("no longer"));
    EXPECT_EQ(gone.status.code(), StatusCode::kCancelled);
  }
  EXPECT_LT(r->counts().cancelled, 100);
  EXPECT_EQ(r->counts().waiters, 1);
  ASSERT_TRUE(r->Send("waits", {.tensor = Number(7)}).ok());
  EXPECT_EQ(waits.value, 7);
}

TEST(LocalRendezvousTest, ACancelledScopeReceivesNothing) {
  auto r = MakeRef<LocalRendezvous>();
  CancelScope cancel;
  cancel.Cancel(DeadlineExceeded("over"));
  Receive receive;
  receive.Start(*r, "k", &cancel);
  EXPECT_EQ(receive.status.code(), StatusCode::kDeadlineExceeded);
}

TEST(LocalRendezvousTest, AnAbortEndsAllThatWaitsAndComes) {
  auto r = MakeRef<LocalRendezvous>();
  CancelScope cancel;
  Receive before, scoped, after;
  before.Start(*r, "a");
  scoped.Start(*r, "b", &cancel);
  r->StartAbort(Unavailable("the task is gone"));
  r->StartAbort(Internal("later"));  // the first one wins
  after.Start(*r, "a");
  for (const Receive* receive : {&before, &scoped, &after}) {
    EXPECT_EQ(receive->calls, 1);
    EXPECT_EQ(receive->status.code(), StatusCode::kUnavailable);
  }
  EXPECT_EQ(r->Send("a", {.tensor = Number(1)}).code(),
            StatusCode::kUnavailable);
  cancel.Cancel(Cancelled("too late"));
  EXPECT_EQ(scoped.calls, 1);
}

TEST(LocalRendezvousTest, DroppingItEndsWhoWaits) {
  Receive receive;
  {
    auto r = MakeRef<LocalRendezvous>();
    receive.Start(*r, "a");
  }
  EXPECT_EQ(receive.status.code(), StatusCode::kCancelled);
}

// Concurrent sends, receives, cancellations and an abort: each receive ends
// once, and each value reaches at most one receiver.
TEST(LocalRendezvousTest, EveryReceiveEndsOnceInAnyOrder) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const SimResult result =
        SimWorld({.seed = seed, .lock_switch_probability = 0.5}).Run([] {
          constexpr int kCount = 8;
          auto r = MakeRef<LocalRendezvous>();
          CancelScope cancel;
          std::vector<Receive> receives(kCount);
          std::vector<Thread> threads;
          threads.emplace_back("sender", [&] {
            for (int i = 0; i < kCount; ++i) {
              if (!r->Send("k", {.tensor = Number(i)}).ok()) return;
            }
          });
          threads.emplace_back("receiver", [&] {
            for (int i = 0; i < kCount; ++i) {
              receives[i].Start(*r, "k", i % 2 ? &cancel : nullptr);
            }
          });
          threads.emplace_back("canceller", [&] {
            cancel.Cancel(Cancelled("a whim"));
            if (SimRandom(2) == 0) r->StartAbort(Aborted("the end"));
          });
          for (Thread& t : threads) t.Join();
          r->StartAbort(Aborted("the end"));
          std::vector<int> taken(kCount, 0);
          for (const Receive& receive : receives) {
            MR_CHECK(receive.calls == 1);
            if (receive.status.ok()) ++taken[receive.value];
          }
          for (int count : taken) MR_CHECK(count <= 1);
        });
    ASSERT_TRUE(result.status.ok()) << result.Report();
  }
}

// A receiver of a step that ends with the receive: its key, its reference to
// the rendezvous and its scope are destroyed with it.
struct Receiver {
  explicit Receiver(Ref<LocalRendezvous> r) : rendezvous(std::move(r)) {}
  ~Receiver() { key.assign(key.size(), '?'); }
  Ref<LocalRendezvous> rendezvous;
  std::string key = "a key that is too long to be kept in the string itself";
};

TEST(LocalRendezvousTest, ACancelMayTakeTheReceiverAwayAtOnce) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const SimResult result =
        SimWorld({.seed = seed, .lock_switch_probability = 0.5}).Run([] {
          CancelScope scope;
          auto receiver =
              std::make_unique<Receiver>(MakeRef<LocalRendezvous>());
          LocalRendezvous& rendezvous = *receiver->rendezvous;
          const absl::string_view key = receiver->key;
          Thread canceller("canceller", [&] {
            scope.Cancel(Cancelled("the step has ended"));
          });
          int ended = 0;
          rendezvous.RecvAsync(key, &scope,
                               [&](StatusOr<RendezvousValue> received) {
                                 EXPECT_FALSE(received.ok());
                                 ++ended;
                                 receiver.reset();
                               });
          canceller.Join();
          EXPECT_EQ(ended, 1);
        });
    ASSERT_TRUE(result.status.ok()) << result.Report();
  }
}

}  // namespace
}  // namespace millrace
