#include "tests/gpu_check/case_processes.h"

#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "examples/support/process.h"

namespace millrace::gpu_check {
namespace {

using examples::Process;

// Few enough that one which ends early takes little with it, enough that the
// start of a process and of its device is shared.
constexpr size_t kOpsOfAProcess = 12;
constexpr int kPollMs = 200;

// A process and what it has told.
struct Checker {
  Process process;
  std::deque<std::string> left;  // ops, the one that runs first
  bool begun = false;            // that one
  std::string last_case;
};

class Pool {
 public:
  Pool(const std::vector<std::string>& command, std::vector<std::string> ops,
       const std::string& log, absl::FunctionRef<void(const CaseFailure&)> say)
      : command_(command),
        waiting_(ops.begin(), ops.end()),
        log_(log),
        say_(say) {}

  CaseTotals Run(int jobs, Deadline deadline) {
    while (!deadline.expired() && (!waiting_.empty() || !running_.empty())) {
      while (!waiting_.empty() && static_cast<int>(running_.size()) < jobs) {
        Start();
      }
      AwaitOutput();
      for (size_t i = 0; i < running_.size();) {
        // Asked before its lines are read, so that none is missed.
        const bool ended = !running_[i].process.running();
        for (const std::string& line : running_[i].process.Lines())
          Take(running_[i], line);
        if (ended) {
          End(running_[i]);
          running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
    }
    for (Checker& checker : running_) Append(checker.left, &totals_.left_out);
    Append(waiting_, &totals_.left_out);
    return std::move(totals_);
  }

 private:
  static void Append(const std::deque<std::string>& from,
                     std::vector<std::string>* to) {
    to->insert(to->end(), from.begin(), from.end());
  }

  void Fail(std::string op, std::string name, std::string text) {
    totals_.failures.push_back(
        {std::move(op), std::move(name), std::move(text)});
    say_(totals_.failures.back());
  }

  void Start() {
    Checker checker;
    while (!waiting_.empty() && checker.left.size() < kOpsOfAProcess) {
      checker.left.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    std::vector<std::string> words = command_;
    words.insert(words.end(), {"--cases_of", absl::StrJoin(checker.left, ",")});
    StatusOr<Process> process = Process::Start(words, log_, /*talk=*/true);
    if (!process.ok()) {
      for (const std::string& op : checker.left)
        Fail(op, "", process.status().ToString());
      return;
    }
    checker.process = *std::move(process);
    running_.push_back(std::move(checker));
  }

  void AwaitOutput() {
    std::vector<pollfd> watched;
    for (const Checker& checker : running_)
      watched.push_back({checker.process.output(), POLLIN, 0});
    poll(watched.data(), watched.size(), kPollMs);
  }

  // Lines are "op", "begin CASE", "case 0 or 1 CASE difference" and "end",
  // with tabs between and texts escaped.
  void Take(Checker& checker, const std::string& line) {
    const std::vector<std::string> parts = absl::StrSplit(line, '\t');
    if (checker.left.empty()) return;
    const auto text = [&parts](size_t i) {
      std::string out;
      if (i < parts.size()) absl::CUnescape(parts[i], &out);
      return out;
    };
    if (parts[0] == "op") {
      checker.begun = true;
      checker.last_case.clear();
    } else if (parts[0] == "begin") {
      checker.last_case = text(1);
    } else if (parts[0] == "case") {
      ++totals_.cases;
      totals_.on_gpu += text(1) == "1";
      const std::string difference = text(3);
      if (!difference.empty()) Fail(checker.left[0], text(2), difference);
    } else if (parts[0] == "end") {
      ++totals_.ops;
      checker.begun = false;
      checker.left.pop_front();
    }
  }

  // A process that ends before its ops do has met something bad, in the op that
  // it was at; others take the rest.
  void End(Checker& checker) {
    if (checker.left.empty()) return;
    Fail(checker.left[0], checker.last_case,
         absl::StrCat("the process ended with ", checker.process.HowItEnded(),
                      checker.begun ? "" : " before it began"));
    checker.left.pop_front();
    waiting_.insert(waiting_.begin(), checker.left.begin(), checker.left.end());
  }

  const std::vector<std::string>& command_;
  std::deque<std::string> waiting_;
  const std::string& log_;
  absl::FunctionRef<void(const CaseFailure&)> say_;
  std::vector<Checker> running_;
  CaseTotals totals_;
};

void Print(std::initializer_list<std::string> parts) {
  std::string line;
  for (const std::string& part : parts) {
    absl::StrAppend(&line, line.empty() ? "" : "\t", absl::CEscape(part));
  }
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace

void CheckCases(const cases::Suite& suite, GpuCases& gpu,
                const std::vector<std::string>& ops, Deadline deadline) {
  for (const std::string& name : ops) {
    for (const cases::OpCases& of_op : suite.op_cases) {
      if (of_op.op->name != name) continue;
      Print({"op", name});
      if (const Status begun = gpu.Begin(); !begun.ok()) {
        Print({"case", "0", "", begun.ToString()});
        Print({"end", name});
        continue;
      }
      for (const auto& c : of_op.cases) {
        if (c->options.build_error) continue;
        if (deadline.expired()) return;
        Print({"begin", c->options.name});
        const CaseVerdict verdict = gpu.Check(*c);
        Print({"case", verdict.on_gpu ? "1" : "0", c->options.name,
               verdict.difference});
      }
      Print({"end", name});
    }
  }
}

CaseTotals CheckInProcesses(const std::vector<std::string>& command,
                            std::vector<std::string> ops, int jobs,
                            const std::string& log, Deadline deadline,
                            absl::FunctionRef<void(const CaseFailure&)> say) {
  return Pool(command, std::move(ops), log, say).Run(jobs, deadline);
}

}  // namespace millrace::gpu_check
