#include "millrace/ops/random/range_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/memory/memory_budget.h"

namespace millrace::ops {
namespace {

using ::testing::ElementsAre;

std::vector<int> Counts(const RangeSampler& sampler, int draws) {
  Philox4x32 generator(7, 3);
  SamplerBits bits(&generator);
  std::vector<int> counts(static_cast<size_t>(sampler.range()));
  for (int i = 0; i < draws; ++i) {
    ++counts.at(static_cast<size_t>(sampler.Sample(bits)));
  }
  return counts;
}

// Checks that a sampler's frequencies match its probabilities.
void ExpectFair(const RangeSampler& sampler) {
  constexpr int kDraws = 200000;
  const std::vector<int> counts = Counts(sampler, kDraws);
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double p = sampler.Probability(static_cast<int64_t>(i));
    sum += p;
    EXPECT_NEAR(counts[i] / double{kDraws}, p, 0.005) << i;
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(RangeSamplerTest, DrawsByItsProbabilities) {
  ExpectFair(*MakeUniformSampler(7));
  ExpectFair(*MakeLogUniformSampler(20));
  const auto learned = *MakeLearnedSampler(13);
  ExpectFair(*learned);
  ASSERT_TRUE(learned->Learn({2, 2, 2, 12, 0, 2, 12}).ok());
  ExpectFair(*learned);
  EXPECT_FLOAT_EQ(learned->Probability(2), 5.0f / 20);
  ExpectFair(**MakeUnigramSampler({.range = 6, .num_reserved_ids = 1},
                                  {1, 5, 0.5, 3, 0}));
}

TEST(RangeSamplerTest, LearnedClassesCountInTheBudget) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit(), before = budget.used();
  const auto learned = *MakeLearnedSampler(int64_t{1} << 30);
  std::vector<int64_t> classes(200'000);
  for (size_t i = 0; i < classes.size(); ++i)
    classes[i] = static_cast<int64_t>(i * 5000);
  budget.set_limit(before + 10'000'000);
  const Status status = learned->Learn(classes);
  budget.set_limit(limit);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_GT(budget.used(), before + 1'000'000);
  EXPECT_GT(learned->Probability(0), learned->Probability(classes.back()));
}

TEST(RangeSamplerTest, LearnedClassesFitAnInt32) {
  EXPECT_FALSE(MakeLearnedSampler(int64_t{1} << 31).ok());
}

TEST(RangeSamplerTest, AVocabularysLastColumnIsTheWeight) {
  const auto weights =
      ParseVocabulary("the,10\nof,and,2.5\r\n\n\r\nx,1e-1", {.range = 3});
  ASSERT_TRUE(weights.ok()) << weights.status();
  EXPECT_THAT(*weights, ElementsAre(10, 2.5, 0.1f));
  EXPECT_EQ(ParseVocabulary("the,many", {.range = 1}).status().message(),
            "Wrong vocabulary format at line: the,many");
}

TEST(RangeSamplerTest, WordsOfOtherShardsAreNotLookedAt) {
  const UnigramOptions options = {.range = 2, .num_shards = 2, .shard = 1};
  const auto weights = ParseVocabulary("a,?\nb,2\nc,\nd,6\n", options);
  ASSERT_TRUE(weights.ok()) << weights.status();
  const auto sampler = *MakeUnigramSampler(options, *weights);
  EXPECT_FLOAT_EQ(sampler->Probability(0), 0.25f);
  EXPECT_FLOAT_EQ(sampler->Probability(1), 0.75f);
}

}  // namespace
}  // namespace millrace::ops
