#include "examples/demo/training_result.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

std::string StateOf(const TrainingResult& result,
                    examples::ServerProcess& server) {
  const bool running = server.process.running();
  const size_t index = static_cast<size_t>(server.task.index);
  std::string state =
      running ? "up" : absl::StrCat("lost, ", server.process.HowItEnded());
  if (server.task.job == "worker" && running && index < result.lost.size() &&
      result.lost[index]) {
    state = "client lost";
  }
  if (server.restarts == 0) return state;
  // Short, as a terminal may have 80 columns.
  return absl::StrCat(running ? "" : state + ", ", "restarted ",
                      server.restarts, " x");
}

std::string TableOf(const TrainingResult& result,
                    examples::ServerProcesses& cluster) {
  std::vector<std::vector<std::string>> rows = {
      {"task", "address", "state", "steps", "received", "sent", "memory"}};
  for (examples::ServerProcess& server : cluster.servers()) {
    const bool running = server.process.running();
    const StatusOr<examples::ServerFigures> figures =
        running ? examples::FiguresOf(server.address())
                : Unavailable(server.name(), " is not running");
    rows.push_back(
        {server.name(), server.address(), StateOf(result, server),
         figures.ok() ? CountText(figures->steps) : "-",
         figures.ok() ? BytesText(figures->bytes_received) : "-",
         figures.ok() ? BytesText(figures->bytes_sent) : "-",
         running ? BytesText(examples::MemoryOf(server.process.pid()).peak)
                 : "-"});
  }
  return TableText(rows, /*first_right=*/3);
}

std::string SummaryOf(const TrainingResult& result,
                      const DemoOptions& options) {
  const int64_t steps =
      std::max<int64_t>(0, result.last_step - result.first_step);
  const double rate =
      result.seconds > 0
          ? static_cast<double>(steps * options.batch) / result.seconds
          : 0;
  return absl::StrFormat(
      "%s: test accuracy %s, step %d, %s examples/s, %s",
      result.trained ? "Trained" : "Not trained to the end",
      result.accuracy < 0 ? "unknown"
                          : absl::StrFormat("%.2f %%", 100 * result.accuracy),
      result.last_step, CountText(static_cast<int64_t>(rate)),
      TimeText(result.seconds));
}

}  // namespace

void ShowResult(const TrainingResult& result, const DemoOptions& options,
                examples::ServerProcesses& cluster, Display& display) {
  display.Print(
      "\nTasks, bytes of tensors between them, and most memory (resident):");
  display.Print(TableOf(result, cluster));
  display.Print(SummaryOf(result, options));
  if (result.recoveries > 0) {
    display.Print(absl::StrCat("Sessions made again after lost tasks: ",
                               result.recoveries));
  }
  const auto newest = LatestCheckpoint(PosixFiles(), options.dir);
  if (newest.ok() && !newest->empty()) {
    display.Print("Newest checkpoint: " + *newest);
  }
  display.Print(
      "Loss, accuracy and graph in TensorBoard (pip install tensorboard):\n"
      "  tensorboard --logdir " +
      options.dir);
}

}  // namespace millrace::demo
