#include "millrace/base/threads/thread.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "millrace/base/check.h"

namespace millrace {
namespace {

thread_local std::string thread_name;

void SetOsThreadName(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace

namespace internal {

uint64_t ThreadTag() {
  if (current_sim_thread) {
    return reinterpret_cast<uint64_t>(current_sim_thread) | 1;
  }
  // Returns any even number that no other live thread has.
  alignas(8) static constinit thread_local char self = 0;
  return reinterpret_cast<uint64_t>(&self);
}

}  // namespace internal

void Mutex::SimLock() {
  internal::SimMaybeSwitch("lock");
  while (!mu_.try_lock()) {
    if ((owner_.load(std::memory_order_relaxed) & 1) == 0) {
      // A thread outside the simulation holds it, for a moment of real time.
      mu_.lock();
      break;
    }
    internal::SimBlock(this, "a Mutex", Deadline::Infinite(), &owner_);
  }
  owner_.store(internal::ThreadTag(), std::memory_order_relaxed);
}

bool CondVar::WaitUntil(Mutex& mu, Deadline deadline) {
  if (internal::InSim()) [[unlikely]] {
    mu.Unlock();
    bool timed_out = false;
    if (internal::SimSpurious()) {
      internal::SimSwitch("spurious wake-up");
    } else {
      timed_out = internal::SimBlock(this, "a CondVar", deadline);
    }
    mu.Lock();
    return timed_out;
  }
  mu.owner_.store(0, std::memory_order_relaxed);
  std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
  bool timed_out = false;
  if (deadline.infinite()) {
    cv_.wait(lock);
  } else {
    const std::chrono::steady_clock::time_point until{
        std::chrono::nanoseconds(deadline.nanos())};
    timed_out = cv_.wait_until(lock, until) == std::cv_status::timeout;
  }
  lock.release();
  mu.owner_.store(internal::ThreadTag(), std::memory_order_relaxed);
  return timed_out;
}

bool SharedMutex::TryRaw(Access access) {
  return (access == Access::kShared ? pthread_rwlock_tryrdlock(&rw_)
                                    : pthread_rwlock_trywrlock(&rw_)) == 0;
}

void SharedMutex::SimLock(Access access) {
  const bool shared = access == Access::kShared;
  internal::SimMaybeSwitch("lock");
  if (!shared) ++sim_writers_waiting_;
  while (true) {
    const bool writer_first = shared && sim_writers_waiting_ > 0;
    if (!writer_first) {
      if (TryRaw(access)) break;
      if (sim_holders_.load(std::memory_order_relaxed) == 0) {
        // Held outside the simulation, for a moment of real time.
        shared ? pthread_rwlock_rdlock(&rw_) : pthread_rwlock_wrlock(&rw_);
        break;
      }
    }
    internal::SimBlock(
        this, shared ? "a SharedMutex, to read" : "a SharedMutex, to write",
        Deadline::Infinite());
  }
  if (!shared) --sim_writers_waiting_;
  sim_holders_.fetch_add(1, std::memory_order_relaxed);
}

void SharedMutex::UnlockRaw() {
  if (internal::InSim()) [[unlikely]] {
    sim_holders_.fetch_sub(1, std::memory_order_relaxed);
    pthread_rwlock_unlock(&rw_);
    internal::SimWakeAll(this);
    return;
  }
  pthread_rwlock_unlock(&rw_);
}

void SharedMutex::Lock() {
  if (internal::InSim()) [[unlikely]]
    return SimLock(Access::kExclusive);
  const int error = pthread_rwlock_wrlock(&rw_);
  MR_DCHECK(error == 0, "the thread holds this SharedMutex already");
  static_cast<void>(error);
}

void SharedMutex::LockShared() {
  if (internal::InSim()) [[unlikely]]
    return SimLock(Access::kShared);
  const int error = pthread_rwlock_rdlock(&rw_);
  MR_DCHECK(error == 0, "the thread holds this SharedMutex already");
  static_cast<void>(error);
}

bool SharedMutex::TryLock() {
  if (!TryRaw(Access::kExclusive)) return false;
  if (internal::InSim()) sim_holders_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool SharedMutex::TryLockShared() {
  if (!TryRaw(Access::kShared)) return false;
  if (internal::InSim()) sim_holders_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void SharedMutex::Unlock() { UnlockRaw(); }
void SharedMutex::UnlockShared() { UnlockRaw(); }

void Notification::Notify() {
  MutexLock lock(mu_);
  MR_CHECK(!HasBeenNotified(), "Notify was called twice");
  notified_.store(true, std::memory_order_release);
  cv_.NotifyAll();
}

bool Notification::WaitUntil(Deadline deadline) {
  MutexLock lock(mu_);
  while (!HasBeenNotified()) {
    if (cv_.WaitUntil(mu_, deadline)) return HasBeenNotified();
  }
  return true;
}

struct Thread::Impl {
  std::thread os;
  internal::SimThread* sim = nullptr;
};

Thread::Thread() = default;
Thread::Thread(Thread&&) noexcept = default;

Thread& Thread::operator=(Thread&& o) noexcept {
  MR_CHECK(!joinable(), "a thread must be joined before it is replaced");
  impl_ = std::move(o.impl_);
  return *this;
}

Thread::Thread(absl::string_view name, absl::AnyInvocable<void()> body)
    : impl_(std::make_unique<Impl>()) {
  if (internal::InSim()) {
    impl_->sim = internal::SimStartThread(name, std::move(body));
    return;
  }
  impl_->os =
      std::thread([name = std::string(name), body = std::move(body)]() mutable {
        SetOsThreadName(name);
        thread_name = std::move(name);
        body();
      });
}

Thread::~Thread() {
  MR_CHECK(!joinable(), "a thread must be joined before it is destroyed");
}

void Thread::Join() {
  MR_CHECK(joinable(), "there is no thread to join");
  if (impl_->sim) {
    MR_CHECK(internal::InSim(), "a simulated thread is joined from outside");
    internal::SimJoin(impl_->sim);
  } else {
    impl_->os.join();
  }
  impl_ = nullptr;
}

void Yield() {
  if (internal::InSim()) [[unlikely]]
    return internal::SimSwitch("yield");
  sched_yield();
}

const std::string& CurrentThreadName() {
  if (internal::InSim()) return internal::SimThreadName();
  if (thread_name.empty()) {
    // A thread of a library, or the first one.
    char name[16] = "";
    if (CurrentThreadId() == getpid()) {
      thread_name = "main";
    } else if (pthread_getname_np(pthread_self(), name, sizeof(name)) == 0 &&
               name[0]) {
      thread_name = name;
    } else {
      thread_name = "thread";
    }
  }
  return thread_name;
}

int64_t CurrentThreadId() {
  if (internal::InSim()) return internal::SimThreadId();
  static constinit thread_local int64_t id = 0;
  if (id == 0) id = syscall(SYS_gettid);
  return id;
}

}  // namespace millrace
