// GIF's variant of LZW (GIF89a specification, appendix F).
#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Returns INVALID_ARGUMENT "Failed to read from given file", for data that end
// too early.
Status TruncatedFile();

// Decodes the pixels of one image, a piece at a time, from data blocks of up to
// 255 bytes. Its size does not depend on the data. For one thread.
class LzwReader {
 public:
  // Starts to decode. `data` begins with the byte that holds the initial length
  // of codes. Returns INVALID_ARGUMENT if it is missing or above 8.
  Status Start(absl::string_view data);

  // Decodes the next `count` pixels into `out`, or skips them if `out` is null.
  // Returns INVALID_ARGUMENT if the data end too early or contain an undefined
  // code.
  Status Read(uint8_t* out, int64_t count);

  // Skips to the end of the data blocks and returns what follows them.
  StatusOr<absl::string_view> Finish();

 private:
  static constexpr int kMaxBits = 12;
  static constexpr int kMaxCodes = 1 << kMaxBits;
  static constexpr int kNoCode = kMaxCodes;

  void Clear();
  Status NextByte(uint8_t* byte);
  Status NextCode(int* code);
  // Pushes the pixels of a code on the stack, the first one on top.
  Status Expand(int code);
  void AddCode(int code);

  absl::string_view data_;
  size_t block_left_ = 0;
  bool ended_ = false;  // the empty block was read
  int root_bits_ = 0, clear_code_ = 0, end_code_ = 0;
  int code_bits_ = 0, next_code_ = 0, last_code_ = kNoCode;
  uint32_t bits_ = 0;
  int bit_count_ = 0;
  // A code above the end code is another code followed by one pixel.
  std::array<uint16_t, kMaxCodes> prefix_ = {};
  std::array<uint8_t, kMaxCodes> suffix_ = {}, first_ = {};
  std::array<uint8_t, kMaxCodes + 1> stack_ = {};
  int stack_size_ = 0;
};

}  // namespace millrace::ops
