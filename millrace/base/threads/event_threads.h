// EventThreads: threads on which events of many arrive (calls, replies), one
// at a time, and which pass that duty on before something long.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// One thread is on duty: it waits for an event, handles it, waits again. A
// handler that is about to run kernels calls HandOver, and while it goes on
// another thread is on duty; that one's wake-up delays nobody, where handing
// the kernels to another thread would delay the step. Thread-safe.
class EventThreads {
 public:
  // `serve` waits for an event and handles it; it returns false when there
  // will be none any more. It runs on one thread at a time up to its HandOver.
  // Of `threads`, all but the first start when they are first needed; with one
  // no duty is handed over.
  EventThreads(absl::string_view name, int threads,
               std::function<bool()> serve);
  // Waits until `serve` has returned false and its other runs have returned.
  ~EventThreads();
  EventThreads(const EventThreads&) = delete;
  EventThreads& operator=(const EventThreads&) = delete;

  // Makes the duty of the calling thread another thread's, until the event
  // that it handles is done; true as well if that has been done before. False
  // on a thread of no EventThreads, and if all others are busy. What the thread
  // has to send leaves before this returns (batch.h).
  static bool HandOver();
  // Whether the calling thread has handed its duty over: it may run kernels.
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
  bool vacant_ = true;  // nobody is on duty, and somebody was told
  bool ended_ = false;
  std::vector<Thread> threads_;
};

}  // namespace millrace
