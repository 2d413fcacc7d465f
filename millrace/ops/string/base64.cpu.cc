// Kernels of base 64 with the URL- and filename-safe alphabet: RFC 4648,
// section 5.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

constexpr char kDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Replaces `*out` by the text of `bytes`.
void Encode(absl::string_view bytes, bool pad, std::string* out) {
  const size_t whole = bytes.size() / 3, rest = bytes.size() % 3;
  out->resize(4 * whole + (rest == 0 ? 0 : pad ? 4 : rest + 1));
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  char* to = out->data();
  for (size_t i = 0; i < whole; ++i, from += 3, to += 4) {
    const uint32_t group = uint32_t{from[0]} << 16 | from[1] << 8 | from[2];
    to[0] = kDigits[group >> 18];
    to[1] = kDigits[group >> 12 & 63];
    to[2] = kDigits[group >> 6 & 63];
    to[3] = kDigits[group & 63];
  }
  if (rest == 0) return;
  const uint32_t group =
      uint32_t{from[0]} << 16 | (rest == 2 ? uint32_t{from[1]} << 8 : 0);
  *to++ = kDigits[group >> 18];
  *to++ = kDigits[group >> 12 & 63];
  if (rest == 2) *to++ = kDigits[group >> 6 & 63];
  if (pad) std::fill_n(to, 3 - rest, '=');
}

constexpr uint8_t kNoDigit = 255;

// The value of each character, kNoDigit if it is not a digit.
constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values;
  values.fill(kNoDigit);
  for (uint8_t i = 0; i < 64; ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = i;
  }
  return values;
}();

// Replaces `*out` by the bytes of `text`.
Status Decode(absl::string_view text, std::string* out) {
  // Padding may only fill the last group of four.
  if (text.size() % 4 == 0 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    if (text.back() == '=') text.remove_suffix(1);
  }
  const size_t whole = text.size() / 4, rest = text.size() % 4;
  if (rest == 1) {
    return InvalidArgument("Base64 string length cannot be 1 modulo 4.");
  }
  out->resize(3 * whole + (rest == 0 ? 0 : rest - 1));
  const auto* from = reinterpret_cast<const unsigned char*>(text.data());
  char* to = out->data();
  uint32_t seen = 0;  // all values: a digit has none of the two highest bits
  const auto value = [&](size_t i) {
    const uint32_t v = kValues[from[i]];
    seen |= v;
    return v;
  };
  for (size_t i = 0; i < whole; ++i, from += 4, to += 3) {
    const uint32_t group =
        value(0) << 18 | value(1) << 12 | value(2) << 6 | value(3);
    to[0] = static_cast<char>(group >> 16);
    to[1] = static_cast<char>(group >> 8);
    to[2] = static_cast<char>(group);
  }
  if (rest > 0) {
    const uint32_t group =
        value(0) << 18 | value(1) << 12 | (rest == 3 ? value(2) << 6 : 0);
    *to++ = static_cast<char>(group >> 16);
    if (rest == 3) *to++ = static_cast<char>(group >> 8);
  }
  if (seen >= 64) return InvalidArgument("Invalid character found in base64.");
  return OkStatus();
}

class EncodeKernel {
 public:
  static StatusOr<EncodeKernel> Make(const KernelInit& init) {
    EncodeKernel k;
    MR_ASSIGN_OR_RETURN(k.pad_, init.Attr<bool>("pad"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const auto from = ctx.input(0).flat<StringElement>();
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, ctx.input(0).shape()));
    auto to = out->mutable_flat<StringElement>();
    std::string text;
    for (size_t i = 0; i < from.size(); ++i) {
      if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      Encode(from[i].view(), pad_, &text);
      to[i].Assign(text);
    }
    return OkStatus();
  }

 private:
  bool pad_ = false;
};

Status RunDecode(KernelContext& ctx) {
  const auto from = ctx.input(0).flat<StringElement>();
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, ctx.input(0).shape()));
  auto to = out->mutable_flat<StringElement>();
  std::string bytes;
  for (size_t i = 0; i < from.size(); ++i) {
    if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_RETURN_IF_ERROR(Decode(from[i].view(), &bytes));
    to[i].Assign(bytes);
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(EncodeBase64, Cpu){{.make = MakeKernel<EncodeKernel>}};
MR_KERNELS(DecodeBase64, Cpu){{.make = MakeFunctionKernel<RunDecode>}};

}  // namespace millrace::ops
