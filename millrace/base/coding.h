// Encodes integers as bytes: little-endian of fixed width, or varints with
// seven bits per byte, the lowest first (as protobuf and leveldb do).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace millrace {

static_assert(std::endian::native == std::endian::little,
              "files and messages are little endian");

inline constexpr int kMaxVarint64Bytes = 10;

// Loads or stores any trivially copyable number, unaligned.
template <class T>
T LoadFixed(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void StoreFixed(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

inline void PutFixed32(std::string* out, uint32_t v) {
  out->append(reinterpret_cast<const char*>(&v), sizeof(v));
}
inline void PutFixed64(std::string* out, uint64_t v) {
  out->append(reinterpret_cast<const char*>(&v), sizeof(v));
}
void PutVarint32(std::string* out, uint32_t v);
void PutVarint64(std::string* out, uint64_t v);
// Appends the length as a varint32, then the bytes. Requires: data.size() < 4
// GiB.
void PutLengthPrefixed(std::string* out, absl::string_view data);

// Writes to `to`, which has room for kMaxVarint64Bytes, and returns the end.
char* EncodeVarint64(char* to, uint64_t v);

// Each takes its value off the front of `*in`. Returns false and leaves `*in`
// unchanged if it is too short or, for varints, if the number is too large.
bool GetFixed32(absl::string_view* in, uint32_t* v);
bool GetFixed64(absl::string_view* in, uint64_t* v);
bool GetVarint32(absl::string_view* in, uint32_t* v);
bool GetVarint64(absl::string_view* in, uint64_t* v);
bool GetLengthPrefixed(absl::string_view* in, absl::string_view* data);

}  // namespace millrace
