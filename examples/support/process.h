// Process: a child process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "examples/support/lines.h"
#include "millrace/millrace.h"

namespace millrace::examples {

// Dies with its parent, whatever ends that; has a process group of its own, so
// that a terminal's Ctrl-C reaches the parent only. One thread.
class Process {
 public:
  Process() = default;
  // Runs `args`; errors go to the file `log` (appended). With `talk`, stdin and
  // stdout are pipes for lines, else stdin is empty and stdout goes to `log`.
  static StatusOr<Process> Start(const std::vector<std::string>& args,
                                 const std::string& log, bool talk);
  Process(Process&& o) noexcept { *this = std::move(o); }
  Process& operator=(Process&& o) noexcept;
  // Kills it if it runs.
  ~Process();

  // Looks whether it has ended.
  bool running();
  // "exit code 1", "signal 9"; once it has ended.
  std::string HowItEnded() const;
  bool ended_well() const { return status_ == 0; }
  pid_t pid() const { return pid_; }
  void Signal(int signal);
  // Tells a process that talks; nothing if it does not listen.
  void Tell(absl::string_view line);
  std::vector<std::string> Lines();
  int output() const { return output_; }  // -1 if it does not talk

 private:
  void CloseAll();

  pid_t pid_ = 0;
  std::optional<int> status_;  // of waitpid
  int input_ = -1;
  int output_ = -1;
  std::optional<LineReader> reader_;
};

// Where this program is: "/.../build/release/examples/demo".
StatusOr<std::string> OwnPath();

// Resident memory of a process in bytes: now, and at most so far. 0 if unknown.
struct Memory {
  int64_t now = 0;
  int64_t peak = 0;
};
Memory MemoryOf(pid_t pid);

}  // namespace millrace::examples
