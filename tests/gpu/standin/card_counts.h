// CardCounts: how many bytes of each card are taken, by this process or by all
// that name the same file.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace millrace::cuda::standin {

// Thread-safe. What a process took is free again when it ends, however it ends.
class CardCounts {
 public:
  static constexpr int kMostCards = 64;

  // Without a path only this process counts.
  explicit CardCounts(const std::string& path);

  // Takes bytes of a card that has `limit`; returns false if that is too many.
  bool Take(int card, size_t bytes, size_t limit);
  void GiveBack(int card, size_t bytes);
  size_t Taken(int card);

 private:
  static constexpr int kMostProcesses = 64;
  struct Process {
    int pid;  // 0: nobody
    size_t taken[kMostCards];
  };

  class Lock;
  // Requires: the lock is held, as for all of the following.
  size_t Sum(int card);
  Process& Mine();

  std::mutex mu_;
  int file_ = -1;
  Process* processes_ = nullptr;  // kMostProcesses of them
};

}  // namespace millrace::cuda::standin
