// Batch: data that a thread sends while it handles an event is flushed together
// at the end of the event.
#pragma once

#include "absl/container/inlined_vector.h"
#include "millrace/base/memory/ref.h"

namespace millrace {

// A writer with buffered bytes to send.
class Flushable : public RefCounted {
 public:
  virtual void Flush() = 0;

 protected:
  ~Flushable() override = default;
};

// Lives on a thread's stack around the handling of an event or a task. A batch
// within another one belongs to the outer one. Code that is about to run for
// long calls FlushAll first.
class Batch {
 public:
  Batch();
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Calls `writer.Flush()` when the calling thread's batch ends. Returns false
  // if the thread has no batch.
  static bool Defer(Flushable* writer);
  // Flushes the writers that were deferred on the calling thread.
  static void FlushAll();

 private:
  using Writers = absl::InlinedVector<Ref<Flushable>, 4>;
  static void Flush(Writers& writers);

  Writers writers_;
  const bool outermost_;
};

}  // namespace millrace
