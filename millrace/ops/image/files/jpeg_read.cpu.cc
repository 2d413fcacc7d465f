// Decodes JPEG images: the options of libjpeg, and the handling of files that
// end early.
#include <algorithm>
#include <cstring>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/image/files/jpeg.h"
#include "millrace/ops/image/files/jpeg_guard.h"
// after jpeglib.h
#include <jerror.h>

namespace millrace::ops {
namespace {

constexpr int64_t kMaxSamples = int64_t{1} << 29;
constexpr JOCTET kEndOfImage[] = {0xff, JPEG_EOI};

// A block of the image takes fewer bytes than this.
constexpr int kMaxRereads = 10000;

// Bytes in memory as libjpeg's source. `base` comes first, so that a pointer to
// it is one to the whole struct.
struct MemorySource {
  jpeg_source_mgr base;
  const JOCTET* begin;
  size_t size;
  bool recover;
  const JOCTET* stuck_at;  // where bytes were read again, and how often
  int rereads, ends;
};

MemorySource* SourceOf(j_decompress_ptr info) {
  return reinterpret_cast<MemorySource*>(info->src);
}

void StartSource(j_decompress_ptr info) {
  info->src->next_input_byte = SourceOf(info)->begin;
  info->src->bytes_in_buffer = SourceOf(info)->size;
}

// Called when libjpeg needs more bytes. All bytes are there from the start, so
// no more follow: reading is suspended while some of them are unused (a block
// is cut), and fails after that or, to recover, continues with those bytes once
// more and then with an end marker. libjpeg would read a final 0xff forever, so
// rereading is limited, too.
boolean FillSource(j_decompress_ptr info) {
  MemorySource* const source = SourceOf(info);
  jpeg_source_mgr* const base = info->src;
  if (source->size == 0) ERREXIT(info, JERR_INPUT_EMPTY);
  if (base->bytes_in_buffer > 0) {
    if (!source->recover) return FALSE;
    if (base->next_input_byte != source->stuck_at) source->rereads = 0;
    source->stuck_at = base->next_input_byte;
    if (++source->rereads <= kMaxRereads) return TRUE;
  }
  if (!source->recover || ++source->ends > kMaxRereads) {
    ERREXIT(info, JERR_FILE_READ);
  }
  WARNMS(info, JWRN_JPEG_EOF);
  base->next_input_byte = kEndOfImage;
  base->bytes_in_buffer = sizeof(kEndOfImage);
  return TRUE;
}

void SkipSource(j_decompress_ptr info, long count) {  // NOLINT: its signature
  if (count < 0) return;
  jpeg_source_mgr* const source = info->src;
  const auto jump = static_cast<size_t>(count);
  if (jump > source->bytes_in_buffer) {
    source->bytes_in_buffer = 0;
    (void)FillSource(info);
    return;
  }
  source->next_input_byte += jump;
  source->bytes_in_buffer -= jump;
}

void EndSource(j_decompress_ptr) {}

class JpegReader {
 public:
  JpegReader(absl::string_view bytes, bool recover, StopCheck stop)
      : guard_(stop) {
    source_.base.init_source = &StartSource;
    source_.base.fill_input_buffer = &FillSource;
    source_.base.skip_input_data = &SkipSource;
    source_.base.resync_to_restart = &jpeg_resync_to_restart;
    source_.base.term_source = &EndSource;
    source_.begin = reinterpret_cast<const JOCTET*>(bytes.data());
    source_.size = bytes.size();
    source_.recover = recover;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }

  jpeg_decompress_struct& info() { return info_; }

  // Reads up to the size of the image.
  Status ReadHeader() {
    guard_.Attach(reinterpret_cast<j_common_ptr>(&info_));
    return Check(guard_.Guarded<JpegReader>(this, [](JpegReader* r) {
      jpeg_create_decompress(&r->info_);
      r->guard_.Watch(reinterpret_cast<j_common_ptr>(&r->info_));
      r->info_.src = &r->source_.base;
      r->done_ = jpeg_read_header(&r->info_, TRUE) == JPEG_HEADER_OK;
      r->many_scans_ = r->done_ && jpeg_has_multiple_scans(&r->info_) != FALSE;
    }));
  }

  // Starts decoding, after the parameters are set. Sizes are checked, and
  // libjpeg's own memory is charged, before it is allocated. Returns whether
  // rows can be read, which is not the case if a file of several scans is
  // truncated.
  StatusOr<bool> Start() {
    MR_RETURN_IF_ERROR(Check(guard_.Guarded<JpegReader>(
        this, [](JpegReader* r) { jpeg_calc_output_dimensions(&r->info_); })));
    const int64_t samples = int64_t{info_.output_width} *
                            int64_t{info_.output_height} * info_.num_components;
    if (samples <= 0 || samples >= kMaxSamples) {
      return InvalidArgument(kFailure, " Image too large: ", info_.output_width,
                             " x ", info_.output_height, " pixels of ",
                             info_.num_components, " channels");
    }
    MR_RETURN_IF_ERROR(Charge());
    MR_RETURN_IF_ERROR(
        Check(guard_.Guarded<JpegReader>(this, [](JpegReader* r) {
          r->started_ = jpeg_start_decompress(&r->info_) != FALSE;
        })));
    return started_;
  }

  // Makes rows begin at y and hold at least `width` columns, the last of which
  // is the window's last: libjpeg crops only at blocks on the left.
  Status Crop(int64_t y, int64_t x, int64_t width) {
    crop_y_ = static_cast<JDIMENSION>(y);
    crop_x_ = static_cast<JDIMENSION>(x);
    crop_width_ = static_cast<JDIMENSION>(width);
    return Check(guard_.Guarded<JpegReader>(this, [](JpegReader* r) {
      jpeg_crop_scanline(&r->info_, &r->crop_x_, &r->crop_width_);
      r->done_ = jpeg_skip_scanlines(&r->info_, r->crop_y_) == r->crop_y_;
    }));
  }

  // Returns false if the file has no more rows.
  StatusOr<bool> ReadRow(uint8_t* row) {
    row_ = row;
    MR_RETURN_IF_ERROR(
        Check(guard_.Guarded<JpegReader>(this, [](JpegReader* r) {
          r->got_row_ = jpeg_read_scanlines(&r->info_, &r->row_, 1) == 1;
        })));
    return got_row_;
  }

  // Checks that the rest of the file is valid, too. `whole` means that nothing
  // is missing.
  Status Finish(bool whole, int64_t rows_below) {
    whole_ = whole;
    rows_below_ = static_cast<JDIMENSION>(rows_below);
    return Check(guard_.Guarded<JpegReader>(this, [](JpegReader* r) {
      if (r->rows_below_ > 0) {
        (void)jpeg_skip_scanlines(&r->info_, r->rows_below_);
      }
      if (r->whole_) {
        (void)jpeg_finish_decompress(&r->info_);
      } else {
        jpeg_abort_decompress(&r->info_);
      }
    }));
  }

  static constexpr char kFailure[] =
      "jpeg::Uncompress failed. Invalid JPEG data or crop window.";

 private:
  Status Check(bool ok) {
    if (!guard_.stopped().ok()) return guard_.stopped();
    if (!ok || !done_) return InvalidArgument(kFailure, guard_.Words());
    return OkStatus();
  }

  // Charges rows and, if the image has several scans, the coefficients of all
  // of it.
  Status Charge() {
    CheckedSize bytes = 0;
    for (int i = 0; i < info_.num_components; ++i) {
      const jpeg_component_info& c = info_.comp_info[i];
      const auto width = CheckedSize(c.width_in_blocks) + c.h_samp_factor;
      const auto height = CheckedSize(c.height_in_blocks) + c.v_samp_factor;
      bytes += width * (8 * 32);
      if (many_scans_) bytes += width * height * int64_t{sizeof(JBLOCK)};
    }
    MR_ASSIGN_OR_RETURN(const int64_t total,
                        bytes.Get("the memory of a JPEG picture"));
    return charge_.Set(total, "JPEG decoding");
  }

  JpegGuard guard_;
  MemoryCharge charge_;
  jpeg_decompress_struct info_ = {};
  MemorySource source_ = {};
  bool done_ = true, many_scans_ = false, started_ = false;
  bool got_row_ = false, whole_ = false;
  JSAMPROW row_ = nullptr;
  JDIMENSION crop_y_ = 0, crop_x_ = 0, crop_width_ = 0, rows_below_ = 0;
};

// Converts CMYK as libjpeg returns it; it is inverted if Adobe's marker is
// there.
void InksToColors(const uint8_t* inks, bool adobe, int64_t width,
                  uint8_t* colors) {
  for (int64_t i = 0; i < width; ++i, inks += 4, colors += 3) {
    const int black = adobe ? inks[3] : 255 - inks[3];
    for (int c = 0; c < 3; ++c) {
      const int ink = adobe ? inks[c] : 255 - inks[c];
      colors[c] = static_cast<uint8_t>(black * ink / 255);
    }
  }
}

bool WindowFits(const JpegReadOptions& o, const jpeg_decompress_struct& info) {
  return o.crop_height > 0 && o.crop_width > 0 && o.crop_y >= 0 &&
         o.crop_x >= 0 && o.crop_y + o.crop_height <= info.output_height &&
         o.crop_x + o.crop_width <= info.output_width;
}

void SetParameters(const JpegReadOptions& o, int channels,
                   jpeg_decompress_struct* info) {
  const bool inks =
      info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
  info->out_color_space = channels == 1 ? JCS_GRAYSCALE
                          : inks        ? JCS_CMYK
                                        : JCS_RGB;
  info->do_fancy_upsampling = o.fancy_upscaling ? TRUE : FALSE;
  info->scale_num = 1;
  info->scale_denom = static_cast<unsigned int>(o.ratio);
  info->dct_method = o.accurate_dct ? JDCT_ISLOW : JDCT_IFAST;
}

// Reads as many rows of the image as libjpeg returns, and returns their number.
StatusOr<int64_t> ReadScanlines(JpegReader& reader, int64_t height,
                                int64_t width, int channels, uint8_t* out) {
  const jpeg_decompress_struct& info = reader.info();
  const bool inks = info.out_color_space == JCS_CMYK;
  const int64_t row_bytes = width * channels;
  // Columns that libjpeg could not crop are on the left.
  const int64_t before = int64_t{info.output_width} - width;
  std::vector<uint8_t> row;
  if (inks || before > 0) {
    row.resize(static_cast<size_t>(info.output_width) *
               static_cast<size_t>(info.output_components));
  }
  for (int64_t y = 0; y < height; ++y, out += row_bytes) {
    MR_ASSIGN_OR_RETURN(const bool got,
                        reader.ReadRow(row.empty() ? out : row.data()));
    if (!got) return y;
    if (row.empty()) continue;
    const uint8_t* const from = row.data() + before * info.output_components;
    if (inks) {
      InksToColors(from, info.saw_Adobe_marker != FALSE, width, out);
    } else {
      std::copy_n(from, row_bytes, out);
    }
  }
  return height;
}

}  // namespace

Status ReadJpeg(absl::string_view bytes, const JpegReadOptions& options,
                PixelAllocator allocate, StopCheck stop) {
  JpegReader reader(bytes, options.recover_truncated, stop);
  jpeg_decompress_struct& info = reader.info();
  MR_RETURN_IF_ERROR(reader.ReadHeader());
  const int channels = options.channels == 0 ? std::min(info.num_components, 3)
                                             : options.channels;
  if (channels != 1 && channels != 3) {
    return InvalidArgument(JpegReader::kFailure, " It has ", channels,
                           " channels; 1 and 3 can be read");
  }
  SetParameters(options, channels, &info);
  MR_ASSIGN_OR_RETURN(const bool started, reader.Start());
  if (!started) return InvalidArgument(JpegReader::kFailure, " It is cut");
  int64_t height = info.output_height, width = info.output_width;
  if (options.crop) {
    if (!WindowFits(options, info)) {
      return InvalidArgument(
          JpegReader::kFailure, " Invalid crop window: y=", options.crop_y,
          ", x=", options.crop_x, ", h=", options.crop_height,
          ", w=", options.crop_width, " of ", height, " x ", width, " pixels");
    }
    height = options.crop_height;
    width = options.crop_width;
    MR_RETURN_IF_ERROR(reader.Crop(options.crop_y, options.crop_x, width));
  }
  if (info.output_components !=
      (info.out_color_space == JCS_CMYK ? 4 : channels)) {
    return InvalidArgument(JpegReader::kFailure);
  }
  MR_ASSIGN_OR_RETURN(uint8_t* const out, allocate(height, width, channels));
  MR_ASSIGN_OR_RETURN(const int64_t rows,
                      ReadScanlines(reader, height, width, channels, out));
  const int64_t row_bytes = width * channels;
  if (rows < height) {
    const float fraction =
        static_cast<float>(rows) / static_cast<float>(height);
    const bool recover = options.recover_truncated && rows > 0;
    if (!options.recover_truncated &&
        fraction < std::min(1.0f, options.acceptable_fraction)) {
      return InvalidArgument(JpegReader::kFailure, " It ends after ", rows,
                             " of ", height, " lines");
    }
    for (int64_t y = rows; y < height; ++y) {
      uint8_t* const row = out + y * row_bytes;
      if (recover) {
        std::memcpy(row, row - row_bytes, static_cast<size_t>(row_bytes));
      } else {
        std::memset(row, 0, static_cast<size_t>(row_bytes));
      }
    }
    return reader.Finish(/*whole=*/false, 0);
  }
  return reader.Finish(/*whole=*/true,
                       int64_t{info.output_height} - info.output_scanline);
}

StatusOr<std::array<int64_t, 3>> JpegShape(absl::string_view bytes,
                                           StopCheck stop) {
  JpegReader reader(bytes, /*recover=*/false, stop);
  MR_RETURN_IF_ERROR(reader.ReadHeader());
  MR_RETURN_IF_ERROR(reader.Start().status());
  const jpeg_decompress_struct& info = reader.info();
  return std::array<int64_t, 3>{info.output_height, info.output_width,
                                info.output_components};
}

}  // namespace millrace::ops
