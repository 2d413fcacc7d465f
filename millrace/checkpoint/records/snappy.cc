#include "millrace/checkpoint/records/snappy.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "millrace/base/coding.h"
#include "millrace/checkpoint/records/byte_stream.h"

namespace millrace {
namespace {

// The two lowest bits of a tag.
enum SnappyTag : uint8_t {
  kLiteral = 0,
  kNearCopy = 1,
  kCopy = 2,
  kFarCopy = 3
};

// Bytes are compressed in blocks, so that two bytes hold each distance.
constexpr size_t kBlockBytes = size_t{1} << 16;
constexpr size_t kMinMatchBytes = 4;
constexpr size_t kMaxCopyBytes = 64;
constexpr int kHashBits = 14;

void PutLittleEndian(std::string* out, size_t value, size_t bytes) {
  for (; bytes > 0; --bytes, value >>= 8) {
    out->push_back(static_cast<char>(value & 0xff));
  }
}

void PutSnappyLiteral(std::string* out, absl::string_view bytes) {
  if (bytes.empty()) return;
  const size_t last = bytes.size() - 1;
  constexpr size_t kShortLiteral = 60;
  if (last < kShortLiteral) {
    out->push_back(static_cast<char>(last << 2 | kLiteral));
  } else {
    const size_t width = static_cast<size_t>(std::bit_width(last) + 7) / 8;
    out->push_back(
        static_cast<char>((kShortLiteral - 1 + width) << 2 | kLiteral));
    PutLittleEndian(out, last, width);
  }
  out->append(bytes.data(), bytes.size());
}

// Requires: 0 < distance < kBlockBytes.
void PutSnappyCopy(std::string* out, size_t distance, size_t bytes) {
  while (bytes > 0) {
    const size_t take = std::min(bytes, kMaxCopyBytes);
    out->push_back(static_cast<char>((take - 1) << 2 | kCopy));
    PutLittleEndian(out, distance, 2);
    bytes -= take;
  }
}

// `places` has an entry for each hash of four bytes.
void CompressSnappyBlock(absl::string_view block, std::vector<uint16_t>* places,
                         std::string* out) {
  std::fill(places->begin(), places->end(), uint16_t{0});
  size_t written = 0, at = 1;
  while (at + kMinMatchBytes <= block.size()) {
    const auto four = LoadFixed<uint32_t>(block.data() + at);
    constexpr uint32_t kMultiplier = 0x9E3779B1;  // 2^32 by the golden ratio
    uint16_t& place = (*places)[four * kMultiplier >> (32 - kHashBits)];
    const size_t candidate = place;
    place = static_cast<uint16_t>(at);
    if (candidate >= at ||
        LoadFixed<uint32_t>(block.data() + candidate) != four) {
      // Bytes that do not repeat are passed faster and faster.
      at += 1 + (at - written) / 32;
      continue;
    }
    size_t end = at + kMinMatchBytes;
    while (end < block.size() && block[end] == block[end - at + candidate]) {
      ++end;
    }
    PutSnappyLiteral(out, block.substr(written, at - written));
    PutSnappyCopy(out, at - candidate, end - at);
    written = at = end;
  }
  PutSnappyLiteral(out, block.substr(written));
}

// Takes a number of some bytes, the lowest first, off the front of `in`.
// Returns false if they are not there.
bool TakeLittleEndian(absl::string_view* in, size_t bytes, uint64_t* value) {
  if (in->size() < bytes) return false;
  *value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    *value |= uint64_t{static_cast<uint8_t>((*in)[i])} << (8 * i);
  }
  in->remove_prefix(bytes);
  return true;
}

// Appends what the next tag says to `out`, which becomes at most `most` bytes.
// Returns false if it cannot be done.
bool ApplySnappyTag(absl::string_view* in, uint64_t most, std::string* out) {
  const auto tag = static_cast<uint8_t>(in->front());
  in->remove_prefix(1);
  uint64_t bytes = tag >> 2, distance = 0;
  switch (tag & 3) {
    case kLiteral:
      if (bytes >= 60 && !TakeLittleEndian(in, bytes - 59, &bytes)) {
        return false;
      }
      ++bytes;
      if (bytes > in->size() || bytes > most - out->size()) return false;
      out->append(in->data(), static_cast<size_t>(bytes));
      in->remove_prefix(static_cast<size_t>(bytes));
      return true;
    case kNearCopy:
      bytes = 4 + (bytes & 7);
      if (!TakeLittleEndian(in, 1, &distance)) return false;
      distance |= uint64_t{tag} >> 5 << 8;
      break;
    case kCopy:
      ++bytes;
      if (!TakeLittleEndian(in, 2, &distance)) return false;
      break;
    case kFarCopy:
      ++bytes;
      if (!TakeLittleEndian(in, 4, &distance)) return false;
      break;
  }
  if (distance == 0 || distance > out->size() || bytes > most - out->size()) {
    return false;
  }
  // The bytes may run into those that they make.
  for (size_t from = out->size() - static_cast<size_t>(distance); bytes > 0;
       --bytes) {
    out->push_back((*out)[from++]);
  }
  return true;
}

}  // namespace

std::string SnappyCompress(absl::string_view bytes) {
  std::string out;
  PutVarint64(&out, bytes.size());
  std::vector<uint16_t> places(size_t{1} << kHashBits);
  for (; !bytes.empty();
       bytes.remove_prefix(std::min(bytes.size(), kBlockBytes))) {
    CompressSnappyBlock(bytes.substr(0, kBlockBytes), &places, &out);
  }
  return out;
}

StatusOr<std::string> SnappyDecompress(absl::string_view compressed) {
  // A copy of 64 bytes takes three.
  constexpr uint64_t kMostPerByte = 22;
  uint32_t size = 0;
  std::string out;
  if (!GetVarint32(&compressed, &size) ||
      size > kMostPerByte * compressed.size()) {
    return DataLoss("Could not get snappy uncompressed length");
  }
  MR_RETURN_IF_ERROR(CheckRoomToRead(size));
  out.reserve(size);
  while (!compressed.empty()) {
    if (!ApplySnappyTag(&compressed, size, &out)) {
      return DataLoss("Failed to perform snappy decompression.");
    }
  }
  if (out.size() != size) {
    return DataLoss("Failed to perform snappy decompression.");
  }
  return out;
}

}  // namespace millrace
