#include "millrace/checkpoint/bundle/variant_elements.h"

#include <string>

#include "millrace/base/coding.h"
#include "millrace/base/hash/crc32c.h"
#include "millrace/tensor/wire_variant.h"

namespace millrace {
namespace {

uint32_t ExtendByVariantLength(uint32_t crc, uint64_t length) {
  char bytes[8];
  StoreFixed<uint64_t>(bytes, length);
  return crc32c::Extend(crc, bytes, sizeof(bytes));
}

Status BadVariantLengths() {
  return DataLoss("Bad lengths of a variant tensor");
}

}  // namespace

Status WriteVariantElement(const VariantElement& element, uint32_t* crc,
                           absl::FunctionRef<Status(absl::string_view)> write) {
  MR_ASSIGN_OR_RETURN(const ByteChunks message, EncodeVariant(element));
  std::string length, sum;
  PutVarint64(&length, message.size_bytes());
  *crc = ExtendByVariantLength(*crc, message.size_bytes());
  MR_RETURN_IF_ERROR(write(length));
  for (const Chunk& c : message.chunks()) {
    *crc = crc32c::Extend(*crc, c.bytes.data(), c.bytes.size());
    MR_RETURN_IF_ERROR(write(c.bytes));
  }
  PutFixed32(&sum, crc32c::Mask(*crc));
  *crc = crc32c::Extend(*crc, sum.data(), sum.size());
  return write(sum);
}

Status ReadVariantElements(absl::string_view stored, uint32_t masked_crc,
                           Allocator* allocator,
                           absl::Span<VariantElement> elements) {
  absl::string_view in = stored;
  uint32_t crc = 0;
  for (VariantElement& element : elements) {
    uint64_t length;
    if (!GetVarint64(&in, &length) || length > in.size())
      return BadVariantLengths();
    const absl::string_view message = in.substr(0, length);
    in.remove_prefix(length);
    crc = ExtendByVariantLength(crc, length);
    crc = crc32c::Extend(crc, message.data(), message.size());
    const absl::string_view stored_sum = in.substr(0, 4);
    uint32_t sum = 0;
    if (!GetFixed32(&in, &sum) || sum != crc32c::Mask(crc)) {
      return DataLoss("The checksum of a variant does not match: expected ",
                      crc32c::Mask(crc), " but read ", sum);
    }
    crc = crc32c::Extend(crc, stored_sum.data(), stored_sum.size());
    MR_ASSIGN_OR_RETURN(element,
                        DecodeVariant(ChunkReader(message), allocator));
  }
  if (!in.empty()) return BadVariantLengths();
  if (crc32c::Mask(crc) != masked_crc) {
    return DataLoss("Checksum does not match: stored ", masked_crc,
                    " vs. calculated ", crc32c::Mask(crc));
  }
  return OkStatus();
}

}  // namespace millrace
