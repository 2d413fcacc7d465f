// Threads and their synchronization. All blocking of the program goes through
// these classes, so that a simulation (sim.h) can decide every switch.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "millrace/base/clock.h"
#include "millrace/base/sim/sim_hooks.h"

namespace millrace {

namespace internal {
// Returns a number that identifies the calling thread, never 0, odd for
// simulated threads.
uint64_t ThreadTag();
}  // namespace internal

// Not recursive. Threads of a simulation and threads outside may share a mutex
// if the latter hold it only briefly.
class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() {
    if (internal::InSim()) [[unlikely]] {
      SimLock();
    } else {
      mu_.lock();
      owner_.store(internal::ThreadTag(), std::memory_order_relaxed);
    }
  }
  void Unlock() {
    owner_.store(0, std::memory_order_relaxed);
    mu_.unlock();
    if (internal::InSim()) [[unlikely]]
      internal::SimWakeOne(this);
  }
  // Returns true if it took the lock. Never blocks.
  bool TryLock() {
    if (!mu_.try_lock()) return false;
    owner_.store(internal::ThreadTag(), std::memory_order_relaxed);
    return true;
  }

 private:
  friend class CondVar;
  void SimLock();

  std::mutex mu_;
  std::atomic<uint64_t> owner_{0};
};

// Holds a Mutex for its scope; Unlock() and Lock() release it for a part of the
// scope.
class MutexLock {
 public:
  explicit MutexLock(Mutex& mu) : mu_(mu) { mu_.Lock(); }
  ~MutexLock() {
    if (held_) mu_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() {
    held_ = false;
    mu_.Unlock();
  }
  void Lock() {
    mu_.Lock();
    held_ = true;
  }

 private:
  Mutex& mu_;
  bool held_ = true;
};

// Waits may end without a notification: always wait in a loop on a condition.
// The notifier and the waiter must be in the same simulation, or both outside.
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  // Requires: the caller holds `mu`. It holds it again afterwards.
  void Wait(Mutex& mu) { WaitUntil(mu, Deadline::Infinite()); }
  // Returns true if the deadline passed.
  bool WaitUntil(Mutex& mu, Deadline deadline);
  void NotifyOne() {
    if (internal::InSim()) [[unlikely]]
      return internal::SimWakeOne(this);
    cv_.notify_one();
  }
  void NotifyAll() {
    if (internal::InSim()) [[unlikely]]
      return internal::SimWakeAll(this);
    cv_.notify_all();
  }

 private:
  std::condition_variable cv_;
};

// A lock for many readers or one writer. A waiting writer goes before new
// readers, so a thread must not take it twice, not even for reading.
class SharedMutex {
 public:
  SharedMutex() = default;
  ~SharedMutex() { pthread_rwlock_destroy(&rw_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void Lock();
  void Unlock();
  bool TryLock();
  void LockShared();
  void UnlockShared();
  bool TryLockShared();

 private:
  enum class Access { kShared, kExclusive };
  bool TryRaw(Access access);
  void UnlockRaw();
  void SimLock(Access access);

  pthread_rwlock_t rw_ = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  std::atomic<int32_t> sim_holders_{0};
  int32_t sim_writers_waiting_ = 0;  // guarded by the baton
};

class ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mu) : mu_(mu) { mu_.LockShared(); }
  ~ReaderLock() { mu_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mu_;
};

class WriterLock {
 public:
  explicit WriterLock(SharedMutex& mu) : mu_(mu) { mu_.Lock(); }
  ~WriterLock() { mu_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mu_;
};

// A flag that is raised once and can be waited for. It may be destroyed as soon
// as Wait() has returned, while Notify() is still returning.
class Notification {
 public:
  Notification() = default;
  ~Notification() { MutexLock wait_for_notify(mu_); }
  Notification(const Notification&) = delete;
  Notification& operator=(const Notification&) = delete;

  // May be called once; what happened before it is visible after Wait().
  void Notify();
  bool HasBeenNotified() const {
    return notified_.load(std::memory_order_acquire);
  }
  void Wait() { WaitUntil(Deadline::Infinite()); }
  // Returns true if notified, false if the deadline passed first.
  bool WaitUntil(Deadline deadline);

 private:
  Mutex mu_;
  CondVar cv_;
  std::atomic<bool> notified_{false};
};

// A running thread. Must be joined before it is destroyed. Debuggers show its
// name (the first 15 letters), and so do status dumps.
class Thread {
 public:
  Thread();
  Thread(absl::string_view name, absl::AnyInvocable<void()> body);
  Thread(Thread&&) noexcept;
  Thread& operator=(Thread&&) noexcept;
  ~Thread();

  bool joinable() const { return impl_ != nullptr; }
  // Waits for the end of the body. May be called once.
  void Join();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Lets other threads run; in a simulation it is a switch point. Code that polls
// an atomic must call it.
void Yield();

// Returns the name of the calling thread; "main" for the first one.
const std::string& CurrentThreadName();
// Returns the operating system's id of the calling thread; in a simulation its
// number within the run.
int64_t CurrentThreadId();

}  // namespace millrace
