#include "millrace/train/pipeline/pipeline_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace millrace::train {
namespace {

// "F0 F1 B0 B1"
std::string Text(PipelineOrder order, int64_t stage, int64_t stages,
                 int64_t micro_batches) {
  std::string text;
  for (const PipelineTask& task :
       TasksOfStage(order, stage, stages, micro_batches)) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    task.pass == PipelinePass::kForward ? "F" : "B",
                    task.micro_batch);
  }
  return text;
}

TEST(PipelineOrders, OfEachStage) {
  EXPECT_EQ(Text(PipelineOrder::kForwardFirst, 0, 3, 3), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(Text(PipelineOrder::kForwardFirst, 1, 3, 3), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(Text(PipelineOrder::kForwardFirst, 2, 3, 3), "F0 B0 F1 B1 F2 B2");
  EXPECT_EQ(Text(PipelineOrder::kAlternating, 0, 3, 4),
            "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(Text(PipelineOrder::kAlternating, 1, 3, 4),
            "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(Text(PipelineOrder::kAlternating, 2, 3, 4),
            "F0 B0 F1 B1 F2 B2 F3 B3");
  // Fewer micro-batches than stages, and one stage.
  EXPECT_EQ(Text(PipelineOrder::kAlternating, 0, 5, 2), "F0 F1 B0 B1");
  EXPECT_EQ(Text(PipelineOrder::kForwardFirst, 0, 1, 2), "F0 B0 F1 B1");
}

// Every order can be worked off: at each time some stage can go on. And no
// stage keeps more micro-batches than its order says.
TEST(PipelineOrders, NoStageWaitsForever) {
  for (const PipelineOrder order :
       {PipelineOrder::kForwardFirst, PipelineOrder::kAlternating}) {
    for (int64_t stages = 1; stages <= 5; ++stages) {
      for (int64_t m = 1; m <= 7; ++m) {
        std::vector<std::vector<PipelineTask>> tasks;
        for (int64_t i = 0; i < stages; ++i) {
          tasks.push_back(TasksOfStage(order, i, stages, m));
          EXPECT_EQ(tasks.back().size(), static_cast<size_t>(2 * m));
        }
        std::vector<size_t> done(tasks.size(), 0);
        const auto has_done = [&](size_t stage, const PipelineTask& task) {
          const auto end =
              tasks[stage].begin() + static_cast<std::ptrdiff_t>(done[stage]);
          return std::find(tasks[stage].begin(), end, task) != end;
        };
        for (bool goes_on = true; goes_on;) {
          goes_on = false;
          for (size_t i = 0; i < tasks.size(); ++i) {
            if (done[i] == tasks[i].size()) continue;
            const PipelineTask& next = tasks[i][done[i]];
            const bool is_forward = next.pass == PipelinePass::kForward;
            const bool is_ready =
                is_forward
                    ? i == 0 || has_done(i - 1, next)
                    : has_done(i, {PipelinePass::kForward, next.micro_batch}) &&
                          (i + 1 == tasks.size() || has_done(i + 1, next));
            if (!is_ready) continue;
            ++done[i];
            goes_on = true;
          }
        }
        for (size_t i = 0; i < tasks.size(); ++i) {
          EXPECT_EQ(done[i], tasks[i].size());
          int64_t kept = 0;
          int64_t most = 0;
          for (const PipelineTask& task : tasks[i]) {
            kept += task.pass == PipelinePass::kForward ? 1 : -1;
            most = std::max(most, kept);
          }
          const bool is_last = i + 1 == tasks.size();
          if (order == PipelineOrder::kAlternating || is_last) {
            EXPECT_EQ(most, std::min(m, stages - static_cast<int64_t>(i)));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace millrace::train
