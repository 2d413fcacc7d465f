#include "millrace/checkpoint/bundle/string_tensor.h"

#include <limits>
#include <vector>

#include "millrace/base/coding.h"
#include "millrace/base/hash/crc32c.h"

namespace millrace {
namespace {

uint32_t ExtendByLength(uint32_t crc, uint64_t length) {
  const bool wide = length > std::numeric_limits<uint32_t>::max();
  char bytes[8];
  StoreFixed<uint64_t>(bytes,
                       length);  // little-endian: the low half comes first
  return crc32c::Extend(crc, bytes, wide ? 8 : 4);
}

}  // namespace

std::string EncodeStringHeader(absl::Span<const StringElement> strings,
                               uint32_t* crc) {
  std::string header;
  *crc = 0;
  for (const StringElement& s : strings) {
    PutVarint64(&header, s.size());
    *crc = ExtendByLength(*crc, s.size());
  }
  const size_t lengths_end = header.size();
  PutFixed32(&header, crc32c::Mask(*crc));
  *crc = crc32c::Extend(*crc, header.data() + lengths_end, 4);
  return header;
}

Status DecodeStrings(absl::string_view stored, uint32_t masked_crc,
                     absl::Span<StringElement> strings) {
  absl::string_view in = stored;
  std::vector<uint64_t> lengths(strings.size());
  uint32_t crc = 0;
  for (uint64_t& length : lengths) {
    if (!GetVarint64(&in, &length))
      return DataLoss("Bad lengths of a string tensor");
    crc = ExtendByLength(crc, length);
  }
  const absl::string_view stored_crc = in.substr(0, 4);
  uint32_t lengths_crc = 0;
  if (!GetFixed32(&in, &lengths_crc) || lengths_crc != crc32c::Mask(crc)) {
    return DataLoss("The length checksum does not match: expected ",
                    crc32c::Mask(crc), " but read ", lengths_crc);
  }
  crc = crc32c::Extend(crc, stored_crc.data(), stored_crc.size());
  crc = crc32c::Extend(crc, in.data(), in.size());
  if (crc32c::Mask(crc) != masked_crc) {
    return DataLoss("Checksum does not match: stored ", masked_crc,
                    " vs. calculated ", crc32c::Mask(crc));
  }
  for (size_t i = 0; i < strings.size(); ++i) {
    if (lengths[i] > in.size())
      return DataLoss("Bad lengths of a string tensor");
    strings[i].Assign(in.substr(0, lengths[i]));
    in.remove_prefix(lengths[i]);
  }
  if (!in.empty()) return DataLoss("Bad lengths of a string tensor");
  return OkStatus();
}

}  // namespace millrace
