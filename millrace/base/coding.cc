#include "millrace/base/coding.h"

#include "millrace/base/check.h"

namespace millrace {

char* EncodeVarint64(char* to, uint64_t v) {
  while (v >= 0x80) {
    *to++ = static_cast<char>(v | 0x80);
    v >>= 7;
  }
  *to++ = static_cast<char>(v);
  return to;
}

void PutVarint64(std::string* out, uint64_t v) {
  char buffer[kMaxVarint64Bytes];
  out->append(buffer, EncodeVarint64(buffer, v) - buffer);
}

void PutVarint32(std::string* out, uint32_t v) { PutVarint64(out, v); }

void PutLengthPrefixed(std::string* out, absl::string_view data) {
  MR_CHECK(data.size() <= UINT32_MAX,
           "too long for a length prefix: ", data.size());
  PutVarint32(out, static_cast<uint32_t>(data.size()));
  out->append(data.data(), data.size());
}

bool GetFixed32(absl::string_view* in, uint32_t* v) {
  if (in->size() < sizeof(*v)) return false;
  *v = LoadFixed<uint32_t>(in->data());
  in->remove_prefix(sizeof(*v));
  return true;
}

bool GetFixed64(absl::string_view* in, uint64_t* v) {
  if (in->size() < sizeof(*v)) return false;
  *v = LoadFixed<uint64_t>(in->data());
  in->remove_prefix(sizeof(*v));
  return true;
}

bool GetVarint64(absl::string_view* in, uint64_t* v) {
  uint64_t result = 0;
  for (size_t i = 0; i < in->size() && i < kMaxVarint64Bytes; ++i) {
    const uint64_t byte = static_cast<unsigned char>((*in)[i]);
    if (i == kMaxVarint64Bytes - 1 && byte > 1) return false;  // above 64 bits
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *v = result;
      in->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool GetVarint32(absl::string_view* in, uint32_t* v) {
  absl::string_view rest = *in;
  uint64_t wide = 0;
  if (!GetVarint64(&rest, &wide) || wide > UINT32_MAX) return false;
  *v = static_cast<uint32_t>(wide);
  *in = rest;
  return true;
}

bool GetLengthPrefixed(absl::string_view* in, absl::string_view* data) {
  absl::string_view rest = *in;
  uint32_t size = 0;
  if (!GetVarint32(&rest, &size) || rest.size() < size) return false;
  *data = rest.substr(0, size);
  rest.remove_prefix(size);
  *in = rest;
  return true;
}

}  // namespace millrace
