// A block of a table: sorted entries whose keys share prefixes.
//
// An entry is: varint shared key bytes, varint unshared key bytes, varint value
// length, the unshared key bytes, the value. At restart points nothing is
// shared; their offsets (uint32 each) and their count end the block.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/status.h"

namespace millrace {

class BlockBuilder {
 public:
  explicit BlockBuilder(int restart_interval)
      : restart_interval_(restart_interval) {}

  // Adds an entry. Requires: keys are in ascending order.
  void Add(absl::string_view key, absl::string_view value);
  // Returns the finished block, and begins a new one.
  std::string Finish();

  bool empty() const { return entries_.empty(); }
  // Returns the size of the block that Finish() would return now.
  size_t size_bytes() const {
    return entries_.size() + 4 * restarts_.size() + 4;
  }

 private:
  const int restart_interval_;
  int since_restart_ = 0;
  std::string entries_;
  std::vector<uint32_t> restarts_ = {0};
  std::string last_key_;
};

// Immutable, so thread-safe.
class Block {
 public:
  // `contents` excludes the trailer; `charge` is for it. Returns DATA_LOSS if
  // the restart points do not fit.
  static StatusOr<std::shared_ptr<const Block>> Parse(std::string contents,
                                                      MemoryCharge charge);

  absl::string_view entries() const {
    return {contents_.data(), entries_size_};
  }
  size_t num_restarts() const { return num_restarts_; }
  uint32_t restart(size_t i) const;
  size_t size_bytes() const { return contents_.size(); }

 private:
  Block() = default;
  std::string contents_;
  MemoryCharge charge_;
  size_t entries_size_ = 0;
  size_t num_restarts_ = 0;
};

// Iterates over a block's entries and keeps the block alive. Check status()
// once valid() is false: DATA_LOSS if the block is malformed. Not thread-safe.
class BlockIterator {
 public:
  explicit BlockIterator(std::shared_ptr<const Block> block)
      : block_(std::move(block)) {}

  bool valid() const { return valid_; }
  const Status& status() const { return status_; }
  // Both are valid until the iterator moves.
  const std::string& key() const { return key_; }
  absl::string_view value() const { return value_; }

  void SeekToFirst();
  // Moves to the first entry with a key at or after `target`.
  void Seek(absl::string_view target);
  void Next();

 private:
  // Reads the entry at `offset`; its key builds on key_.
  void Load(size_t offset);
  void Corrupt();

  std::shared_ptr<const Block> block_;
  bool valid_ = false;
  Status status_;
  size_t next_ = 0;  // offset of the entry after the current one
  std::string key_;
  absl::string_view value_;
};

}  // namespace millrace
