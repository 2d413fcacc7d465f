#include "millrace/train/replicas/pace_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kTooLong = 30;

PaceWatch WatchOfReplica0(int64_t max_ahead) {
  return PaceWatch({.max_ahead = max_ahead, .too_long_nanos = kTooLong});
}

ReplicaRecord Trains(int64_t clock) {
  return {.state = ReplicaState::kTrains, .clock = clock};
}

TEST(PaceWatch, WaitsForThoseThatAreFarBehind) {
  PaceWatch watch = WatchOfReplica0(2);
  const ReplicaRecords near = {.replicas = {Trains(7), Trains(5), Trains(9)}};
  EXPECT_THAT(watch.Look(near, 0).slowest, IsEmpty());
  EXPECT_EQ(watch.Look(near, 0).up_to, 7);
  const ReplicaRecords far = {
      .replicas = {Trains(8), Trains(5), Trains(4), Trains(4)}};
  const PaceWatch::Verdict verdict = WatchOfReplica0(2).Look(far, 0);
  EXPECT_THAT(verdict.slowest, ElementsAre(2, 3));
  EXPECT_EQ(watch.Describe(far, verdict),
            "replicas 2, 3, at step 4 of their own; this one is at step 8 and "
            "may be 2 ahead");
}

TEST(PaceWatch, TheSlowestNeedsNoLookForAsManySteps) {
  PaceWatch watch = WatchOfReplica0(3);
  EXPECT_EQ(watch.Look({.replicas = {Trains(5), Trains(9)}}, 0).up_to, 8);
  EXPECT_EQ(watch.Look({.replicas = {Trains(5)}}, 0).up_to, 8);
}

TEST(PaceWatch, OnlyThoseThatTrainCount) {
  PaceWatch watch = WatchOfReplica0(0);
  const ReplicaRecords others_left = {
      .replicas = {Trains(7),
                   {.state = ReplicaState::kEnded, .clock = 1},
                   {.state = ReplicaState::kGone, .clock = 2},
                   {.state = ReplicaState::kUnknown, .clock = 3}}};
  EXPECT_THAT(watch.Look(others_left, 0).slowest, IsEmpty());
}

TEST(PaceWatch, NoProgressForLongIsStuck) {
  PaceWatch watch = WatchOfReplica0(0);
  EXPECT_THAT(watch.Look({.replicas = {Trains(7), Trains(3)}}, 0).stuck,
              IsEmpty());
  EXPECT_THAT(watch.Look({.replicas = {Trains(7), Trains(4)}}, 20).stuck,
              IsEmpty());
  EXPECT_THAT(watch.Look({.replicas = {Trains(7), Trains(4)}}, 49).stuck,
              IsEmpty());
  EXPECT_THAT(watch.Look({.replicas = {Trains(7), Trains(4)}}, 50).stuck,
              ElementsAre(1));
}

// Both compute steps that take longer than the limit; one ends first.
TEST(PaceWatch, TimeCountsOnlyWhileItWaits) {
  PaceWatch watch = WatchOfReplica0(0);
  watch.Look({.replicas = {Trains(0), Trains(0)}}, 0);
  const ReplicaRecords ahead = {.replicas = {Trains(1), Trains(0)}};
  EXPECT_THAT(watch.Look(ahead, 70, 70).stuck, IsEmpty());
  EXPECT_THAT(watch.Look(ahead, 99, 70).stuck, IsEmpty());
  EXPECT_THAT(watch.Look(ahead, 100, 70).stuck, ElementsAre(1));
}

// Replica 2 waits for replica 1, as this one does.
TEST(PaceWatch, ThoseThatWaitForTheSameAreNotStuck) {
  PaceWatch watch = WatchOfReplica0(1);
  ReplicaRecords all = {.replicas = {Trains(7), Trains(3), Trains(5)}};
  watch.Look(all, 0);
  EXPECT_THAT(watch.Look(all, 40).stuck, ElementsAre(1));
  all.replicas[1].state = ReplicaState::kGone;
  EXPECT_THAT(watch.Look(all, 41).slowest, ElementsAre(2));
  EXPECT_THAT(watch.Look(all, 60).stuck, IsEmpty());
  EXPECT_THAT(watch.Look(all, 71).stuck, ElementsAre(2));
}

}  // namespace
}  // namespace millrace::train
