// Kernels of base 64 with the URL- and filename-safe alphabet: RFC 4648,
// section 5.
#include <algorithm>
#include <string>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

constexpr char kDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string Encode(absl::string_view bytes, bool pad) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) {
      const char byte = i < n ? bytes[at + i] : '\0';
      group = group << 8 | static_cast<unsigned char>(byte);
    }
    for (size_t i = 0; i <= n; ++i) {
      out.push_back(kDigits[group >> (18 - 6 * i) & 63]);
    }
    if (pad) out.append(3 - n, '=');
  }
  return out;
}

// Returns -1 for a character that is not a digit.
int DigitValue(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-') return 62;
  if (c == '_') return 63;
  return -1;
}

Status Decode(absl::string_view text, std::string* out) {
  out->clear();
  // Padding may only fill the last group of four.
  if (text.size() % 4 == 0 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    if (text.back() == '=') text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) {
    return InvalidArgument("Base64 string length cannot be 1 modulo 4.");
  }
  uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const int value = DigitValue(c);
    if (value < 0) {
      return InvalidArgument("Invalid character found in base64.");
    }
    group = (group << 6 | static_cast<uint32_t>(value)) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out->push_back(static_cast<char>(group >> bits & 0xff));
  }
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
    for (size_t i = 0; i < from.size(); ++i) {
      to[i].Assign(Encode(from[i].view(), pad_));
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
    MR_RETURN_IF_ERROR(Decode(from[i].view(), &bytes));
    to[i].Assign(bytes);
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(EncodeBase64, Cpu){{.make = MakeKernel<EncodeKernel>}};
MR_KERNELS(DecodeBase64, Cpu){{.make = MakeFunctionKernel<RunDecode>}};

}  // namespace millrace::ops
