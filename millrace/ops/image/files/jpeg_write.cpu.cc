// Encodes JPEG images.
#include <algorithm>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/image/files/jpeg.h"
#include "millrace/ops/image/files/jpeg_guard.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMaxJpegPixels = int64_t{1} << 29;
constexpr size_t kMaxChunk = size_t{1} << 20;
constexpr absl::string_view kXmpNamespace = "http://ns.adobe.com/xap/1.0/";

// libjpeg writes into `chunk`; full chunks are appended to `out`. `base` comes
// first, so that a pointer to it is one to the whole struct.
struct StringTarget {
  jpeg_destination_mgr base;
  std::vector<JOCTET>* chunk;
  std::string* out;
};

StringTarget* TargetOf(j_compress_ptr info) {
  return reinterpret_cast<StringTarget*>(info->dest);
}

void StartTarget(j_compress_ptr info) {
  info->dest->next_output_byte = TargetOf(info)->chunk->data();
  info->dest->free_in_buffer = TargetOf(info)->chunk->size();
}

void Append(j_compress_ptr info, size_t size) {
  TargetOf(info)->out->append(
      reinterpret_cast<const char*>(TargetOf(info)->chunk->data()), size);
}

boolean EmptyTarget(j_compress_ptr info) {
  Append(info, TargetOf(info)->chunk->size());
  StartTarget(info);
  return TRUE;
}

void EndTarget(j_compress_ptr info) {
  Append(info, TargetOf(info)->chunk->size() - info->dest->free_in_buffer);
}

class JpegWriter {
 public:
  JpegWriter(const uint8_t* pixels, int64_t height, int64_t width, int channels,
             const JpegWriteOptions& options, StopCheck stop)
      : pixels_(pixels),
        height_(height),
        width_(width),
        channels_(channels),
        options_(options),
        guard_(stop) {
    chunk_.resize(
        std::min(static_cast<size_t>(height * width * channels), kMaxChunk));
    target_.base.init_destination = &StartTarget;
    target_.base.empty_output_buffer = &EmptyTarget;
    target_.base.term_destination = &EndTarget;
    target_.chunk = &chunk_;
    target_.out = &out_;
    if (!options.xmp_metadata.empty()) {
      metadata_ = absl::StrCat(kXmpNamespace, absl::string_view("\0", 1),
                               options.xmp_metadata);
    }
  }
  ~JpegWriter() { jpeg_destroy_compress(&info_); }

  StatusOr<std::string> Write() {
    MR_RETURN_IF_ERROR(Charge());
    guard_.Attach(reinterpret_cast<j_common_ptr>(&info_));
    const bool ok = guard_.Guarded<JpegWriter>(this, [](JpegWriter* w) {
      w->Start();
      w->WriteRows();
      jpeg_finish_compress(&w->info_);
    });
    if (!guard_.stopped().ok()) return guard_.stopped();
    if (!ok) return Internal("JPEG encoding failed", guard_.Words());
    return std::move(out_);
  }

 private:
  // Charges memory. Images of several scans are kept as coefficients of 2
  // bytes.
  Status Charge() {
    CheckedSize bytes = 64 * int64_t{channels_} * width_;
    if (options_.progressive || options_.optimize_size) {
      bytes += CheckedSize(height_ + 16) * (width_ + 16) * channels_ * 2;
    }
    bytes += CheckedSize(height_) * width_ * channels_;  // the result
    MR_ASSIGN_OR_RETURN(const int64_t total,
                        bytes.Get("the memory of a JPEG picture"));
    return charge_.Set(total, "JPEG encoding");
  }

  // Requires: runs in Guarded.
  void Start() {
    jpeg_create_compress(&info_);
    guard_.Watch(reinterpret_cast<j_common_ptr>(&info_));
    info_.dest = &target_.base;
    info_.image_width = static_cast<JDIMENSION>(width_);
    info_.image_height = static_cast<JDIMENSION>(height_);
    info_.input_components = channels_;
    info_.in_color_space = channels_ == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    if (options_.optimize_size) info_.optimize_coding = TRUE;
    info_.density_unit = options_.density_in_cm ? 2 : 1;
    info_.X_density = static_cast<UINT16>(options_.x_density);
    info_.Y_density = static_cast<UINT16>(options_.y_density);
    jpeg_set_quality(&info_, options_.quality, TRUE);
    if (options_.progressive) jpeg_simple_progression(&info_);
    if (!options_.chroma_downsampling) {
      for (int i = 0; i < info_.num_components; ++i) {
        info_.comp_info[i].h_samp_factor = 1;
        info_.comp_info[i].v_samp_factor = 1;
      }
    }
    jpeg_start_compress(&info_, TRUE);
    if (!metadata_.empty()) {
      jpeg_write_marker(&info_, JPEG_APP0 + 1,
                        reinterpret_cast<const JOCTET*>(metadata_.data()),
                        static_cast<unsigned int>(metadata_.size()));
    }
  }

  void WriteRows() {
    const int64_t row_bytes = width_ * channels_;
    while (info_.next_scanline < info_.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(
          pixels_ + int64_t{info_.next_scanline} * row_bytes);
      (void)jpeg_write_scanlines(&info_, &row, 1);
    }
  }

  const uint8_t* pixels_;
  const int64_t height_, width_;
  const int channels_;
  const JpegWriteOptions& options_;
  JpegGuard guard_;
  MemoryCharge charge_;
  std::vector<JOCTET> chunk_;
  std::string out_, metadata_;
  StringTarget target_ = {};
  jpeg_compress_struct info_ = {};
};

}  // namespace

StatusOr<std::string> WriteJpeg(const uint8_t* pixels, int64_t height,
                                int64_t width, int channels,
                                const JpegWriteOptions& options,
                                StopCheck stop) {
  if (height <= 0 || width <= 0 || height > JPEG_MAX_DIMENSION ||
      width > JPEG_MAX_DIMENSION || height * width >= kMaxJpegPixels) {
    return Internal("JPEG encoding failed: a picture of ", height, " x ", width,
                    " pixels; sides may be 1 to ", JPEG_MAX_DIMENSION);
  }
  if (channels != 1 && channels != 3) {
    return Internal("JPEG encoding failed: ", channels, " channels");
  }
  JpegWriter writer(pixels, height, width, channels, options, stop);
  return writer.Write();
}

}  // namespace millrace::ops
