#include "tests/fuzz/ops/child.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/base/files/file.h"
#include "millrace/base/threads/thread.h"
#include "tests/fuzz/ops/case_maker.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace millrace::fuzz {
namespace {

constexpr int kFound = 77;
constexpr int kLeaks = 78;

bool HasLeaks() {
#if defined(__SANITIZE_ADDRESS__)
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

SharedState* MakeShared() {
  void* const memory =
      mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  MR_CHECK(memory != MAP_FAILED, "no memory to share");
  return new (memory) SharedState();
}

int MakeOutput() {
  const int file = memfd_create("fuzz_ops", 0);
  MR_CHECK(file >= 0, "no file in memory");
  return file;
}

// Returns the processor time of all threads of a process; 0 if it has ended.
int64_t CpuNanos(pid_t process) {
  const auto file = PosixFiles()->NewRandomAccessFile(
      absl::StrCat("/proc/", process, "/stat"));
  char buffer[1024];
  const StatusOr<size_t> size =
      file.ok() ? (*file)->Read(0, sizeof(buffer), buffer) : file.status();
  if (!size.ok()) return 0;
  const std::string text(buffer, *size);
  // The name, in brackets, may have anything in it. Behind it come the state
  // and ten numbers, then the ticks in user mode and in the kernel (proc(5)).
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  int64_t user = 0, kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

// What the process writes belongs to the case that it runs.
void ClearOutput(int file) {
  MR_CHECK(ftruncate(file, 0) == 0);
  lseek(file, 0, SEEK_SET);
}

void RunOneCase(const Material& material, const FuzzedOp& op, uint64_t seed,
                int64_t number, CaseCheck& check, SharedState* shared) {
  shared->stage = static_cast<int>(Stage::kMake);
  shared->began_cpu_nanos = CpuNanos(getpid());
  shared->began_nanos = NowNanos();
  const std::unique_ptr<cases::Case> c = MakeCase(material, op, seed, number);
  const Verdict verdict = check.Check(
      op, *c, [shared](Stage s) { shared->stage = static_cast<int>(s); });
  shared->began_nanos = 0;
  ++shared->answers[static_cast<int>(verdict.answer)];
  if (verdict.problem.empty()) return;
  const size_t size =
      std::min(verdict.problem.size(), sizeof(shared->problem) - 1);
  std::memcpy(shared->problem, verdict.problem.data(), size);
  shared->problem[size] = '\0';
  _exit(kFound);
}

void RunCases(const Material& material, const std::vector<const FuzzedOp*>& ops,
              const RoundOptions& options, Place from, size_t op_end,
              int output, SharedState* shared) {
  CaseCheck check(material);
  const int64_t end = options.first_case + options.cases;
  for (size_t op = from.op; op < op_end; ++op) {
    for (int64_t k = op == from.op ? from.number : options.first_case; k < end;
         ++k) {
      shared->op = op;
      shared->number = k;
      ClearOutput(output);
      RunOneCase(material, *ops[op], options.seed, k, check, shared);
    }
    shared->stage = static_cast<int>(Stage::kNone);
    ClearOutput(output);
    if (options.leaks && HasLeaks()) _exit(kLeaks);
  }
  _exit(0);  // threads that kernels have started are left behind
}

std::string HowItEnded(int status, const char* problem) {
  if (WIFSIGNALED(status)) {
    return absl::StrCat("the process was ended by signal ", WTERMSIG(status),
                        " (", strsignal(WTERMSIG(status)), ")");
  }
  switch (WEXITSTATUS(status)) {
    case 0:
      return "";
    case kFound:
      return problem;
    case kLeaks:
      return "memory that the op's cases took is lost";
    default:
      return absl::StrCat("the process ended with ", WEXITSTATUS(status));
  }
}

}  // namespace

Child::Child() : shared_(MakeShared()), output_(MakeOutput()) {}

Child::~Child() {
  Kill();
  close(output_);
  munmap(shared_, sizeof(SharedState));
}

void Child::Start(const Material& material,
                  const std::vector<const FuzzedOp*>& ops,
                  const RoundOptions& options, Place from, size_t op_end) {
  shared_->op = from.op;
  shared_->number = from.number;
  shared_->stage = static_cast<int>(Stage::kNone);
  shared_->began_cpu_nanos = 0;
  shared_->began_nanos = NowNanos();  // of the process, until its first case
  slow_.clear();
  std::fflush(stdout);
  pid_ = fork();
  MR_CHECK(pid_ >= 0, "no process can be started");
  if (pid_ > 0) return;
  dup2(output_, STDOUT_FILENO);
  dup2(output_, STDERR_FILENO);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // On a thread with the stack that a server's threads have. Leaks are found
  // beside it: the sanitizer does not know the thread that has come over the
  // fork, nor what is reached from its stack alone.
  Thread cases("cases", [&] {
    RunCases(material, ops, options, from, op_end, output_, shared_);
  });
  cases.Join();
}

bool Child::Ended(ChildEnd* end) {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return false;
  pid_ = -1;
  end->at = {shared_->op, shared_->number};
  end->stage = static_cast<Stage>(shared_->stage.load());
  end->problem = HowItEnded(status, shared_->problem);
  end->leaks = WIFEXITED(status) && WEXITSTATUS(status) == kLeaks;
  end->slow = !slow_.empty();
  if (end->slow) end->problem = slow_;
  return true;
}

void Child::EndIfSlow(int64_t limit_ms) {
  const int64_t began = shared_->began_nanos;
  if (pid_ <= 0 || !slow_.empty() || began == 0) return;
  const int64_t wait_ms = limit_ms * kWaitsFactor;
  if (CpuNanos(pid_) - shared_->began_cpu_nanos >= limit_ms * 1'000'000) {
    slow_ = absl::StrCat("takes more than ", limit_ms, " ms of processor time");
  } else if (NowNanos() - began >= wait_ms * 1'000'000) {
    slow_ = absl::StrCat("has not ended after ", wait_ms, " ms");
  } else {
    return;
  }
  kill(pid_, SIGKILL);
}

void Child::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string Child::Output() const {
  std::string text(64 << 10, '\0');
  const ssize_t size = pread(output_, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return text;
}

}  // namespace millrace::fuzz
