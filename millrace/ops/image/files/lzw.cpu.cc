#include "millrace/ops/image/files/lzw.h"

#include <algorithm>

namespace millrace::ops {
namespace {

constexpr int kMaxRootBits = 8;

Status Defective() {
  return InvalidArgument("Image is defective, decoding aborted");
}

}  // namespace

Status TruncatedFile() {
  return InvalidArgument("Failed to read from given file");
}

Status LzwReader::Start(absl::string_view data) {
  if (data.empty()) return TruncatedFile();
  root_bits_ = static_cast<uint8_t>(data[0]);
  if (root_bits_ > kMaxRootBits) return Defective();
  data_ = data.substr(1);
  block_left_ = 0;
  ended_ = false;
  bits_ = 0;
  bit_count_ = 0;
  stack_size_ = 0;
  clear_code_ = 1 << root_bits_;
  end_code_ = clear_code_ + 1;
  for (int i = 0; i < clear_code_; ++i) {
    first_[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
  }
  Clear();
  return OkStatus();
}

void LzwReader::Clear() {
  code_bits_ = root_bits_ + 1;
  next_code_ = end_code_ + 1;
  last_code_ = kNoCode;
}

Status LzwReader::NextByte(uint8_t* byte) {
  if (block_left_ == 0) {
    if (data_.empty()) return TruncatedFile();
    block_left_ = static_cast<uint8_t>(data_[0]);
    data_.remove_prefix(1);
    if (block_left_ == 0) {
      ended_ = true;
      return Defective();
    }
    if (data_.size() < block_left_) return TruncatedFile();
  }
  *byte = static_cast<uint8_t>(data_[0]);
  data_.remove_prefix(1);
  --block_left_;
  return OkStatus();
}

Status LzwReader::NextCode(int* code) {
  while (bit_count_ < code_bits_) {
    uint8_t byte = 0;
    MR_RETURN_IF_ERROR(NextByte(&byte));
    bits_ |= uint32_t{byte} << bit_count_;
    bit_count_ += 8;
  }
  *code = static_cast<int>(bits_ & ((1u << code_bits_) - 1));
  bits_ >>= code_bits_;
  bit_count_ -= code_bits_;
  return OkStatus();
}

Status LzwReader::Expand(int code) {
  int at = code;
  if (code == next_code_ && last_code_ != kNoCode) {
    // The code that is about to be added: the last code and its first pixel.
    stack_[static_cast<size_t>(stack_size_++)] =
        first_[static_cast<size_t>(last_code_)];
    at = last_code_;
  } else if (code >= next_code_) {
    return Defective();
  }
  for (; at > end_code_; at = prefix_[static_cast<size_t>(at)]) {
    stack_[static_cast<size_t>(stack_size_++)] =
        suffix_[static_cast<size_t>(at)];
  }
  stack_[static_cast<size_t>(stack_size_++)] = static_cast<uint8_t>(at);
  return OkStatus();
}

// Adds a code for the last code followed by the first pixel of this one. At
// 4096 codes the table stays as it is until it is cleared.
void LzwReader::AddCode(int code) {
  if (last_code_ != kNoCode && next_code_ < kMaxCodes) {
    const auto at = static_cast<size_t>(next_code_);
    const auto last = static_cast<size_t>(last_code_);
    prefix_[at] = static_cast<uint16_t>(last);
    first_[at] = first_[last];
    suffix_[at] =
        first_[static_cast<size_t>(code == next_code_ ? last_code_ : code)];
    ++next_code_;
    if (next_code_ >= 1 << code_bits_ && code_bits_ < kMaxBits) ++code_bits_;
  }
  last_code_ = code;
}

Status LzwReader::Read(uint8_t* out, int64_t count) {
  while (true) {
    const auto ready = std::min<int64_t>(count, stack_size_);
    for (int64_t i = 0; i < ready && out != nullptr; ++i) {
      *out++ = stack_[static_cast<size_t>(stack_size_ - 1 - i)];
    }
    stack_size_ -= static_cast<int>(ready);
    count -= ready;
    if (count == 0) return OkStatus();
    int code = 0;
    MR_RETURN_IF_ERROR(NextCode(&code));
    if (code == end_code_) {
      return InvalidArgument("Image EOF detected before image complete");
    }
    if (code == clear_code_) {
      Clear();
      continue;
    }
    MR_RETURN_IF_ERROR(Expand(code));
    AddCode(code);
  }
}

StatusOr<absl::string_view> LzwReader::Finish() {
  while (!ended_) {
    if (data_.size() < block_left_) return TruncatedFile();
    data_.remove_prefix(block_left_);
    if (data_.empty()) return TruncatedFile();
    block_left_ = static_cast<uint8_t>(data_[0]);
    data_.remove_prefix(1);
    ended_ = block_left_ == 0;
  }
  return data_;
}

}  // namespace millrace::ops
