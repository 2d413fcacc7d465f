// The report of a check, as Markdown: docs/gpu/README.md says what is in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/gpu_check/case_processes.h"
#include "tests/gpu_check/overlap.h"
#include "tests/gpu_check/row.h"
#include "tests/gpu_check/torch_rows.h"

namespace millrace::gpu_check {

struct ExampleRun {
  std::string command;
  std::string error;  // empty: it ended well
  double seconds = 0;
};

struct Report {
  std::string title;  // the card's name, or the stand-in's
  bool stand_in = false;
  std::vector<std::string> machine;  // lines
  std::optional<CaseTotals> cases;
  std::vector<Row> rows;
  TorchRows torch;
  std::optional<Overlap> overlap;
  std::vector<ExampleRun> examples;
  double seconds = 0;
};

// How a row does against its goal: "met", "missed", "failed: ..."; "-" where it
// has no goal, or nothing to be compared with, or on the stand-in.
std::string Verdict(const Row& row, const Report& report);

// Whether everything that was checked is as it has to be.
bool IsGreen(const Report& report);

std::string Markdown(const Report& report);

}  // namespace millrace::gpu_check
