// The container of checkpoint indexes: a sorted table in leveldb's format.
//
//   data block*  metaindex block  index block  footer
//
// Each block is followed by a trailer of 5 bytes: its compression type, and the
// masked CRC-32C of the block and that byte. The index block maps a key at or
// after the last one of each data block to the block's handle. The footer has
// the handles of the metaindex (always empty) and index blocks, zeros up to 40
// bytes, and a magic number. See leveldb's doc/table_format.md.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

inline constexpr uint64_t kTableMagic = 0xdb4775248b80fb57;
inline constexpr uint64_t kTableFooterBytes = 48;
inline constexpr uint64_t kBlockTrailerBytes = 5;

enum class BlockCompression : uint8_t { kNone = 0, kSnappy = 1 };

// The place of a block in the file, without its trailer.
struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size_bytes = 0;

  void AppendTo(std::string* out) const;
  // Removes a handle from the front of `in`; returns false if there is none.
  [[nodiscard]] bool TakeFrom(absl::string_view* in);
};

struct TableFooter {
  BlockHandle metaindex;
  BlockHandle index;

  std::string Encode() const;  // kTableFooterBytes
  // Returns DATA_LOSS unless `bytes` is exactly what Encode() returns for some
  // handles.
  static StatusOr<TableFooter> Parse(absl::string_view bytes);
};

// Returns the trailer of an uncompressed block.
std::string EncodeBlockTrailer(absl::string_view block);
// `bytes` is a block and its trailer. Returns OK if the checksum is right and
// the block is not compressed; DATA_LOSS, or UNIMPLEMENTED for snappy.
Status CheckBlockTrailer(absl::string_view bytes);

// Returns a short key k with `key` <= k < `next`. Requires: `key` < `next`.
std::string ShortestSeparator(absl::string_view key, absl::string_view next);
// Returns a short key at or after `key`.
std::string ShortSuccessor(absl::string_view key);

}  // namespace millrace
