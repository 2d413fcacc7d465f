#include "millrace/checkpoint/table/table_format.h"

#include <algorithm>

#include "millrace/base/coding.h"
#include "millrace/base/hash/crc32c.h"

namespace millrace {

void BlockHandle::AppendTo(std::string* out) const {
  PutVarint64(out, offset);
  PutVarint64(out, size_bytes);
}

bool BlockHandle::TakeFrom(absl::string_view* in) {
  absl::string_view rest = *in;
  if (!GetVarint64(&rest, &offset) || !GetVarint64(&rest, &size_bytes))
    return false;
  *in = rest;
  return true;
}

std::string TableFooter::Encode() const {
  std::string out;
  metaindex.AppendTo(&out);
  index.AppendTo(&out);
  out.resize(kTableFooterBytes - sizeof(kTableMagic), '\0');
  PutFixed64(&out, kTableMagic);
  return out;
}

StatusOr<TableFooter> TableFooter::Parse(absl::string_view bytes) {
  if (bytes.size() != kTableFooterBytes ||
      LoadFixed<uint64_t>(bytes.data() + bytes.size() - sizeof(kTableMagic)) !=
          kTableMagic) {
    return DataLoss("Not an sstable (bad magic number)");
  }
  TableFooter footer;
  absl::string_view in = bytes;
  // No checksum covers these bytes, so only the one form that a writer produces
  // is accepted.
  if (!footer.metaindex.TakeFrom(&in) || !footer.index.TakeFrom(&in) ||
      footer.Encode() != bytes) {
    return DataLoss("Bad block handles in the footer of an sstable");
  }
  return footer;
}

std::string EncodeBlockTrailer(absl::string_view block) {
  const char type = static_cast<char>(BlockCompression::kNone);
  std::string trailer(1, type);
  PutFixed32(&trailer,
             crc32c::Mask(crc32c::Extend(crc32c::Value(block), &type, 1)));
  return trailer;
}

Status CheckBlockTrailer(absl::string_view bytes) {
  if (bytes.size() < kBlockTrailerBytes) return DataLoss("Truncated block");
  const size_t size = bytes.size() - kBlockTrailerBytes;
  const uint32_t stored = LoadFixed<uint32_t>(bytes.data() + size + 1);
  if (crc32c::Mask(crc32c::Value(bytes.substr(0, size + 1))) != stored) {
    return DataLoss("Block checksum mismatch");
  }
  switch (static_cast<BlockCompression>(bytes[size])) {
    case BlockCompression::kNone:
      return OkStatus();
    case BlockCompression::kSnappy:
      return Unimplemented(
          "Block is compressed with snappy; only uncompressed tables can be "
          "read");
  }
  return DataLoss("Unknown block compression type ",
                  static_cast<int>(bytes[size]));
}

std::string ShortestSeparator(absl::string_view key, absl::string_view next) {
  const size_t limit = std::min(key.size(), next.size());
  size_t same = 0;
  while (same < limit && key[same] == next[same]) ++same;
  std::string result(key);
  if (same == limit) return result;
  const uint8_t byte = static_cast<uint8_t>(key[same]);
  if (byte < 0xff && byte + 1 < static_cast<uint8_t>(next[same])) {
    result.resize(same + 1);
    result[same] = static_cast<char>(byte + 1);
  }
  return result;
}

std::string ShortSuccessor(absl::string_view key) {
  std::string result(key);
  const size_t i = key.find_first_not_of('\xff');
  if (i == absl::string_view::npos) return result;
  result.resize(i + 1);
  result[i] = static_cast<char>(static_cast<uint8_t>(key[i]) + 1);
  return result;
}

}  // namespace millrace
