#include "millrace/checkpoint/v1/ordered_code.h"

#include <bit>

namespace millrace::ordered_code {
namespace {

constexpr int kMaxSignedBytes = 10;

uint8_t Byte(absl::string_view s, size_t i) {
  return static_cast<uint8_t>(s[i]);
}

// A number of n bytes begins with n one bits (inverted if it is negative),
// then a sign bit; the other 7n-1 bits hold the magnitude.
int SignedLength(int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  return std::bit_width(magnitude) / 7 + 1;
}

// Returns the first two bytes of a header of `length` one bits.
uint16_t Header(int length) {
  return static_cast<uint16_t>(0xffffu << (16 - length));
}

}  // namespace

void AppendString(std::string* out, absl::string_view value) {
  for (char c : value) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
    if (c == '\xff') out->push_back('\0');
  }
  out->append("\0\1", 2);
}

void AppendNumber(std::string* out, uint64_t value) {
  const int length = (std::bit_width(value) + 7) / 8;
  out->push_back(static_cast<char>(length));
  for (int i = length - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(value >> (8 * i)));
  }
}

void AppendSigned(std::string* out, int64_t value) {
  const int length = SignedLength(value);
  char bytes[kMaxSignedBytes];
  for (int i = 0; i < length; ++i) {
    const int shift = 8 * (length - 1 - i);
    const int64_t part = value >> (shift < 63 ? shift : 63);
    bytes[i] = static_cast<char>(part);
  }
  const uint16_t header = Header(length);
  bytes[0] = static_cast<char>(bytes[0] ^ (header >> 8));
  if (length > 1) bytes[1] = static_cast<char>(bytes[1] ^ (header & 0xff));
  out->append(bytes, static_cast<size_t>(length));
}

bool TakeString(absl::string_view* in, std::string* value) {
  std::string result;
  for (size_t i = 0; i + 1 < in->size(); ++i) {
    const uint8_t c = Byte(*in, i);
    if (c != 0x00 && c != 0xff) {
      result.push_back(static_cast<char>(c));
      continue;
    }
    const uint8_t next = Byte(*in, ++i);
    if (c == 0x00 && next == 0x01) {
      in->remove_prefix(i + 1);
      *value = std::move(result);
      return true;
    }
    if (next != (c ^ 0xff)) return false;
    result.push_back(static_cast<char>(c));
  }
  return false;
}

bool TakeNumber(absl::string_view* in, uint64_t* value) {
  if (in->empty()) return false;
  const size_t length = Byte(*in, 0);
  if (length > 8 || in->size() < length + 1) return false;
  uint64_t result = 0;
  for (size_t i = 1; i <= length; ++i) result = result << 8 | Byte(*in, i);
  if (length > 0 && Byte(*in, 1) == 0) return false;
  in->remove_prefix(length + 1);
  *value = result;
  return true;
}

bool TakeSigned(absl::string_view* in, int64_t* value) {
  if (in->empty()) return false;
  const uint8_t flip = (Byte(*in, 0) & 0x80) ? 0 : 0xff;
  int length = std::countl_one(static_cast<uint8_t>(Byte(*in, 0) ^ flip));
  if (length == 8 && in->size() > 1) {
    length += std::countl_one(static_cast<uint8_t>(Byte(*in, 1) ^ flip));
  }
  if (length > kMaxSignedBytes || in->size() < static_cast<size_t>(length)) {
    return false;
  }
  uint64_t result = flip ? ~uint64_t{0} : 0;
  const uint16_t header = Header(length);
  for (int i = 0; i < length; ++i) {
    uint8_t byte = Byte(*in, static_cast<size_t>(i));
    if (i == 0) byte ^= static_cast<uint8_t>(header >> 8);
    if (i == 1) byte ^= static_cast<uint8_t>(header & 0xff);
    // The bits that the shift drops must all equal the sign.
    if (i < length - 8 && byte != flip) return false;
    result = result << 8 | byte;
  }
  const int64_t number = static_cast<int64_t>(result);
  if ((number < 0) != (flip != 0) || SignedLength(number) != length) {
    return false;
  }
  in->remove_prefix(static_cast<size_t>(length));
  *value = number;
  return true;
}

}  // namespace millrace::ordered_code
