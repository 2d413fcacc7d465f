// Decodes PNG images. libpng's errors jump back into Guarded; there are no
// destructors between it and libpng.
#include <png.h>

#include <cstring>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/image/files/png.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMaxReadSide = int64_t{1} << 27,
                  kMaxReadPixels = int64_t{1} << 29;

class PngReader {
 public:
  PngReader(absl::string_view bytes, int channels, int bits, StopCheck stop)
      : next_(reinterpret_cast<const uint8_t*>(bytes.data())),
        left_(bytes.size()),
        channels_(channels),
        bits_(bits),
        stop_(stop) {}
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  int64_t height() const { return height_; }
  int64_t width() const { return width_; }
  int channels() const { return channels_; }

  // Reads up to the pixels and tells libpng how to return them.
  Status Start() {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Fail, &Ignore);
    info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
    if (info_ == nullptr || !Guarded(&ReadInfo)) {
      return InvalidArgument("Invalid PNG. Failed to initialize decoder.",
                             Words());
    }
    if (width_ >= kMaxReadSide || height_ >= kMaxReadSide ||
        width() * height() >= kMaxReadPixels) {
      return InvalidArgument("PNG size too large for int: ", width_, " by ",
                             height_);
    }
    // libpng holds some rows of up to 8 bytes a pixel.
    return charge_.Set(32 * width(), "PNG decoding");
  }

  // Fills height x width x channels samples. Returns false after an error.
  bool ReadRows(uint8_t* out) {
    out_ = out;
    row_bytes_ = static_cast<size_t>(width_) * static_cast<size_t>(channels_) *
                 (bits_ / 8);
    if (!Guarded(&ReadPixels)) return false;
    if (widen_) Widen();
    return true;
  }

  const Status& stopped() const { return stopped_; }
  std::string Words() const {
    return words_[0] == 0 ? "" : absl::StrCat(" (", words_, ")");
  }

 private:
  bool Guarded(void (*f)(PngReader*)) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    f(this);
    return true;
  }
  static void Fail(png_structp png, png_const_charp message) {
    auto* const r = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(r->words_, message, sizeof(r->words_) - 1);
    png_longjmp(png, 1);
  }
  static void Ignore(png_structp, png_const_charp) {}
  static void Take(png_structp png, png_bytep out, size_t size) {
    auto* const r = static_cast<PngReader*>(png_get_io_ptr(png));
    if (size > r->left_) {
      png_error(png, "More bytes requested to read than available");
    }
    std::memcpy(out, r->next_, size);
    r->next_ += size;
    r->left_ -= size;
  }

  static void ReadInfo(PngReader* r) {
    png_set_read_fn(r->png_, r, &Take);
    r->SkipTexts();
    png_read_info(r->png_, r->info_);
    png_get_IHDR(r->png_, r->info_, &r->width_, &r->height_, &r->depth_,
                 &r->color_, nullptr, nullptr, nullptr);
    r->Transform();
  }

  // Skips texts and the like, which are not used and may inflate to much more
  // than the file.
  void SkipTexts() {
    static constexpr png_byte kNames[] =
        "tEXt\0zTXt\0iTXt\0tIME\0hIST\0sPLT\0pCAL\0sCAL\0eXIf\0";
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kNames,
                                (sizeof(kNames) - 1) / 5);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  }

  // Converts from the file's format to the requested one. The steps and their
  // order are TensorFlow's, for results that are equal to the last bit.
  void Transform() {
    const bool transparent = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    const bool palette = color_ == PNG_COLOR_TYPE_PALETTE;
    if (channels_ == 0) {
      channels_ =
          palette ? (transparent ? 4 : 3) : png_get_channels(png_, info_);
    }
    const bool has_alpha = (color_ & PNG_COLOR_MASK_ALPHA) != 0;
    const bool wants_alpha = channels_ % 2 == 0;
    if (wants_alpha && !has_alpha) {
      if (transparent) {
        png_set_tRNS_to_alpha(png_);
      } else {
        png_set_add_alpha(png_, (1u << depth_) - 1, PNG_FILLER_AFTER);
      }
    } else if (!wants_alpha && (has_alpha || transparent)) {
      png_set_strip_alpha(png_);
    }
    if (depth_ > 8 && bits_ == 8) png_set_strip_16(png_);
    widen_ = depth_ <= 8 && bits_ == 16;
    png_set_packing(png_);
    passes_ = png_set_interlace_handling(png_);
    if (bits_ == 16) png_set_swap(png_);
    if (palette) png_set_palette_to_rgb(png_);
    const bool grey = (color_ & PNG_COLOR_MASK_COLOR) == 0;
    if (grey && depth_ < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (channels_ < 3 && !grey) {
      png_set_rgb_to_gray(png_, 1, 0.299, 0.587);
    } else if (channels_ >= 3 && grey) {
      png_set_gray_to_rgb(png_);
    }
    png_read_update_info(png_, info_);
    // libpng would write beyond the buffer's rows.
    if (png_get_rowbytes(png_, info_) > static_cast<size_t>(width_) *
                                            static_cast<size_t>(channels_) *
                                            (bits_ / 8)) {
      png_error(png_, "rows are longer than expected");
    }
  }

  static void ReadPixels(PngReader* r) {
    for (int pass = 0; pass < r->passes_; ++pass) {
      uint8_t* row = r->out_;
      for (png_uint_32 y = 0; y < r->height_; ++y, row += r->row_bytes_) {
        if (y % kRowsBetweenStops == 0 && r->AskStop()) {
          png_error(r->png_, "stopped");
        }
        png_read_row(r->png_, row, nullptr);
      }
    }
    png_read_end(r->png_, nullptr);
  }

  bool AskStop() {
    stopped_ = stop_();
    return !stopped_.ok();
  }

  // Widens rows of bytes to rows of 16 bits, in place from the end.
  void Widen() {
    const size_t samples =
        static_cast<size_t>(width_) * static_cast<size_t>(channels_);
    for (png_uint_32 y = 0; y < height_; ++y) {
      uint8_t* const row = out_ + y * row_bytes_;
      for (size_t i = samples; i-- > 0;) {
        const auto wide = static_cast<uint16_t>(row[i] * 0x101);
        std::memcpy(row + 2 * i, &wide, sizeof(wide));
      }
    }
  }

  const uint8_t* next_;
  size_t left_;
  int channels_;
  const int bits_;
  StopCheck stop_;
  Status stopped_;
  MemoryCharge charge_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  png_uint_32 width_ = 0, height_ = 0;
  int depth_ = 0, color_ = 0, passes_ = 0;
  bool widen_ = false;
  uint8_t* out_ = nullptr;
  size_t row_bytes_ = 0;
  char words_[120] = {};
};

}  // namespace

Status ReadPng(absl::string_view bytes, int channels, int bits,
               PixelAllocator allocate, StopCheck stop) {
  PngReader reader(bytes, channels, bits, stop);
  MR_RETURN_IF_ERROR(reader.Start());
  MR_ASSIGN_OR_RETURN(
      uint8_t* const out,
      allocate(reader.height(), reader.width(), reader.channels()));
  if (reader.ReadRows(out)) return OkStatus();
  if (!reader.stopped().ok()) return reader.stopped();
  return InvalidArgument("Invalid PNG data, size ", bytes.size(),
                         reader.Words());
}

}  // namespace millrace::ops
