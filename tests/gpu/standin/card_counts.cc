#include "tests/gpu/standin/card_counts.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace millrace::cuda::standin {

class CardCounts::Lock {
 public:
  explicit Lock(CardCounts& counts) : lock_(counts.mu_), file_(counts.file_) {
    if (file_ >= 0 && flock(file_, LOCK_EX) != 0) std::abort();
  }
  ~Lock() {
    if (file_ >= 0) flock(file_, LOCK_UN);
  }

 private:
  const std::lock_guard<std::mutex> lock_;
  const int file_;
};

CardCounts::CardCounts(const std::string& path) {
  const size_t bytes = kMostProcesses * sizeof(Process);
  if (!path.empty()) {
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) != 0)
      std::abort();
  }
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
           file_ >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file_, 0);
  if (memory == MAP_FAILED) std::abort();
  processes_ = static_cast<Process*>(memory);
}

size_t CardCounts::Sum(int card) {
  size_t sum = 0;
  for (int i = 0; i < kMostProcesses; ++i) {
    Process& process = processes_[i];
    if (process.pid == 0) continue;
    if (process.pid != getpid() && kill(process.pid, 0) != 0 && errno == ESRCH)
      process = {};
    sum += process.taken[card];
  }
  return sum;
}

CardCounts::Process& CardCounts::Mine() {
  Process* free = nullptr;
  for (int i = 0; i < kMostProcesses; ++i) {
    if (processes_[i].pid == getpid()) return processes_[i];
    if (processes_[i].pid == 0 && free == nullptr) free = &processes_[i];
  }
  if (free == nullptr) std::abort();
  free->pid = getpid();
  return *free;
}

bool CardCounts::Take(int card, size_t bytes, size_t limit) {
  const Lock lock(*this);
  const size_t taken = Sum(card);
  if (bytes > limit || taken > limit - bytes) return false;
  Mine().taken[card] += bytes;
  return true;
}

void CardCounts::GiveBack(int card, size_t bytes) {
  const Lock lock(*this);
  Mine().taken[card] -= bytes;
}

size_t CardCounts::Taken(int card) {
  const Lock lock(*this);
  return Sum(card);
}

}  // namespace millrace::cuda::standin
