// BlockRunner: runs the threads of one block of a kernel after the other, on
// one thread of the machine.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <vector>

#include "tests/gpu/standin/device_abi.h"
#include "tests/gpu/standin/fiber.h"

namespace millrace::cuda::standin {

struct Launch {
  const StandInModule* module = nullptr;
  uint64_t module_number = 0;  // that no other module had
  const StandInEntry* entry = nullptr;
  StandInDim grid = {}, block = {};
  unsigned shared_bytes = 0;
  void* const* arguments = nullptr;
};

// A thread of the machine has at most one, which runs one block at a time.
//
// A block begins on one fiber, which runs thread after thread as plain calls. A
// thread that has to wait keeps its fiber, and the threads that have not begun
// go on with another one. So kernels without barriers need one fiber.
class BlockRunner {
 public:
  BlockRunner();

  // Runs a block. Returns 0 or the driver's error that ended it.
  int Run(const Launch& launch, StandInDim block);

  // Whether code of a kernel runs on this thread of the machine now; the runner
  // of it, or null.
  static BlockRunner* Running();
  // Ends the block with an error. Does not return. Called on a fiber.
  [[noreturn]] void Fail(int error);

 private:
  // What lanes of a warp give each other.
  struct Gather {
    unsigned mask = 0, arrived = 0, readers = 0, took_part = 0;
    bool complete = false;
    unsigned long long values[32];
    std::vector<int> waiting;  // fibers
  };
  struct Warp {
    unsigned ended = 0;
    std::list<Gather> gathers;
  };
  struct Lane {
    std::unique_ptr<Fiber> fiber;
    unsigned thread = 0;  // that runs on it
    unsigned long long exchanged[33];
  };

  static unsigned BarrierOf(int predicate, unsigned* waiting);
  static const unsigned long long* ExchangeOf(unsigned mask,
                                              unsigned long long value);
  static void FailOf(int error);
  static void FiberMain(void* runner);

  void Reset(const Launch& launch, StandInDim block);
  void FillShared();
  void RunThreads();
  void BeginThread(unsigned thread);
  void EndThread(unsigned thread);
  unsigned Barrier(int predicate, unsigned* waiting);
  void CompleteBarrier();
  const unsigned long long* Exchange(unsigned mask, unsigned long long value);
  void CompleteIfAll(const Warp& warp, Gather& gather);
  // Lets others run until somebody has made this fiber ready.
  void Suspend();
  void ReportWait() const;
  // Returns the fiber to go on with, -1 if there is none.
  int TakeNext();
  void SetThread(unsigned thread);
  unsigned Random();

  Fiber main_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<int> idle_;
  std::deque<int> ready_;
  int current_ = -1;  // fiber

  // ---- Of the block.
  const Launch* launch_ = nullptr;
  StandInThread thread_ = {};
  unsigned total_ = 0, next_ = 0, ended_ = 0;
  std::vector<unsigned> order_;  // of threads; empty: by number
  std::vector<Warp> warps_;
  unsigned arrived_ = 0, predicates_ = 0;            // at the barrier
  unsigned last_arrived_ = 0, last_predicates_ = 0;  // at the one before
  std::vector<int> at_barrier_;                      // fibers
  int error_ = 0;
  uint64_t random_ = 0;

  // ---- Static shared memory of the module on this thread of the machine.
  uint64_t module_number_ = 0;
  char* shared_ = nullptr;
  size_t shared_bytes_ = 0;
  std::vector<char> dynamic_shared_;
};

}  // namespace millrace::cuda::standin
