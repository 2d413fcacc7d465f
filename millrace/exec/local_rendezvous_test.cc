#include "millrace/exec/local_rendezvous.h"

#include <gtest/gtest.h>

#include <memory>

#include "millrace/base/sim.h"

namespace millrace {
namespace {

TEST(LocalRendezvousTest, AValueMeetsItsReceiver) {
  const auto rendezvous = MakeRef<LocalRendezvous>();
  float got = 0;
  rendezvous->RecvAsync("a", nullptr, [&](Status s, Tensor value, bool dead) {
    EXPECT_TRUE(s.ok());
    EXPECT_FALSE(dead);
    got = value.scalar<float>();
  });
  EXPECT_EQ(rendezvous->counts().waiters, 1);
  ASSERT_TRUE(rendezvous->Send("a", Tensor::Scalar(7.0f), false).ok());
  EXPECT_EQ(got, 7);
  ASSERT_TRUE(rendezvous->Send("b", Tensor::Scalar(1.0f), true).ok());
  EXPECT_EQ(rendezvous->counts().values, 1);
  bool was_dead = false;
  rendezvous->RecvAsync("b", nullptr,
                        [&](Status, Tensor, bool dead) { was_dead = dead; });
  EXPECT_TRUE(was_dead);
  EXPECT_EQ(rendezvous->counts().values + rendezvous->counts().waiters, 0);
}

// A receiver of a step that ends with the receive: its key, its hold on the
// rendezvous and its scope go with it.
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
          rendezvous.RecvAsync(key, &scope, [&](Status status, Tensor, bool) {
            EXPECT_FALSE(status.ok());
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
