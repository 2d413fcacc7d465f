// A file is read twice: the first pass counts its frames and checks their data
// without keeping a pixel, so that memory is allocated only for what is there;
// the second paints them, row by row.
#include "millrace/ops/image/files/gif.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/image/files/lzw.h"

namespace millrace::ops {
namespace {

constexpr int kNoColor = -1;
constexpr size_t kHeaderBytes = 6, kScreenBytes = 7, kFrameBytes = 9;
constexpr uint8_t kExtension = 0x21, kFrame = 0x2c, kTrailer = 0x3b;
constexpr uint8_t kGraphicsControl = 0xf9;
// The rows of an interlaced image come in four passes.
constexpr struct {
  int64_t first, step;
} kPasses[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};

struct Frame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  bool interlaced = false;
  int transparent = kNoColor;
  absl::string_view colors;  // 3 bytes each; null data: no palette
  absl::string_view data;    // begins with the length of codes
};

uint8_t ByteAt(absl::string_view s, size_t i) {
  return static_cast<uint8_t>(s[i]);
}
int WordAt(absl::string_view s, size_t i) {
  return ByteAt(s, i) | ByteAt(s, i + 1) << 8;
}
Status NoScreen() { return InvalidArgument("No screen descriptor detected"); }

class GifParser {
 public:
  explicit GifParser(absl::string_view bytes) : rest_(bytes) {}

  // Reads the part before the frames.
  Status ReadScreen() {
    if (rest_.size() < kHeaderBytes + kScreenBytes) return NoScreen();
    rest_.remove_prefix(kHeaderBytes);
    const uint8_t flags = ByteAt(rest_, 4);
    rest_.remove_prefix(kScreenBytes);
    return ReadColors(flags, &colors_).ok() ? OkStatus() : NoScreen();
  }

  // Reads frames up to the trailer. If something cannot be read, returns an
  // error, and `frames` holds the frames before it.
  Status ReadFrames(StopCheck stop, std::vector<Frame>* frames) {
    Frame next;
    while (true) {
      MR_RETURN_IF_ERROR(stop());
      if (rest_.empty()) return TruncatedFile();
      const uint8_t kind = ByteAt(rest_, 0);
      rest_.remove_prefix(1);
      if (kind == kTrailer) return OkStatus();
      if (kind == kExtension) {
        MR_RETURN_IF_ERROR(ReadExtension(&next));
      } else if (kind == kFrame) {
        MR_RETURN_IF_ERROR(ReadFrame(stop, &next));
        MR_RETURN_IF_ERROR(charge_.Set(
            static_cast<int64_t>((frames->size() + 1) * 2 * sizeof(Frame)),
            "the frames of a GIF picture"));
        frames->push_back(next);
        next = Frame();
      } else {
        return InvalidArgument("Wrong record type detected");
      }
    }
  }

 private:
  // Reads the palette, which exists if the highest bit is set; the lowest three
  // give its size.
  Status ReadColors(uint8_t flags, absl::string_view* colors) {
    if ((flags & 0x80) == 0) return OkStatus();
    const size_t size = size_t{3} << ((flags & 7) + 1);
    if (rest_.size() < size) return TruncatedFile();
    *colors = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return OkStatus();
  }

  Status ReadExtension(Frame* next) {
    if (rest_.empty()) return TruncatedFile();
    const uint8_t label = ByteAt(rest_, 0);
    rest_.remove_prefix(1);
    for (bool first = true;; first = false) {
      if (rest_.empty()) return TruncatedFile();
      const size_t size = ByteAt(rest_, 0);
      rest_.remove_prefix(1);
      if (size == 0) return OkStatus();
      if (rest_.size() < size) return TruncatedFile();
      if (first && label == kGraphicsControl && size == 4) {
        next->transparent =
            (ByteAt(rest_, 0) & 1) != 0 ? ByteAt(rest_, 3) : kNoColor;
      }
      rest_.remove_prefix(size);
    }
  }

  Status ReadFrame(StopCheck stop, Frame* frame) {
    if (rest_.size() < kFrameBytes) return TruncatedFile();
    frame->left = WordAt(rest_, 0);
    frame->top = WordAt(rest_, 2);
    frame->width = WordAt(rest_, 4);
    frame->height = WordAt(rest_, 6);
    const uint8_t flags = ByteAt(rest_, 8);
    rest_.remove_prefix(kFrameBytes);
    frame->interlaced = (flags & 0x40) != 0;
    frame->colors = colors_;
    MR_RETURN_IF_ERROR(ReadColors(flags, &frame->colors));
    if (frame->width == 0 || frame->height == 0) {
      return InvalidArgument("Unknown error: a frame without pixels");
    }
    frame->data = rest_;
    MR_RETURN_IF_ERROR(lzw_.Start(rest_));
    for (int64_t y = 0; y < frame->height; ++y) {
      if (y % kRowsBetweenStops == 0) MR_RETURN_IF_ERROR(stop());
      MR_RETURN_IF_ERROR(lzw_.Read(nullptr, frame->width));
    }
    MR_ASSIGN_OR_RETURN(rest_, lzw_.Finish());
    return OkStatus();
  }

  absl::string_view rest_, colors_;
  LzwReader lzw_;
  MemoryCharge charge_;
};

class GifCanvas {
 public:
  GifCanvas(uint8_t* pixels, int64_t height, int64_t width)
      : pixels_(pixels), height_(height), width_(width) {}

  // Paints frame `number` over `pixels_`, which holds the frames before it.
  Status Paint(const Frame& frame, int64_t number, StopCheck stop) {
    if (frame.colors.data() == nullptr) {
      return InvalidArgument("missing color map for frame ", number);
    }
    MR_RETURN_IF_ERROR(lzw_.Start(frame.data));
    row_.resize(static_cast<size_t>(frame.width));
    int64_t rows = 0;
    const auto paint = [&](int64_t y) -> Status {
      if (rows++ % kRowsBetweenStops == 0) MR_RETURN_IF_ERROR(stop());
      MR_RETURN_IF_ERROR(lzw_.Read(row_.data(), frame.width));
      return PaintRow(frame, y);
    };
    if (!frame.interlaced) {
      for (int64_t y = 0; y < frame.height; ++y) MR_RETURN_IF_ERROR(paint(y));
      return OkStatus();
    }
    for (const auto& pass : kPasses) {
      for (int64_t y = pass.first; y < frame.height; y += pass.step) {
        MR_RETURN_IF_ERROR(paint(y));
      }
    }
    return OkStatus();
  }
  void Advance() { pixels_ += height_ * width_ * 3; }

 private:
  Status PaintRow(const Frame& frame, int64_t y) {
    if (frame.top + y >= height_) return OkStatus();
    const int64_t count = std::min(frame.width, width_ - frame.left);
    if (count <= 0) return OkStatus();
    uint8_t* to = pixels_ + ((frame.top + y) * width_ + frame.left) * 3;
    for (int64_t x = 0; x < count; ++x, to += 3) {
      const size_t color = row_[static_cast<size_t>(x)];
      if (static_cast<int>(color) == frame.transparent) continue;
      if (color * 3 >= frame.colors.size()) {
        return InvalidArgument("found color index ", color,
                               " outside of color map range ",
                               frame.colors.size() / 3);
      }
      std::memcpy(to, frame.colors.data() + color * 3, 3);
    }
    return OkStatus();
  }

  uint8_t* pixels_;
  const int64_t height_, width_;
  LzwReader lzw_;
  std::vector<uint8_t> row_;
};

Status Read(absl::string_view bytes, GifFrames which, FrameAllocator allocate,
            StopCheck stop) {
  GifParser parser(bytes);
  const Status screen = parser.ReadScreen();
  if (!screen.ok()) return Prefix("failed to open gif file: ", screen);
  std::vector<Frame> frames;
  const Status read = parser.ReadFrames(stop, &frames);
  if (!read.ok()) {
    MR_RETURN_IF_ERROR(stop());
    if (read.code() == StatusCode::kResourceExhausted) return read;
    // The frames before a damaged part are valid.
    if (frames.empty()) return Prefix("failed to slurp gif file: ", read);
  }
  if (frames.empty()) {
    return InvalidArgument(
        "failed to slurp gif file: No Image Descriptor detected");
  }
  int64_t width = 0, height = 0;
  for (const Frame& frame : frames) {
    width = std::max(width, frame.width);
    height = std::max(height, frame.height);
  }
  if (which == GifFrames::kFirst) frames.resize(1);
  const auto count = static_cast<int64_t>(frames.size());
  MR_ASSIGN_OR_RETURN(
      const int64_t frame_bytes,
      (CheckedSize(height) * width * 3).Get("a GIF picture's bytes"));
  MR_ASSIGN_OR_RETURN(uint8_t* const out, allocate(count, height, width, 3));
  GifCanvas canvas(out, height, width);
  for (int64_t i = 0; i < count; ++i) {
    uint8_t* const pixels = out + i * frame_bytes;
    if (i == 0) {
      std::memset(pixels, 0, static_cast<size_t>(frame_bytes));
    } else {
      std::memcpy(pixels, pixels - frame_bytes,
                  static_cast<size_t>(frame_bytes));
    }
    MR_RETURN_IF_ERROR(canvas.Paint(frames[static_cast<size_t>(i)], i, stop));
    canvas.Advance();
  }
  return OkStatus();
}

}  // namespace

Status ReadGif(absl::string_view bytes, GifFrames which,
               FrameAllocator allocate, StopCheck stop) {
  Status refused;
  const auto allocate_noting = [&](int64_t frames, int64_t height,
                                   int64_t width, int64_t channels) {
    StatusOr<uint8_t*> pixels = allocate(frames, height, width, channels);
    refused = pixels.status();
    return pixels;
  };
  const Status status = Read(bytes, which, allocate_noting, stop);
  if (!refused.ok()) return refused;
  if (status.code() != StatusCode::kInvalidArgument) return status;
  return Prefix(absl::StrCat("Invalid GIF data (size ", bytes.size(), "), "),
                status);
}

}  // namespace millrace::ops
