// Table: reads a sorted table (table_format.h). The checksum of every block is
// verified before its contents are used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/checkpoint/table/table_block.h"
#include "millrace/checkpoint/table/table_format.h"

namespace millrace {

// Thread-safe. Errors: DATA_LOSS for a malformed file, UNIMPLEMENTED for a
// compressed one, RESOURCE_EXHAUSTED if the memory budget has no room for a
// block, otherwise the file's own. A call of Get or Seek reads two data blocks
// at most, and a pass over the table each byte of the file once, whatever the
// index says.
class Table {
 public:
  class Iterator;

  static StatusOr<std::unique_ptr<Table>> Open(
      std::unique_ptr<RandomAccessFile> file);

  // Returns an iterator that is not positioned yet. The table must outlive it.
  Iterator NewIterator() const;
  // Returns the value of exactly this key, or nullopt.
  StatusOr<std::optional<std::string>> Get(absl::string_view key) const;

 private:
  explicit Table(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}
  StatusOr<std::shared_ptr<const Block>> ReadBlock(
      const BlockHandle& handle) const;
  // Like ReadBlock, and caches the block if it is small.
  StatusOr<std::shared_ptr<const Block>> ReadCached(
      const BlockHandle& handle) const;

  std::unique_ptr<RandomAccessFile> file_;
  uint64_t blocks_end_ = 0;  // where the footer begins
  std::shared_ptr<const Block> index_;
  mutable Mutex mu_;
  mutable absl::flat_hash_map<uint64_t, std::shared_ptr<const Block>>
      cache_;                        // guarded by mu_
  mutable size_t cached_bytes_ = 0;  // guarded by mu_
};

// Iterates over the entries in the order of their keys. Not thread-safe. Check
// status() once valid() is false.
class Table::Iterator {
 public:
  bool valid() const { return data_ && data_->valid(); }
  const Status& status() const { return status_; }
  // Both are valid until the iterator moves.
  const std::string& key() const { return data_->key(); }
  absl::string_view value() const { return data_->value(); }

  void SeekToFirst();
  // Moves to the first entry with a key at or after `target`.
  void Seek(absl::string_view target);
  void Next();

 private:
  friend class Table;
  explicit Iterator(const Table* table)
      : table_(table), index_(table->index_) {}
  // Opens the block at index_; returns false at the end and on errors.
  bool OpenBlock();
  // If the data block is at its end, moves to the next one.
  void SkipToNextBlock();

  const Table* table_;
  BlockIterator index_;
  std::optional<BlockIterator> data_;
  // Where the block behind that of data_ begins at the earliest.
  uint64_t next_offset_ = 0;
  Status status_;
};

}  // namespace millrace
