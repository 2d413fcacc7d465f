// Card: a GPU of the machine, as the driver knows it, with the primary context
// of this process.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/cuda/driver.h"

namespace millrace::cuda {

class ModuleCache;

// The facts that the driver knows of a card, without a context on it.
struct CardFacts {
  DeviceOrdinal ordinal = 0;
  std::string name;
  std::string pci_bus_id;    // "0000:17:00.0"
  std::string uuid;          // "GPU-..."
  int major = 0, minor = 0;  // compute capability
  size_t total_bytes = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  int shared_bytes_per_block = 0;        // without asking
  int shared_bytes_per_block_optin = 0;  // of functions that ask
};

StatusOr<CardFacts> ReadCardFacts(const Driver& driver, DeviceOrdinal ordinal);

// Thread-safe. Held by a shared_ptr by all that is in its memory or enqueued on
// it; the context ends with the last of them.
class Card : public std::enable_shared_from_this<Card> {
 public:
  // Returns the card of this process with that number, opened if it is not in
  // use. INTERNAL or RESOURCE_EXHAUSTED with the driver's error.
  static StatusOr<std::shared_ptr<Card>> Open(const Driver& driver,
                                              const CardFacts& facts);
  ~Card();

  const Driver& driver() const { return driver_; }
  const CardFacts& facts() const { return facts_; }
  Context context() const { return context_; }
  std::string name() const;  // "GPU 0 (NVIDIA H200)"

  // Makes the context the current one of this thread, as most calls need it.
  // Returns the card's error if it has one.
  Status Use();
  // Returns a call's result as a Status that names card, call and error:
  // RESOURCE_EXHAUSTED for kOutOfMemory, otherwise INTERNAL. A sticky error
  // becomes the card's.
  Status Check(Result result, const char* call);
  // Returns OK, or the sticky error that ended all work on this card.
  Status error() const;
  // Makes the result of a call the card's error, unless it has one; returns the
  // card's.
  Status Fail(Result result, const char* call);

  // Returns an event without times. The caller returns it when no query or
  // record of it is left; a wait of a stream keeps what was recorded.
  StatusOr<Event> TakeEvent();
  void ReturnEvent(Event event);
  // Waits until no work of the stream is left: done, or ended with the context.
  // For paths of errors.
  void Drain(Stream stream);

  ModuleCache& modules() { return *modules_; }

  // Returns whether the memory of `peer` can be reached directly; asks for it
  // at the first call.
  bool CanReach(Card& peer);

 private:
  Card(const Driver& driver, const CardFacts& facts);
  Status Start();

  const Driver& driver_;
  const CardFacts facts_;
  Context context_ = nullptr;
  std::unique_ptr<ModuleCache> modules_;

  std::atomic<bool> failed_{false};
  mutable Mutex mu_;
  Status error_;
  std::vector<Event> events_;  // unused ones
  std::vector<std::pair<DeviceOrdinal, bool>> peers_;
};

}  // namespace millrace::cuda
