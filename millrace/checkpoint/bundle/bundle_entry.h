// The index of a checkpoint of format V2 (a "tensor bundle").
//
// PREFIX.index is a table (table_format.h). The empty key maps to a
// BundleHeaderProto. Each tensor's name maps to a BundleEntryProto: the place
// of its bytes in PREFIX.data-SSSSS-of-NNNNN, or, if it is saved in slices, the
// list of slices; each slice has an entry of its own under SliceKey().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/dtype.h"
#include "millrace/tensor/shape.h"

namespace millrace {

struct BundleEntry {
  DataType dtype = DataType::kInvalid;
  TensorShape shape;                // of the full tensor, or of the slice
  std::vector<TensorSlice> slices;  // if not empty, the fields below are unused
  int shard = 0;
  int64_t offset = 0;
  int64_t size_bytes = 0;
  uint32_t crc32c = 0;  // masked
};

inline constexpr char kBundleHeaderKey[] = "";
inline constexpr int kMaxBundleShards = 100000;

std::string EncodeBundleHeader(int num_shards);
// Returns the number of shards. Returns DATA_LOSS for a malformed header,
// UNIMPLEMENTED for big-endian data, INVALID_ARGUMENT for a file that only
// newer readers understand.
StatusOr<int> ParseBundleHeader(absl::string_view bytes);

std::string EncodeBundleEntry(const BundleEntry& entry);
// Parses an entry and checks that its fields are consistent (shard against
// `num_shards`, size against shape and dtype, slices against the shape).
// Returns DATA_LOSS, or INVALID_ARGUMENT for an unsupported dtype.
StatusOr<BundleEntry> ParseBundleEntry(absl::string_view bytes, int num_shards);

}  // namespace millrace
