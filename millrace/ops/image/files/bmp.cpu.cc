#include "millrace/ops/image/files/bmp.h"

#include <cstdlib>
#include <limits>

#include "millrace/base/coding.h"

namespace millrace::ops {
namespace {

constexpr size_t kMinBytes = 32;
constexpr int64_t kMaxPixels = std::numeric_limits<int32_t>::max() / 8;

int64_t Int32At(absl::string_view s, size_t at) {
  return LoadFixed<int32_t>(s.data() + at);
}

struct Header {
  int64_t pixels_at, width, height;
  int channels;
  bool top_down;
  int64_t row_bytes() const { return (channels * width + 3) / 4 * 4; }
};

StatusOr<Header> ReadHeader(absl::string_view bytes) {
  if (bytes.size() < kMinBytes) {
    return InvalidArgument("Incomplete bmp content, requires at least ",
                           kMinBytes,
                           " bytes to find the header size, width, height, "
                           "and bpp, got ",
                           bytes.size(), " bytes");
  }
  const int64_t height = Int32At(bytes, 22);
  const auto bits_per_pixel = LoadFixed<int16_t>(bytes.data() + 28);
  Header h{Int32At(bytes, 10), Int32At(bytes, 18), std::abs(height),
           bits_per_pixel / 8, height < 0};
  if (h.channels != 1 && h.channels != 3 && h.channels != 4) {
    return InvalidArgument(
        "Number of channels inherent in the image must be 1, 3 or 4, was ",
        h.channels);
  }
  if (h.width <= 0) return InvalidArgument("Width must be positive");
  if (h.height == 0) return InvalidArgument("Height must be nonzero");
  if (h.pixels_at < 0) {
    return InvalidArgument("header size must be nonnegative");
  }
  if (h.width * h.height >= kMaxPixels) {
    return InvalidArgument("Total possible pixel bytes must be less than 2^30");
  }
  const int64_t difference = static_cast<int64_t>(bytes.size()) - h.pixels_at -
                             h.row_bytes() * h.height;
  if (difference != 0) {
    return InvalidArgument(
        "Input size should match (header_size + row_size * abs_height) but "
        "they differ by ",
        difference);
  }
  return h;
}

void ConvertRow(const uint8_t* in, const Header& h, int channels,
                uint8_t* out) {
  for (int64_t x = 0; x < h.width; ++x, in += h.channels, out += channels) {
    if (channels == 1) {
      out[0] = in[0];
      continue;
    }
    const bool grey = h.channels == 1;
    out[0] = in[grey ? 0 : 2];
    out[1] = in[grey ? 0 : 1];
    out[2] = in[0];
    if (channels == 4) out[3] = h.channels == 4 ? in[3] : uint8_t{255};
  }
}

}  // namespace

Status ReadBmp(absl::string_view bytes, int channels, PixelAllocator allocate,
               StopCheck stop) {
  MR_ASSIGN_OR_RETURN(const Header h, ReadHeader(bytes));
  if (channels == 0) channels = h.channels;
  MR_ASSIGN_OR_RETURN(uint8_t* const out,
                      allocate(h.height, h.width, channels));
  const auto* const pixels =
      reinterpret_cast<const uint8_t*>(bytes.data()) + h.pixels_at;
  for (int64_t y = 0; y < h.height; ++y) {
    if (y % kRowsBetweenStops == 0) MR_RETURN_IF_ERROR(stop());
    const int64_t row = h.top_down ? y : h.height - 1 - y;
    ConvertRow(pixels + row * h.row_bytes(), h, channels,
               out + y * h.width * channels);
  }
  return OkStatus();
}

}  // namespace millrace::ops
