#include "millrace/ops/summary/png.h"

#include <png.h>

namespace millrace::ops {
namespace {

// What libpng's callbacks see.
struct Output {
  std::string bytes;
  std::string error;
};

void Fail(png_structp png, png_const_charp message) {
  static_cast<Output*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}
void Ignore(png_structp, png_const_charp) {}
void Append(png_structp png, png_bytep data, png_size_t size) {
  static_cast<Output*>(png_get_io_ptr(png))
      ->bytes.append(reinterpret_cast<const char*>(data), size);
}
void Flush(png_structp) {}

// False after an error, which ends here by a long jump: nothing in this
// function may need a destructor.
bool Write(png_structp png, png_infop info, const uint8_t* pixels,
           png_uint_32 width, png_uint_32 height, int channels) {
  constexpr int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                             PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_compression_level(png, -1);
  png_set_IHDR(png, info, width, height, 8, kColors[channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const size_t row = size_t{width} * static_cast<size_t>(channels);
  for (png_uint_32 y = 0; y < height; ++y) {
    png_write_row(png, const_cast<png_bytep>(pixels + y * row));
  }
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

StatusOr<std::string> EncodePng(const uint8_t* pixels, int width, int height,
                                int channels) {
  if (width <= 0 || height <= 0 || channels < 1 || channels > 4) {
    return Internal("PNG encoding failed: ", width, " x ", height,
                    " pixels of ", channels, " channels");
  }
  Output output;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &output, &Fail, &Ignore);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return Internal("PNG encoding failed: libpng does not start");
  }
  png_set_write_fn(png, &output, &Append, &Flush);
  const bool ok = Write(png, info, pixels, static_cast<png_uint_32>(width),
                        static_cast<png_uint_32>(height), channels);
  png_destroy_write_struct(&png, &info);
  if (!ok) return Internal("PNG encoding failed: ", output.error);
  return std::move(output.bytes);
}

}  // namespace millrace::ops
