// LocalRendezvous: the rendezvous of a step within one process.
#pragma once

#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/rendezvous.h"

namespace millrace {

// Thread-safe. A value is passed to exactly one receiver; several sends and
// receives of one key are matched in order.
class LocalRendezvous final : public Rendezvous {
 public:
  LocalRendezvous();
  ~LocalRendezvous() override;

  Status Send(absl::string_view key, RendezvousValue value) override;
  void RecvAsync(absl::string_view key, CancelScope* cancel,
                 RecvDone done) override;
  void StartAbort(const Status& status) override;

  // The values that were not received and the receivers that wait, for status
  // pages.
  struct Counts {
    int64_t values = 0;
    int64_t waiters = 0;
    int64_t cancelled = 0;  // receives that were, and are not forgotten yet
  };
  Counts counts() const;

 private:
  struct Waiter;
  struct Item;
  using Table = absl::flat_hash_map<std::string, std::deque<Item>>;

  // Returns the position of a value, or the end. Requires: mu_ is held.
  Table::iterator FindValue(absl::string_view key);
  Item TakeFront(Table::iterator it);
  // The second half of a receive whose value has not arrived yet.
  void RecvUnlessCancelled(const std::string& key, CancelScope* cancel,
                           Ref<Waiter> waiter);

  // Counts a value that waits, or that does no longer. Requires: mu_ is held.
  Status Hold(absl::string_view key);
  void LetGo(absl::string_view key);
  // Forgets the receives that were cancelled. Requires: mu_ is held.
  void DropClaimed();

  mutable Mutex mu_;  // guards all below
  Table table_;
  size_t pushed_ = 0;       // receives since the last DropClaimed
  size_t kept_ = 0;         // items that it left
  int64_t held_bytes_ = 0;  // of values that wait, beside their buffers
  MemoryCharge charge_;
  Status aborted_;
  uint64_t next_number_ = 0;
};

}  // namespace millrace
