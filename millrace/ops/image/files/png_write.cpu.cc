#include <png.h>

#include <cstring>

#include "millrace/ops/image/files/png.h"

namespace millrace::ops {
namespace {

constexpr int kMaxMemoryLevel = 9;              // zlib's
constexpr int64_t kMaxWrittenSide = 1'000'000;  // libpng's

// The state of libpng's callbacks.
struct Output {
  explicit Output(StopCheck s) : stop(s) {}
  bool AskStop() {
    stopped = stop();
    return !stopped.ok();
  }

  StopCheck stop;
  Status stopped;
  std::string bytes;
  char words[120] = {};
};

struct PngPicture {
  const uint8_t* pixels;
  png_uint_32 width, height;
  int channels, bits, compression;
};

void Fail(png_structp png, png_const_charp message) {
  auto* const output = static_cast<Output*>(png_get_error_ptr(png));
  std::strncpy(output->words, message, sizeof(output->words) - 1);
  png_longjmp(png, 1);
}
void Ignore(png_structp, png_const_charp) {}
void Append(png_structp png, png_bytep data, png_size_t size) {
  static_cast<Output*>(png_get_io_ptr(png))
      ->bytes.append(reinterpret_cast<const char*>(data), size);
}
void Flush(png_structp) {}

// Returns false after an error, which arrives here by a long jump: nothing in
// this function may need a destructor.
bool Write(png_structp png, png_infop info, Output* output,
           const PngPicture& picture) {
  constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                             PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_compression_level(png, picture.compression);
  png_set_compression_mem_level(png, kMaxMemoryLevel);
  png_set_IHDR(png, info, picture.width, picture.height, picture.bits,
               kColors[picture.channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (picture.bits > 8) png_set_swap(png);
  const size_t row = size_t{picture.width} *
                     static_cast<size_t>(picture.channels) *
                     static_cast<size_t>(picture.bits / 8);
  for (png_uint_32 y = 0; y < picture.height; ++y) {
    if (y % kRowsBetweenStops == 0 && output->AskStop()) return false;
    png_write_row(png, const_cast<png_bytep>(picture.pixels + y * row));
  }
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

StatusOr<std::string> WritePng(const void* pixels, int64_t height,
                               int64_t width, int channels, int bits,
                               int compression, StopCheck stop) {
  if (width <= 0 || height <= 0 || width > kMaxWrittenSide ||
      height > kMaxWrittenSide || channels < 1 || channels > 4) {
    return Internal("PNG encoding failed: ", width, " x ", height,
                    " pixels of ", channels, " channels");
  }
  Output output(stop);
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &output, &Fail, &Ignore);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return Internal("PNG encoding failed: libpng does not start");
  }
  png_set_write_fn(png, &output, &Append, &Flush);
  const bool ok = Write(
      png, info, &output,
      {static_cast<const uint8_t*>(pixels), static_cast<png_uint_32>(width),
       static_cast<png_uint_32>(height), channels, bits, compression});
  png_destroy_write_struct(&png, &info);
  if (!output.stopped.ok()) return output.stopped;
  if (!ok) return Internal("PNG encoding failed: ", output.words);
  return std::move(output.bytes);
}

}  // namespace millrace::ops
