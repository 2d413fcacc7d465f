// The fixed part: some cases of every op. More of them: ./dev fuzz ops.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/fuzz/ops/case_maker.h"
#include "tests/fuzz/ops/round.h"

namespace millrace::fuzz {
namespace {

class OddInputs : public ::testing::Test {
 protected:
  OddInputs() : suite_(cases::LoadSuite()), material_(Gather(*suite_)) {}

  const std::unique_ptr<cases::Suite> suite_;
  const Material material_;
};

TEST_F(OddInputs, OfEveryOpDoNoHarm) {
  const auto ops = Select(material_, {});
  ASSERT_TRUE(ops.ok());
  // What a busy machine takes longer for is no finding here.
  const RoundResult result = RunRound(
      material_, *ops, {.seed = 1, .cases = 2, .jobs = 2, .limit_ms = 30'000},
      Deadline::Infinite());
  for (const Finding& f : result.findings) ADD_FAILURE() << f.Text();
  EXPECT_TRUE(result.complete);
  // Most reach a kernel; else the round would find little.
  EXPECT_GT(result.errors + result.results, result.cases / 2)
      << result.refused << " of " << result.cases << " were refused";
  EXPECT_GT(result.results, result.cases / 10);
}

TEST_F(OddInputs, AreTheSameForASeed) {
  std::set<std::string> texts;
  int made = 0;
  for (const FuzzedOp& op : material_.ops) {
    if (++made > 100) break;
    const std::string text = Describe(*MakeCase(material_, op, 3, made));
    EXPECT_EQ(text, Describe(*MakeCase(material_, op, 3, made)));
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), 100u);
}

TEST_F(OddInputs, AreSelectedByOpAndFamily) {
  EXPECT_EQ(Select(material_, {"MatMul"})->size(), 1u);
  EXPECT_GT(Select(material_, {"product", "Relu"})->size(), 5u);
  EXPECT_EQ(Select(material_, {"MatMull"}).status().code(),
            StatusCode::kNotFound);
}

TEST_F(OddInputs, HaveHandlesOfAllKinds) {
  EXPECT_GT(material_.makers.at(DataType::kResource).size(), 10u);
  EXPECT_GT(material_.makers.at(DataType::kVariant).size(), 5u);
  EXPECT_GT(material_.makers.at(MakeRef(DataType::kString)).size(), 5u);
}

}  // namespace
}  // namespace millrace::fuzz
