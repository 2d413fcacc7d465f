// DecodeCharge: what the objects take that a message becomes. An element of a
// repeated field has two bytes on the wire and a hundred times as many in
// memory, so the size of the message says little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "millrace/base/memory/memory_charge.h"

namespace millrace {

// Counts the objects of one message against the process's memory budget, from
// about a MiB on, until it is destroyed.
class DecodeCharge {
 public:
  // While it lives, what this thread decodes counts here.
  class Scope {
   public:
    explicit Scope(DecodeCharge& charge)
        : before_(std::exchange(current_, &charge)) {}
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    DecodeCharge* const before_;
  };

  // Counts an object of this size; without a scope nothing. Returns
  // RESOURCE_EXHAUSTED if the budget has no room for it.
  static Status Count(size_t bytes) {
    DecodeCharge* const charge = current_;
    if (charge == nullptr) return OkStatus();
    charge->bytes_ += static_cast<int64_t>(bytes);
    if (charge->bytes_ - charge->charge_.bytes() < kStepBytes) {
      return OkStatus();
    }
    return charge->charge_.Set(charge->bytes_, "the objects of a message");
  }

 private:
  static constexpr int64_t kStepBytes = 1 << 20;
  static inline thread_local constinit DecodeCharge* current_ = nullptr;

  int64_t bytes_ = 0;
  MemoryCharge charge_;  // of these, all but the last step
};

}  // namespace millrace
