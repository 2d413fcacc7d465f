// Cases whose results on GPUs differ from the CPU's, and why.
#pragma once

#include <string>
#include <vector>

namespace millrace::cases {

class Differences {
 public:
  void Add(std::string op, std::string pattern) {
    rows_.push_back({std::move(op), std::move(pattern)});
  }
  // Whether a case is listed. Patterns have `*` for any characters.
  bool Allows(const std::string& op, const std::string& name) const;

 private:
  struct Row {
    std::string op, pattern;
  };
  std::vector<Row> rows_;
};

// Reads lines "OP PATTERN: reason". Aborts on a malformed one.
Differences ReadDifferences(const std::string& path);

}  // namespace millrace::cases
