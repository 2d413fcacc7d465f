// Batch: what a thread has to send while it handles something leaves in one
// piece at the end.
#pragma once

#include "absl/container/inlined_vector.h"
#include "millrace/base/memory/ref.h"

namespace millrace {

// Something with bytes to write.
class Flushable : public RefCounted {
 public:
  virtual void Flush() = 0;

 protected:
  ~Flushable() override = default;
};

// On the stack of a thread around the handling of an event or a task. A batch
// within another one belongs to it. Who is about to do something long, calls
// FlushAll first.
class Batch {
 public:
  Batch();
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Calls `writer.Flush()` when the calling thread's batch ends. False if it
  // is in none.
  static bool Defer(Flushable* writer);
  // What was deferred on the calling thread goes now.
  static void FlushAll();

 private:
  using Writers = absl::InlinedVector<Ref<Flushable>, 4>;
  static void Flush(Writers& writers);

  Writers writers_;
  const bool outermost_;
};

}  // namespace millrace
