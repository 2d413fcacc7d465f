// What a program finds: tables and pictures.
//
//   Table table({"form", "accuracy", "examples/s"});
//   table.Add({"in-graph, synchronous", Percent(0.871), Count(52'300)});
//   Findings findings(options);
//   findings.Show("Data parallelism", table, "Whoever waits ...");
//   findings.Draw("data_parallel", Picture(...));
//   return findings.Write();
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "examples/parallel/cpp/parallel.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

// Cells as text. What is negative or not finite was not reached: "-".
std::string Fixed(double value, int digits);  // "0.87"
std::string Percent(double share);            // "87.1 %"
std::string Count(double count);              // "52,300"
std::string Bytes(double bytes);              // "1.2 MB"
std::string Seconds(double seconds);          // "1.2 s", "25.3 ms"

// The first column is aligned to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> columns);
  // Requires: a cell for each column.
  void Add(std::vector<std::string> cells);

  std::string Text() const;      // in aligned columns
  std::string Markdown() const;  // | a | b |

 private:
  std::vector<std::vector<std::string>> rows_;  // the first: headings
};

// Prints what is found at once, for those who watch, and collects it for the
// folder options.out.
class Findings {
 public:
  explicit Findings(const Options& options) : folder_(options.out) {}
  // `shows`: a sentence or two on what the figures show.
  void Show(const std::string& title, const Table& table,
            const std::string& shows);
  // `svg`: of picture.h. `name`: of the file, without .svg.
  void Draw(const std::string& name, std::string svg);
  // Writes TABLE.md and the pictures; nothing without options.out.
  Status Write() const;

 private:
  const std::string folder_;
  std::string markdown_;
  std::vector<std::pair<std::string, std::string>> pictures_;
};

}  // namespace millrace::parallel
