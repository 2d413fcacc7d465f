#include "examples/support/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "millrace/millrace.h"

namespace millrace::examples {
namespace {

constexpr int kCannotRun = 127;
constexpr int64_t kBytesPerKb = 1024;

// Between fork and exec: only what is safe there.
[[noreturn]] void RunChild(char* const* argv, int in, int out, int log,
                           pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotRun);  // it has ended already
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(argv[0], argv);
  _exit(kCannotRun);
}

}  // namespace

StatusOr<Process> Process::Start(const std::vector<std::string>& args,
                                 const std::string& log, bool talk) {
  std::vector<char*> argv;
  for (const std::string& arg : args) {
    argv.push_back(const_cast<char*>(arg.c_str()));
  }
  argv.push_back(nullptr);
  const int log_fd =
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_fd < 0) return ErrnoStatus(log, errno);
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  Process process;
  if (talk) {
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
      return ErrnoStatus("pipe", errno);
    }
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    process.input_ = in[1];
    process.output_ = out[0];
    process.reader_.emplace(out[0]);
  } else {
    in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  const pid_t parent = getpid();
  process.pid_ = fork();
  if (process.pid_ == 0) {
    RunChild(argv.data(), in[0], talk ? out[1] : log_fd, log_fd, parent);
  }
  const int error = errno;
  close(log_fd);
  close(in[0]);
  if (talk) close(out[1]);
  if (process.pid_ < 0) return ErrnoStatus("fork", error);
  return process;
}

Process& Process::operator=(Process&& o) noexcept {
  if (this == &o) return *this;
  CloseAll();
  pid_ = std::exchange(o.pid_, 0);
  status_ = o.status_;
  input_ = std::exchange(o.input_, -1);
  output_ = std::exchange(o.output_, -1);
  reader_ = std::move(o.reader_);
  return *this;
}

Process::~Process() { CloseAll(); }

void Process::CloseAll() {
  if (running()) {
    Signal(SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    status_ = status;
  }
  if (input_ >= 0) close(std::exchange(input_, -1));
  if (output_ >= 0) close(std::exchange(output_, -1));
}

bool Process::running() {
  if (pid_ <= 0 || status_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  status_ = status;
  return false;
}

std::string Process::HowItEnded() const {
  if (!status_) return "running";
  if (WIFSIGNALED(*status_)) return absl::StrCat("signal ", WTERMSIG(*status_));
  return absl::StrCat("exit code ", WEXITSTATUS(*status_));
}

void Process::Signal(int signal) {
  if (pid_ > 0 && !status_) kill(pid_, signal);
}

void Process::Tell(absl::string_view line) {
  if (input_ >= 0 && !WriteLine(input_, line)) {
    close(std::exchange(input_, -1));
  }
}

std::vector<std::string> Process::Lines() {
  return reader_ ? reader_->Read() : std::vector<std::string>();
}

StatusOr<std::string> OwnPath() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  if (n <= 0) return ErrnoStatus("/proc/self/exe", errno);
  return std::string(path, static_cast<size_t>(n));
}

Memory MemoryOf(pid_t pid) {
  Memory memory;
  const auto text =
      ReadFileToString(PosixFiles(), absl::StrCat("/proc/", pid, "/status"));
  if (!text.ok()) return memory;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    int64_t* field = nullptr;
    if (absl::ConsumePrefix(&line, "VmRSS:")) field = &memory.now;
    if (absl::ConsumePrefix(&line, "VmHWM:")) field = &memory.peak;
    int64_t kb = 0;
    if (!field || !absl::ConsumeSuffix(&line, " kB")) continue;
    if (absl::SimpleAtoi(line, &kb)) *field = kb * kBytesPerKb;
  }
  return memory;
}

}  // namespace millrace::examples
