// Rooms: ops.cpu
// Any bytes as a JPEG, PNG, GIF or BMP file, under any options: an error or all
// pixels, no crash, no access beyond the pixels that were asked for. The first
// three bytes choose; then follows the file, whose magic bytes are put there.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "millrace/base/check.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/ops/image/files/bmp.h"
#include "millrace/ops/image/files/gif.h"
#include "millrace/ops/image/files/jpeg.h"
#include "millrace/ops/image/files/png.h"

namespace {

using namespace millrace;
using namespace millrace::ops;

constexpr int64_t kMaxSamples = int64_t{1} << 22;
constexpr int64_t kBudgetBytes = int64_t{200} << 20;
constexpr int kMaxQuestions = 20000;

// Gives memory of exactly the size, so that the sanitizer sees a byte too many.
class Pixels {
 public:
  explicit Pixels(int64_t sample_bytes) : sample_bytes_(sample_bytes) {}
  StatusOr<uint8_t*> Allocate(int64_t frames, int64_t height, int64_t width,
                              int64_t channels) {
    MR_CHECK(frames > 0 && height > 0 && width > 0 && channels > 0);
    MR_CHECK(height < (1 << 28) && width < (1 << 28) && channels <= 4);
    if (frames > kMaxSamples || height * width > kMaxSamples ||
        frames * height * width * channels > kMaxSamples) {
      return ResourceExhausted("too large for a fuzzer");
    }
    size_ = frames * height * width * channels * sample_bytes_;
    bytes_.reset(new uint8_t[static_cast<size_t>(size_)]);
    return bytes_.get();
  }
  // All of them were written.
  void Sum() const {
    volatile unsigned sum = 0;
    for (int64_t i = 0; i < size_; ++i) sum = sum + bytes_[i];
  }

 private:
  const int64_t sample_bytes_;
  int64_t size_ = 0;
  std::unique_ptr<uint8_t[]> bytes_;
};

std::string WithMagic(const char* magic, size_t size, const uint8_t* data,
                      size_t data_size) {
  std::string file(reinterpret_cast<const char*>(data), data_size);
  std::memcpy(file.data(), magic, std::min(size, file.size()));
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  MemoryBudget::Process().set_limit(kBudgetBytes);
  const uint8_t format = data[0], a = data[1], b = data[2];
  data += 3;
  size -= 3;
  int questions = 0;
  const auto stop = [&questions]() -> Status {
    return ++questions > kMaxQuestions ? Cancelled("long enough") : OkStatus();
  };
  Pixels pixels(format % 4 == 1 && a % 2 == 1 ? 2 : 1);
  const auto picture = [&pixels](int64_t height, int64_t width,
                                 int64_t channels) {
    return pixels.Allocate(1, height, width, channels);
  };
  Status status;
  switch (format % 4) {
    case 0: {
      const std::string file = WithMagic("\xff\xd8\xff", 3, data, size);
      JpegReadOptions options;
      options.ratio = 1 << (a % 4);
      options.channels = (a >> 2) % 2 == 1 ? 1 : 0;
      options.fancy_upscaling = (a >> 3) % 2 == 1;
      options.recover_truncated = (a >> 4) % 2 == 1;
      options.acceptable_fraction = (a >> 5) % 2 == 1 ? 0.5f : 1.0f;
      options.accurate_dct = (a >> 6) % 2 == 1;
      options.crop = (a >> 7) % 2 == 1;
      options.crop_y = b % 8;
      options.crop_x = (b >> 3) % 8;
      options.crop_height = options.crop_width = 1 + (b >> 6);
      status = ReadJpeg(file, options, picture, stop);
      (void)JpegShape(file, stop).status();
      break;
    }
    case 1:
      status = ReadPng(WithMagic("\x89PNG\r\n\x1a\n", 8, data, size), b % 5,
                       a % 2 == 1 ? 16 : 8, picture, stop);
      break;
    case 2:
      status = ReadGif(
          WithMagic("GIF89a", 6, data, size),
          a % 2 == 1 ? GifFrames::kFirst : GifFrames::kAll,
          [&pixels](int64_t frames, int64_t height, int64_t width,
                    int64_t channels) {
            return pixels.Allocate(frames, height, width, channels);
          },
          stop);
      break;
    default:
      status = ReadBmp(WithMagic("BM", 2, data, size),
                       a % 3 == 0 ? 0 : 2 + a % 3, picture, stop);
  }
  if (status.ok()) {
    pixels.Sum();
  } else {
    MR_CHECK(status.code() == StatusCode::kInvalidArgument ||
                 status.code() == StatusCode::kResourceExhausted ||
                 status.code() == StatusCode::kCancelled,
             status.ToString());
  }
  return 0;
}
