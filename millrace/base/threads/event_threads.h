// EventThreads: threads that handle events of many sources (calls, replies),
// one event at a time, and pass that duty on before they run something long.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// One thread is on duty: it waits for an event, handles it, and waits again. A
// handler that is about to run kernels calls HandOver; while it runs, another
// thread is on duty. Waking that thread delays nothing, whereas moving the
// kernels to another thread would delay the step. Thread-safe.
class EventThreads {
 public:
  // `serve` waits for an event and handles it; it returns false when no more
  // events will come. It runs on one thread at a time, up to its HandOver. Of
  // `threads`, all but the first start when they are first needed; with one
  // thread, the duty is never handed over.
  EventThreads(absl::string_view name, int threads,
               std::function<bool()> serve);
  // Blocks until `serve` has returned false and its other runs have returned.
  ~EventThreads();
  EventThreads(const EventThreads&) = delete;
  EventThreads& operator=(const EventThreads&) = delete;

  // Passes the duty of the calling thread to another thread until the current
  // event is handled; returns true also if that was done before. Returns false
  // on a thread that belongs to no EventThreads, and if all other threads are
  // busy. Data that the thread has to send is sent before this returns
  // (batch.h).
  static bool HandOver();
  // Returns whether the calling thread has handed its duty over, so that it may
  // run kernels.
  static bool HasHandedOver();

 private:
  void Loop();
  bool TakeDuty();
  bool PassOn();
  void StartThread();

  const std::string name_;
  const int most_;
  const std::function<bool()> serve_;
  Mutex mu_;  // guards all below
  CondVar changed_;
  int waiting_ = 0;     // threads that wait for duty
  bool vacant_ = true;  // no thread is on duty, and one was notified
  bool ended_ = false;
  std::vector<Thread> threads_;
};

}  // namespace millrace
