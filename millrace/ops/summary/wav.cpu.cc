#include "millrace/ops/summary/wav.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/coding.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMaxUint32 = std::numeric_limits<uint32_t>::max();
constexpr int64_t kMaxUint16 = std::numeric_limits<uint16_t>::max();
constexpr int64_t kHeaderBytes = 44;
constexpr int64_t kBytesPerSample = 2;

void Put16(std::string* out, uint16_t v) {
  out->append(reinterpret_cast<const char*>(&v), sizeof(v));
}

uint16_t Sample(float x) {
  if (std::isnan(x)) return 0;
  const float scaled = std::round(x * 32768.0f);
  return static_cast<uint16_t>(
      static_cast<int16_t>(std::clamp(scaled, -32768.0f, 32767.0f)));
}

}  // namespace

StatusOr<std::string> EncodeWav(const WavFormat& format,
                                absl::Span<const float> samples) {
  if (!(format.rate >= 1) || format.rate > static_cast<float>(kMaxUint32)) {
    return InvalidArgument("sample_rate must be in (0, 2^32), got: ",
                           format.rate);
  }
  if (format.channels < 1 || format.channels > kMaxUint16) {
    return InvalidArgument("num_channels must be in (0, 2^16), got: ",
                           format.channels);
  }
  if (format.frames < 1) return InvalidArgument("num_frames must be positive.");
  const auto rate = static_cast<int64_t>(format.rate);
  const int64_t frame_bytes = format.channels * kBytesPerSample;
  if (rate > kMaxUint32 / frame_bytes) {
    return InvalidArgument("bytes per second must be below 2^32, got: ", rate,
                           " * ", frame_bytes);
  }
  if (format.frames > (kMaxUint32 - kHeaderBytes) / frame_bytes) {
    return InvalidArgument("num_frames is too large: ", format.frames);
  }
  const int64_t data = format.frames * frame_bytes;
  std::string out;
  out.reserve(static_cast<size_t>(kHeaderBytes + data));
  out += "RIFF";
  PutFixed32(&out, static_cast<uint32_t>(kHeaderBytes + data - 8));
  out += "WAVEfmt ";
  PutFixed32(&out, 16);  // bytes of the format chunk
  Put16(&out, 1);        // PCM
  Put16(&out, static_cast<uint16_t>(format.channels));
  PutFixed32(&out, static_cast<uint32_t>(rate));
  PutFixed32(&out, static_cast<uint32_t>(rate * frame_bytes));
  Put16(&out, static_cast<uint16_t>(frame_bytes));
  Put16(&out, 8 * kBytesPerSample);
  out += "data";
  PutFixed32(&out, static_cast<uint32_t>(data));
  for (const float x : samples) Put16(&out, Sample(x));
  return out;
}

}  // namespace millrace::ops
