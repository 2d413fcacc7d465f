// Integers as bytes: little endian of fixed width, and variable length with
// seven bits a byte, the lowest first (protobuf's and leveldb's form).
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

// Any trivially copyable number, unaligned.
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
// Length as varint32, then the bytes. size < 4 GiB.
void PutLengthPrefixed(std::string* out, absl::string_view data);

// Writes to `to` (kMaxVarint64Bytes of room) and returns the end.
char* EncodeVarint64(char* to, uint64_t v);

// Each takes its value from the front of `*in`; false, with `*in` unchanged,
// if there is too little or, for varints, too large a number.
bool GetFixed32(absl::string_view* in, uint32_t* v);
bool GetFixed64(absl::string_view* in, uint64_t* v);
bool GetVarint32(absl::string_view* in, uint32_t* v);
bool GetVarint64(absl::string_view* in, uint64_t* v);
bool GetLengthPrefixed(absl::string_view* in, absl::string_view* data);

}  // namespace millrace
