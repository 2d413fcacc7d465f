#include "millrace/base/threads/event_threads.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/base/denormals.h"
#include "millrace/base/threads/batch.h"

namespace millrace {
namespace {

// The role of the calling thread.
struct Here {
  EventThreads* threads = nullptr;
  bool on_duty = false;
};
constinit thread_local Here here;

}  // namespace

EventThreads::EventThreads(absl::string_view name, int threads,
                           std::function<bool()> serve)
    : name_(name), most_(threads), serve_(std::move(serve)) {
  MR_CHECK(threads >= 1, "nobody would wait for the events of ", name);
  MutexLock lock(mu_);
  StartThread();
}

EventThreads::~EventThreads() {
  std::vector<Thread> threads;
  {
    MutexLock lock(mu_);
    while (!ended_) changed_.Wait(mu_);
    // No thread is on duty any more, so none starts another one.
    threads.swap(threads_);
  }
  for (Thread& thread : threads) thread.Join();
}

bool EventThreads::HandOver() {
  if (here.threads == nullptr) return false;
  if (!here.on_duty) return true;
  if (!here.threads->PassOn()) return false;
  here.on_duty = false;
  // Data deferred to the end of the event is sent before the long work.
  Batch::FlushAll();
  return true;
}

bool EventThreads::HasHandedOver() {
  return here.threads != nullptr && !here.on_duty;
}

bool EventThreads::PassOn() {
  MutexLock lock(mu_);
  if (waiting_ == 0) {
    if (static_cast<int>(threads_.size()) == most_) return false;
    StartThread();
  }
  vacant_ = true;
  changed_.NotifyAll();
  return true;
}

void EventThreads::StartThread() {
  const size_t i = threads_.size();
  threads_.emplace_back(i == 0 ? name_ : absl::StrCat(name_, "-", i),
                        [this] { Loop(); });
}

bool EventThreads::TakeDuty() {
  MutexLock lock(mu_);
  ++waiting_;
  while (!vacant_ && !ended_) changed_.Wait(mu_);
  --waiting_;
  if (ended_) return false;
  vacant_ = false;
  return true;
}

void EventThreads::Loop() {
  const ScopedFlushDenormals flush;  // kernels may run here
  while (TakeDuty()) {
    here = {.threads = this, .on_duty = true};
    while (here.on_duty) {
      if (serve_()) continue;
      MR_CHECK(here.on_duty, "events of ", name_, " ended in a handler");
      MutexLock lock(mu_);
      ended_ = true;
      changed_.NotifyAll();
      break;
    }
    here = {};
  }
}

}  // namespace millrace
