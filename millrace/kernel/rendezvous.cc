#include "millrace/kernel/rendezvous.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace millrace {
namespace {

// Parses exactly 16 lower-case digits, as every peer writes them.
bool ParseIncarnation(absl::string_view text, uint64_t* out) {
  if (text.size() != 16) return false;
  uint64_t value = 0;
  for (char c : text) {
    uint64_t digit;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint64_t>(c - 'a') + 10;
    } else {
      return false;
    }
    value = value << 4 | digit;
  }
  *out = value;
  return true;
}

bool IsFullDevice(absl::string_view name) {
  const StatusOr<DeviceName> parsed = DeviceName::Parse(name);
  return parsed.ok() && parsed->IsFull();
}

}  // namespace

std::string RendezvousKey::ToString() const {
  return absl::StrCat(
      send_device, ";", absl::Hex(send_incarnation, absl::kZeroPad16), ";",
      recv_device, ";", tensor_name, ";", frame_id, ":", iteration);
}

StatusOr<RendezvousKey> RendezvousKey::Parse(absl::string_view key) {
  const std::vector<absl::string_view> parts = absl::StrSplit(key, ';');
  RendezvousKey out;
  if (parts.size() == 5) {
    const std::pair<absl::string_view, absl::string_view> frame =
        absl::StrSplit(parts[4], absl::MaxSplits(':', 1));
    if (IsFullDevice(parts[0]) &&
        ParseIncarnation(parts[1], &out.send_incarnation) &&
        IsFullDevice(parts[2]) && !parts[3].empty() &&
        absl::SimpleAtoi(frame.first, &out.frame_id) &&
        absl::SimpleAtoi(frame.second, &out.iteration)) {
      out.send_device = std::string(parts[0]);
      out.recv_device = std::string(parts[2]);
      out.tensor_name = std::string(parts[3]);
      return out;
    }
  }
  return InvalidArgument("Invalid rendezvous key: ", key);
}

}  // namespace millrace
