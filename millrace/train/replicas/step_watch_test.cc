#include "millrace/train/replicas/step_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::train {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

StepWatch Watch() {
  StepWatch watch({.gradients_per_step = 3,
                   .report_nanos = 10 * kSecond,
                   .too_few_nanos = 30 * kSecond});
  watch.Progress(0);
  return watch;
}

TEST(StepWatch, LooksWhereNothingHappens) {
  StepWatch watch = Watch();
  EXPECT_FALSE(watch.ShouldLook(4 * kSecond));
  EXPECT_TRUE(watch.ShouldLook(5 * kSecond));
  watch.Progress(5 * kSecond);
  EXPECT_FALSE(watch.ShouldLook(6 * kSecond));
}

TEST(StepWatch, ReportsAStepOnce) {
  StepWatch watch = Watch();
  const SyncStepState state = {.global_step = 0, .gradients = {2, 1}};
  EXPECT_FALSE(watch.Look(state, 5 * kSecond).report);
  EXPECT_TRUE(watch.Look(state, 11 * kSecond).report);
  EXPECT_EQ(watch.Describe(state, {"w", "b"}, 11 * kSecond),
            "step 0 has waited for 11 s: 1 of 3 gradients of b, 2 of 3 of w; 0 "
            "tokens are left");
  EXPECT_FALSE(watch.Look(state, 12 * kSecond).report);
  watch.Progress(13 * kSecond);
  EXPECT_FALSE(watch.Look(state, 14 * kSecond).report);
  EXPECT_TRUE(watch.Look(state, 24 * kSecond).report);
}

TEST(StepWatch, TooFewIsWhereNothingComesAnyMore) {
  StepWatch watch = Watch();
  EXPECT_EQ(
      watch.Look({.global_step = 1, .gradients = {1, 1}}, 10 * kSecond).missing,
      0);
  // A slow one still gives.
  const SyncStepState two = {.global_step = 1, .gradients = {2, 2}};
  EXPECT_EQ(watch.Look(two, 35 * kSecond).missing, 0);
  EXPECT_EQ(watch.Look(two, 60 * kSecond).missing, 0);
  EXPECT_EQ(watch.Look(two, 65 * kSecond).missing, 1);
  // What was handed out again has its time.
  EXPECT_EQ(watch.Look(two, 66 * kSecond).missing, 0);
  EXPECT_EQ(watch.Look(two, 95 * kSecond).missing, 1);
}

// Replicas whose steps take 40 s are not lost after 30.
TEST(StepWatch, LongStepsAreWaitedFor) {
  StepWatch watch = Watch();
  watch.Progress(40 * kSecond);
  const SyncStepState state = {.global_step = 1, .gradients = {0}};
  EXPECT_EQ(watch.Look(state, 41 * kSecond).missing, 0);
  EXPECT_EQ(watch.Look(state, 160 * kSecond).missing, 0);
  EXPECT_EQ(watch.Look(state, 165 * kSecond).missing, 3);
  // A step that was helped says nothing about how long steps are.
  watch.Progress(400 * kSecond);
  EXPECT_EQ(
      watch.Look({.global_step = 2, .gradients = {0}}, 401 * kSecond).missing,
      0);
  EXPECT_EQ(
      watch.Look({.global_step = 2, .gradients = {0}}, 525 * kSecond).missing,
      3);
}

TEST(StepWatch, TheVariableWithTheFewestCounts) {
  StepWatch watch = Watch();
  const SyncStepState torn = {.global_step = 1, .gradients = {0, 2}};
  watch.Look(torn, kSecond);
  EXPECT_EQ(watch.Look(torn, 40 * kSecond).missing, 3);
}

TEST(StepWatch, TokensThatNobodyTakesAreEnough) {
  StepWatch watch = Watch();
  const SyncStepState state = {
      .global_step = 1, .waiting_tokens = 2, .gradients = {1}};
  watch.Look(state, kSecond);
  EXPECT_EQ(watch.Look(state, 40 * kSecond).missing, 0);
}

}  // namespace
}  // namespace millrace::train
