// Small PNG, GIF and BMP files for cases, written here without compression, so
// that they can contain what ordinary encoders do not write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace millrace::cases {

inline std::string Little(uint64_t v, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i, v >>= 8) out += static_cast<char>(v);
  return out;
}
inline std::string Big(uint64_t v, int bytes) {
  std::string out = Little(v, bytes);
  std::reverse(out.begin(), out.end());
  return out;
}
// ---- PNG (PNG specification, 2nd edition). ----

struct PngSample {
  int width, height;
  int depth;  // 1, 2, 4, 8, 16
  int color;  // 0 grey, 2 colour, 3 palette, 4 grey alpha, 6 colour alpha
  bool interlaced = false;
  std::string palette, transparency;  // PLTE and tRNS
  std::string more;                   // chunks before the pixels
};

inline std::string PngChunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  uint32_t crc = ~uint32_t{0};
  for (const char c : body) {
    crc ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc % 2 ? 0xedb88320 : 0);
  }
  return absl::StrCat(Big(data.size(), 4), body, Big(~crc, 4));
}

// Returns a zlib stream with one stored block.
inline std::string Zlib(const std::string& data) {
  uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return absl::StrCat("\x78\x01\x01", Little(data.size(), 2),
                      Little(~data.size(), 2), data, Big(b << 16 | a, 4));
}

// Returns rows of every x_step-th and y_step-th pixel, unfiltered.
inline std::string PngRows(const PngSample& p, int x0, int y0, int x_step,
                           int y_step) {
  const int channels = p.color == 2   ? 3
                       : p.color == 4 ? 2
                       : p.color == 6 ? 4
                                      : 1;
  const auto range =
      p.color == 3 ? static_cast<int>(p.palette.size()) / 3 : 1 << p.depth;
  std::string out;
  for (int y = y0; y < p.height && x0 < p.width; y += y_step) {
    std::string row;
    int bits = 0, byte = 0;
    for (int x = x0; x < p.width; x += x_step) {
      for (int c = 0; c < channels; ++c) {
        const int value = (x * 37 + y * 11 + c * 59 + x * y * 7) *
                          (p.depth == 16 ? 523 : 1) % range;
        if (p.depth >= 8) {
          row += Big(static_cast<uint64_t>(value), p.depth / 8);
          continue;
        }
        byte = byte << p.depth | value;
        bits += p.depth;
        if (bits == 8) {
          row += static_cast<char>(byte);
          bits = byte = 0;
        }
      }
    }
    if (bits > 0) row += static_cast<char>(byte << (8 - bits));
    out += std::string(1, '\0') + row;
  }
  return out;
}

inline std::string Png(const PngSample& p) {
  std::string rows;
  if (p.interlaced) {
    constexpr int kPasses[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8},
                                   {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
                                   {0, 1, 1, 2}};
    for (const auto& s : kPasses) rows += PngRows(p, s[0], s[1], s[2], s[3]);
  } else {
    rows = PngRows(p, 0, 0, 1, 1);
  }
  std::string header = Big(static_cast<uint64_t>(p.width), 4) +
                       Big(static_cast<uint64_t>(p.height), 4) +
                       static_cast<char>(p.depth) + static_cast<char>(p.color) +
                       std::string(2, '\0') + static_cast<char>(p.interlaced);
  std::string out = "\x89PNG\r\n\x1a\n" + PngChunk("IHDR", header) + p.more;
  if (!p.palette.empty()) out += PngChunk("PLTE", p.palette);
  if (!p.transparency.empty()) out += PngChunk("tRNS", p.transparency);
  return out + PngChunk("IDAT", Zlib(rows)) + PngChunk("IEND", "");
}

// ---- GIF (GIF89a specification). ----

// Returns codes of three bits; the table is cleared before they would grow.
inline std::string GifPixels(const std::vector<int>& pixels) {
  std::string bits;
  const auto code = [&bits](int c) {
    for (int i = 0; i < 3; ++i) bits += static_cast<char>(c >> i & 1);
  };
  for (size_t i = 0; i < pixels.size(); ++i) {
    if (i % 2 == 0) code(4);
    code(pixels[i]);
  }
  code(5);
  bits.resize((bits.size() + 7) / 8 * 8);
  std::string data;
  for (size_t i = 0; i < bits.size(); i += 8) {
    int byte = 0;
    for (size_t k = 0; k < 8; ++k) byte |= bits[i + k] << k;
    data += static_cast<char>(byte);
  }
  std::string out = "\x02";
  for (size_t i = 0; i < data.size(); i += 255) {
    const std::string block = data.substr(i, 255);
    out += static_cast<char>(block.size()) + block;
  }
  return out + '\0';
}

struct GifFrameSample {
  int left, top, width, height;
  bool interlaced = false;
  int transparent = -1;
  std::string colors;  // of its own palette: 2 or 4
  int first_pixel = 0;
};

inline std::string GifFrame(const GifFrameSample& f) {
  std::string out;
  if (f.transparent >= 0) {
    out = std::string("\x21\xf9\x04\x01\0\0", 6) +
          static_cast<char>(f.transparent) + '\0';
  }
  out += '\x2c';
  for (const int v : {f.left, f.top, f.width, f.height}) {
    out += Little(static_cast<uint64_t>(v), 2);
  }
  int flags = f.interlaced ? 0x40 : 0;
  if (!f.colors.empty()) flags |= 0x80 | (f.colors.size() > 6 ? 1 : 0);
  out += static_cast<char>(flags) + f.colors;
  std::vector<int> pixels;
  for (int i = 0; i < f.width * f.height; ++i) {
    pixels.push_back((f.first_pixel + i * 3 + i / 4) % 4);
  }
  return out + GifPixels(pixels);
}

// Returns a file with the frames and, if `colors`, a palette of four greys.
inline std::string Gif(const std::string& frames, bool colors = true) {
  std::string out = "GIF89a" + Little(5, 2) + Little(4, 2) +
                    static_cast<char>(colors ? 0x81 : 0) + std::string(2, '\0');
  for (int i = 0; i < 12 && colors; ++i) out += static_cast<char>(i * 21);
  return out + frames + ';';
}

// ---- BMP (BITMAPINFOHEADER). ----

// Returns a file. A negative height means that the first row is the top one.
inline std::string Bmp(int width, int height, int bits_per_pixel) {
  const int channels = bits_per_pixel / 8;
  const int row_bytes = (width * channels + 3) / 4 * 4;
  const int rows = height < 0 ? -height : height;
  std::string out =
      "BM" + Little(static_cast<uint64_t>(54 + row_bytes * rows), 4) +
      Little(0, 4) + Little(54, 4) + Little(40, 4) +
      Little(static_cast<uint64_t>(width), 4) +
      Little(static_cast<uint64_t>(height), 4) + Little(1, 2) +
      Little(static_cast<uint64_t>(bits_per_pixel), 2) + Little(0, 24);
  for (int i = 0; i < row_bytes * rows; ++i) {
    out += static_cast<char>(i * 29 + i / 7);
  }
  return out;
}

}  // namespace millrace::cases
