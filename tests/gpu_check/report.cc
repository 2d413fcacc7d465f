#include "tests/gpu_check/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "millrace/base/version.h"

namespace millrace::gpu_check {
namespace {

constexpr size_t kTracedNodes = 80;
constexpr double kHiddenGoal = 0.5;

double TorchSeconds(const Report& report, const std::string& name) {
  const auto it = report.torch.seconds.find(name);
  return it == report.torch.seconds.end() ? 0 : it->second;
}

// Bytes a second of the card's own copies; 0 if they were not measured.
double CopyBandwidth(const Report& report) {
  for (const Row& row : report.rows) {
    if (row.name == "copy" && row.seconds > 0) return row.amount / row.seconds;
  }
  return 0;
}

std::string Time(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds < 1e-3) return absl::StrFormat("%.1f us", seconds * 1e6);
  return absl::StrFormat("%.3f ms", seconds * 1e3);
}

std::string Rate(const Row& row) {
  if (row.seconds <= 0 || row.amount <= 0) return "-";
  const double rate = row.amount / row.seconds;
  return row.is_bytes ? absl::StrFormat("%.0f GB/s", rate / 1e9)
                      : absl::StrFormat("%.1f TFLOP/s", rate / 1e12);
}

std::string Goal(const Row& row) {
  if (row.limit_seconds > 0) return "<= " + Time(row.limit_seconds);
  if (row.least_of_copy > 0)
    return absl::StrFormat(">= %.2f of copy", row.least_of_copy);
  if (row.least_of_torch > 0)
    return absl::StrFormat(">= %.2f of PyTorch", row.least_of_torch);
  return "-";
}

// How often as fast as what it is compared with; 0 if with nothing.
double Ratio(const Row& row, const Report& report) {
  if (row.seconds <= 0) return 0;
  if (row.least_of_copy > 0) {
    const double copy = CopyBandwidth(report);
    return copy <= 0 ? 0 : row.amount / row.seconds / copy;
  }
  return TorchSeconds(report, row.name) / row.seconds;
}

// A text of several lines in a cell of a table.
std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\n", " "}, {"|", "\\|"}});
}

void AppendCases(const CaseTotals& cases, std::string* out) {
  absl::StrAppend(out, "\n## Values\n\n", cases.on_gpu, " of ", cases.cases,
                  " cases of ", cases.ops,
                  " ops ran on the GPU (others have types that stay on the "
                  "host); ",
                  cases.failures.size(), " differ from the CPU.\n");
  if (!cases.left_out.empty()) {
    absl::StrAppend(out, "\nThere was no time for ", cases.left_out.size(),
                    " ops: ", absl::StrJoin(cases.left_out, ", "), ".\n");
  }
  if (!cases.failures.empty()) {
    absl::StrAppend(out, "\n| op | case | difference |\n|---|---|---|\n");
    for (const CaseFailure& failure : cases.failures) {
      absl::StrAppend(out, "| ", failure.op, " | ", Cell(failure.name), " | ",
                      Cell(failure.text), " |\n");
    }
  }
}

void AppendRows(const Report& report, std::string* out) {
  absl::StrAppend(out, "\n## Speed\n\nBeside: ", report.torch.version,
                  ".\n\n| what | time | rate | PyTorch | ratio | goal | "
                  "verdict |\n|---|---|---|---|---|---|---|\n");
  for (const Row& row : report.rows) {
    const double ratio = Ratio(row, report);
    absl::StrAppend(out, "| ", row.name, " | ", Time(row.seconds), " | ",
                    Rate(row), " | ", Time(TorchSeconds(report, row.name)),
                    " | ", ratio > 0 ? absl::StrFormat("%.2f", ratio) : "-",
                    " | ", Goal(row), " | ", Cell(Verdict(row, report)),
                    " |\n");
  }
}

void AppendOverlap(const Overlap& overlap, std::string* out) {
  absl::StrAppend(
      out, "\n## Copies while it computes\n\nA step that computes: ",
      Time(overlap.compute_seconds),
      "; one that copies to the card and back: ", Time(overlap.copy_seconds),
      "; one that does both: ", Time(overlap.both_seconds),
      absl::StrFormat(
          ". Of the shorter one, %.0f %% is hidden behind the "
          "other.\n\n```text\n  start us     end us  device  node\n",
          100 * overlap.hidden_part()));
  for (size_t i = 0; i < overlap.trace.size() && i < kTracedNodes; ++i)
    absl::StrAppend(out, overlap.trace[i], "\n");
  absl::StrAppend(out, "```\n");
}

}  // namespace

std::string Verdict(const Row& row, const Report& report) {
  if (!row.error.empty()) return "failed: " + row.error;
  if (report.stand_in) return "-";
  if (row.limit_seconds > 0)
    return row.seconds <= row.limit_seconds ? "met" : "missed";
  const double ratio = Ratio(row, report);
  const double goal =
      row.least_of_copy > 0 ? row.least_of_copy : row.least_of_torch;
  if (goal <= 0 || ratio <= 0) return "-";
  return ratio >= goal ? "met" : "missed";
}

bool IsGreen(const Report& report) {
  if (report.cases &&
      !(report.cases->failures.empty() && report.cases->left_out.empty())) {
    return false;
  }
  for (const Row& row : report.rows) {
    const std::string verdict = Verdict(row, report);
    if (verdict != "met" && verdict != "-") return false;
  }
  for (const ExampleRun& example : report.examples) {
    if (!example.error.empty()) return false;
  }
  return report.stand_in || !report.overlap ||
         report.overlap->hidden_part() >= kHiddenGoal;
}

std::string Markdown(const Report& report) {
  std::string out =
      absl::StrCat("# ", report.title, "\n\nMillrace ", kVersion, "; ",
                   IsGreen(report) ? "everything is as it has to be"
                                   : "something is not as it has to be",
                   absl::StrFormat("; %.0f s.\n", report.seconds));
  if (report.stand_in) {
    absl::StrAppend(&out,
                    "\nOn the stand-in for CUDA's libraries: values count, and "
                    "times mean nothing.\n");
  }
  absl::StrAppend(&out, "\n## Machine\n\n");
  for (const std::string& line : report.machine)
    absl::StrAppend(&out, "- ", line, "\n");
  if (report.cases) AppendCases(*report.cases, &out);
  if (!report.rows.empty()) AppendRows(report, &out);
  if (report.overlap) AppendOverlap(*report.overlap, &out);
  if (!report.examples.empty()) {
    absl::StrAppend(&out, "\n## Examples\n\n| command | result | time |\n",
                    "|---|---|---|\n");
    for (const ExampleRun& example : report.examples) {
      absl::StrAppend(&out, "| `", example.command, "` | ",
                      example.error.empty() ? "ok" : Cell(example.error),
                      absl::StrFormat(" | %.1f s |\n", example.seconds));
    }
  }
  return out;
}

}  // namespace millrace::gpu_check
