// What a report says of figures and cases.
#include "tests/gpu_check/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::gpu_check {
namespace {

using ::testing::HasSubstr;

Report WithRow(Row row) {
  Report report;
  report.title = "A card";
  report.rows = {{.name = "copy", .seconds = 1, .amount = 8, .is_bytes = true},
                 std::move(row)};
  report.torch.seconds = {{"matmul_bf16", 0.9}, {"null_step", 1e-6}};
  return report;
}

std::string VerdictOf(const Row& row) { return Verdict(row, WithRow(row)); }

TEST(GpuReport, AGoalThatIsATime) {
  EXPECT_EQ(
      VerdictOf(
          {.name = "null_step", .seconds = 60e-6, .limit_seconds = 60e-6}),
      "met");
  EXPECT_EQ(
      VerdictOf(
          {.name = "null_step", .seconds = 61e-6, .limit_seconds = 60e-6}),
      "missed");
}

TEST(GpuReport, AGoalThatIsAPartOfTheCopyBandwidth) {
  Row row = {.name = "reduce_all",
             .seconds = 1,
             .amount = 7,
             .is_bytes = true,
             .least_of_copy = 0.85};
  EXPECT_EQ(VerdictOf(row), "met");
  row.amount = 6;
  EXPECT_EQ(VerdictOf(row), "missed");
}

TEST(GpuReport, AGoalThatIsAPartOfPyTorchsSpeed) {
  Row row = {
      .name = "matmul_bf16", .seconds = 1, .amount = 1, .least_of_torch = 0.9};
  EXPECT_EQ(VerdictOf(row), "met");
  row.seconds = 1.01;
  EXPECT_EQ(VerdictOf(row), "missed");
  EXPECT_FALSE(IsGreen(WithRow(row)));
  row.name = "not_measured_there";
  EXPECT_EQ(VerdictOf(row), "-");
  EXPECT_TRUE(IsGreen(WithRow(row)));
}

TEST(GpuReport, ARowThatCouldNotBeMeasured) {
  const Row row = {.name = "matmul_bf16",
                   .least_of_torch = 0.9,
                   .error = "INTERNAL: x|y\nz"};
  EXPECT_FALSE(IsGreen(WithRow(row)));
  EXPECT_THAT(Markdown(WithRow(row)), HasSubstr("failed: INTERNAL: x\\|y z |"));
}

TEST(GpuReport, TimesOfTheStandInMeanNothing) {
  const Row row = {.name = "null_step", .seconds = 1, .limit_seconds = 60e-6};
  Report report = WithRow(row);
  report.stand_in = true;
  EXPECT_EQ(Verdict(row, report), "-");
  EXPECT_TRUE(IsGreen(report));
  EXPECT_THAT(Markdown(report), HasSubstr("times mean nothing"));
}

TEST(GpuReport, CasesThatDifferOrWereLeftOut) {
  Report report = WithRow({.name = "x"});
  report.cases = CaseTotals{.ops = 1, .cases = 2, .on_gpu = 1};
  EXPECT_TRUE(IsGreen(report));
  EXPECT_THAT(Markdown(report),
              HasSubstr("1 of 2 cases of 1 ops ran on the GPU"));
  report.cases->left_out = {"MatMul"};
  EXPECT_FALSE(IsGreen(report));
  report.cases->left_out.clear();
  report.cases->failures = {{"MatMul", "case 1", "0 is not 1"}};
  EXPECT_FALSE(IsGreen(report));
  EXPECT_THAT(Markdown(report), HasSubstr("| MatMul | case 1 | 0 is not 1 |"));
}

TEST(GpuReport, HowMuchOfTheShorterOneIsHidden) {
  EXPECT_DOUBLE_EQ(
      (Overlap{.compute_seconds = 3, .copy_seconds = 2, .both_seconds = 4}
           .hidden_part()),
      0.5);
  EXPECT_DOUBLE_EQ(
      (Overlap{.compute_seconds = 3, .copy_seconds = 2, .both_seconds = 9}
           .hidden_part()),
      0);
  EXPECT_DOUBLE_EQ(Overlap().hidden_part(), 0);
}

}  // namespace
}  // namespace millrace::gpu_check
