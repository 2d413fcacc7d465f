// Limits and stopping, which cases cannot reach: what is refused before memory
// is allocated, and how soon a decoder stops.
#include "millrace/ops/image/files/codec.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/ops/image/files/bmp.h"
#include "millrace/ops/image/files/gif.h"
#include "millrace/ops/image/files/jpeg.h"
#include "millrace/ops/image/files/png.h"

namespace millrace::ops {
namespace {

Status GoOn() { return OkStatus(); }

std::vector<uint8_t> Picture(int64_t height, int64_t width, int channels) {
  std::vector<uint8_t> pixels(static_cast<size_t>(height * width * channels));
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * i / 7 + i / 300);
  }
  return pixels;
}

enum class Scans { kOne, kProgressive };

std::string Jpeg(int64_t height, int64_t width, Scans scans) {
  JpegWriteOptions options;
  options.progressive = scans == Scans::kProgressive;
  return WriteJpeg(Picture(height, width, 3).data(), height, width, 3, options,
                   GoOn)
      .value();
}

// Replaces the size in the header.
std::string WithJpegSize(std::string file, int height, int width) {
  for (size_t i = 2; i + 9 < file.size(); ++i) {
    const auto marker = static_cast<uint8_t>(file[i + 1]);
    if (file[i] != '\xff' || marker < 0xc0 || marker > 0xc2) continue;
    file[i + 5] = static_cast<char>(height >> 8);
    file[i + 6] = static_cast<char>(height);
    file[i + 7] = static_cast<char>(width >> 8);
    file[i + 8] = static_cast<char>(width);
    break;
  }
  return file;
}

class Room {
 public:
  StatusOr<uint8_t*> operator()(int64_t height, int64_t width,
                                int64_t channels) const {
    ++asked;
    bytes.resize(static_cast<size_t>(height * width * channels));
    return bytes.data();
  }
  StatusOr<uint8_t*> operator()(int64_t frames, int64_t height, int64_t width,
                                int64_t channels) const {
    return (*this)(frames * height, width, channels);
  }
  mutable int asked = 0;
  mutable std::vector<uint8_t> bytes;
};

TEST(CodecTest, FormatsByTheirFirstBytes) {
  EXPECT_EQ(FormatOf("\xff\xd8\xff\xe0"), ImageFormat::kJpeg);
  EXPECT_EQ(FormatOf("\x89PNG\r\n\x1a\nx"), ImageFormat::kPng);
  EXPECT_EQ(FormatOf("GIF87a"), ImageFormat::kGif);
  EXPECT_EQ(FormatOf("BM"), ImageFormat::kBmp);
  EXPECT_EQ(FormatOf("RIFF____WEBPVP8 "), ImageFormat::kWebP);
  EXPECT_EQ(FormatOf("RIFF____WEBP"), ImageFormat::kUnknown);
  EXPECT_EQ(FormatOf(""), ImageFormat::kUnknown);
  EXPECT_EQ(FormatOf("\xff\xd8"), ImageFormat::kUnknown);
}

TEST(CodecTest, JpegRoundTripIsClose) {
  const std::vector<uint8_t> pixels(30 * 20 * 3, 77);
  const std::string file =
      WriteJpeg(pixels.data(), 30, 20, 3, JpegWriteOptions(), GoOn).value();
  Room room;
  ASSERT_TRUE(ReadJpeg(file, JpegReadOptions(), room, GoOn).ok());
  ASSERT_EQ(room.bytes.size(), pixels.size());
  for (const uint8_t v : room.bytes) EXPECT_NEAR(v, 77, 2);
}

TEST(CodecTest, HugeJpegsAreRefusedBeforeMemoryIsTaken) {
  const std::string files[] = {
      WithJpegSize(Jpeg(16, 16, Scans::kOne), 65000, 65000),
      WithJpegSize(Jpeg(16, 16, Scans::kProgressive), 65000, 65000)};
  const int64_t before = MemoryBudget::Process().peak();
  Room room;
  for (const std::string& file : files) {
    const Status status = ReadJpeg(file, JpegReadOptions(), room, GoOn);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("Image too large"), std::string::npos)
        << status;
  }
  EXPECT_EQ(room.asked, 0);
  EXPECT_EQ(MemoryBudget::Process().peak(), before);
}

// Downscaled by 8 the image would fit, but its coefficients would not.
TEST(CodecTest, CoefficientsOfManyScansAreCharged) {
  const std::string file =
      WithJpegSize(Jpeg(16, 16, Scans::kProgressive), 60000, 60000);
  JpegReadOptions options;
  options.ratio = 8;
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + (int64_t{1} << 30));
  Room room;
  const Status status = ReadJpeg(file, options, room, GoOn);
  const Status shape = JpegShape(file, GoOn).status();
  budget.set_limit(limit);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_FALSE(shape.ok());
  EXPECT_EQ(room.asked, 0);
}

TEST(CodecTest, EveryCutOfAJpegEnds) {
  for (const Scans scans : {Scans::kOne, Scans::kProgressive}) {
    const std::string file = Jpeg(20, 19, scans);
    for (size_t size = 0; size < file.size(); ++size) {
      for (const bool recover : {false, true}) {
        JpegReadOptions options;
        options.recover_truncated = recover;
        options.acceptable_fraction = 0.2f;
        Room room;
        const absl::string_view cut = absl::string_view(file).substr(0, size);
        (void)ReadJpeg(cut, options, room, GoOn);
        (void)JpegShape(cut, GoOn).status();
      }
    }
  }
}

TEST(CodecTest, EveryCutOfAPngIsAnError) {
  const std::string file =
      WritePng(Picture(9, 11, 3).data(), 9, 11, 3, 8, -1, GoOn).value();
  for (size_t size = 0; size < file.size(); ++size) {
    Room room;
    const Status status =
        ReadPng(absl::string_view(file).substr(0, size), 0, 8, room, GoOn);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << size;
  }
}

TEST(CodecTest, PngKeepsEveryPixel) {
  for (const int channels : {1, 2, 3, 4}) {
    const std::vector<uint8_t> pixels = Picture(33, 17, channels);
    const std::string file =
        WritePng(pixels.data(), 33, 17, channels, 8, -1, GoOn).value();
    Room room;
    ASSERT_TRUE(ReadPng(file, 0, 8, room, GoOn).ok());
    EXPECT_EQ(room.bytes, pixels);
  }
}

// The file claims 65535 x 65535 pixels and has none.
TEST(CodecTest, GifsWithoutTheirPixelsTakeNoMemory) {
  std::string file("GIF89a\xff\xff\xff\xff\x80\0\0abcdef", 19);
  file += std::string("\x2c\0\0\0\0\xff\xff\xff\xff\0\2\1\x44\0;", 16);
  Room room;
  const Status status = ReadGif(file, GifFrames::kAll, room, GoOn);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(room.asked, 0);
}

TEST(CodecTest, ReadersAndWritersStopWhenAsked) {
  const std::vector<uint8_t> pixels = Picture(400, 300, 3);
  const std::string jpeg = Jpeg(400, 300, Scans::kOne);
  const std::string progressive = Jpeg(400, 300, Scans::kProgressive);
  const std::string png =
      WritePng(pixels.data(), 400, 300, 3, 8, -1, GoOn).value();
  Room room;
  // The n-th stop check returns an error.
  const auto run = [&](const std::function<Status(StopCheck)>& f) {
    for (const int n : {1, 2, 4}) {
      int asked = 0;
      const Status status = f([&]() -> Status {
        return ++asked == n ? Cancelled("enough") : OkStatus();
      });
      EXPECT_EQ(status.code(), StatusCode::kCancelled) << n << status;
      EXPECT_EQ(asked, n);
    }
  };
  run([&](StopCheck stop) {
    return ReadJpeg(jpeg, JpegReadOptions(), room, stop);
  });
  run([&](StopCheck stop) {
    return ReadJpeg(progressive, JpegReadOptions(), room, stop);
  });
  run([&](StopCheck stop) { return ReadPng(png, 0, 8, room, stop); });
  run([&](StopCheck stop) {
    return WriteJpeg(pixels.data(), 400, 300, 3, JpegWriteOptions(), stop)
        .status();
  });
  run([&](StopCheck stop) {
    return WritePng(pixels.data(), 400, 300, 3, 8, -1, stop).status();
  });
}

TEST(CodecTest, AnErrorOfTheAllocatorIsTheResult) {
  const auto refuse = [](int64_t, int64_t, int64_t) -> StatusOr<uint8_t*> {
    return ResourceExhausted("no room");
  };
  const std::string png =
      WritePng(Picture(4, 4, 3).data(), 4, 4, 3, 8, -1, GoOn).value();
  EXPECT_EQ(ReadPng(png, 0, 8, refuse, GoOn).message(), "no room");
  EXPECT_EQ(ReadJpeg(Jpeg(4, 4, Scans::kOne), JpegReadOptions(), refuse, GoOn)
                .message(),
            "no room");
}

}  // namespace
}  // namespace millrace::ops
