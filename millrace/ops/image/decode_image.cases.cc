#include "millrace/ops/image/sample_files.cases.h"
#include "millrace/ops/image/sample_jpegs.cases.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr char kBadJpeg[] = "jpeg::Uncompress failed. Invalid JPEG data";

void Read(CaseList& c, const std::string& file, const AttrMap& attrs = {}) {
  c.Ok({StrScalar(file)}, attrs).Exact();
}
void Fail(CaseList& c, const std::string& file, const AttrMap& attrs,
          const char* words) {
  c.Error({StrScalar(file)}, attrs, kInvalid, words);
}
std::string Cut(const std::string& file, size_t bytes) {
  return file.substr(0, file.size() - bytes);
}
std::string Animation() {
  return Gif(GifFrame({0, 0, 5, 4}) + GifFrame({1, 2, 3, 2, false, 3, "", 2}));
}

std::vector<std::string> Jpegs() {
  return {ColorJpeg(),       WideJpeg(), GreyJpeg(),
          ProgressiveJpeg(), InkJpeg(),  AdobeInkJpeg()};
}

std::vector<std::string> Pngs() {
  std::vector<std::string> files;
  for (const bool interlaced : {false, true}) {
    for (const int depth : {1, 2, 4, 8, 16}) {
      files.push_back(Png({11, 9, depth, 0, interlaced}));
    }
    for (const int color : {2, 4, 6}) {
      files.push_back(Png({10, 9, 8, color, interlaced}));
      files.push_back(Png({5, 3, 16, color, interlaced}));
    }
    for (const int depth : {2, 8}) {
      const std::string palette("\0\xff\x10\x80\x40\xc8\x07\x66\xee", 9);
      files.push_back(Png({9, 10, depth, 3, interlaced, palette}));
      files.push_back(Png({9, 10, depth, 3, interlaced, palette, "\x80\x01"}));
    }
  }
  // One grey, one colour that is transparent; a gamma, and a text.
  files.push_back(Png({6, 5, 4, 0, false, "", std::string("\0\3", 2)}));
  files.push_back(
      Png({6, 5, 8, 2, false, "", std::string("\0\0\0\x3b\0\x76", 6)}));
  files.push_back(Png({6, 5, 8, 2, false, "", "",
                       PngChunk("gAMA", Big(45455, 4)) +
                           PngChunk("tEXt", std::string("Title\0x", 7))}));
  return files;
}

// Adds the errors of DecodeJpeg and DecodeAndCropJpeg for attributes.
void JpegAttrErrors(CaseList& c, std::vector<Value> inputs) {
  c.Error(inputs, {{"ratio", 3}}, kInvalid, "ratio must be 1, 2, 4, or 8");
  c.Error(inputs, {{"dct_method", "FLOAT"}}, kInvalid,
          "dct_method must be one of");
  c.Error(inputs, {{"channels", 2}}, kInvalid,
          "`channels` must be 0, 1, 3 or 4");
  c.Error(inputs, {{"channels", 4}}, kInvalid,
          "JPEG does not support 4 channels");
}

void ContentErrors(CaseList& c) {
  const bool crop = c.op().name == "DecodeAndCropJpeg";
  const auto inputs = [crop](Value contents) {
    std::vector<Value> values = {std::move(contents)};
    if (crop) values.push_back(Vec({0, 0, 1, 1}));
    return values;
  };
  c.Error(inputs(StrScalar("")), kInvalid, "Input is empty.");
  c.Error(inputs(StrScalar("hello world")), kInvalid,
          "Unknown image file format.");
  c.Error(inputs(Str({GreyJpeg()})), kInvalid,
          "`contents` must be scalar but got shape")
      .NoShapeCheck();
}

}  // namespace

MR_CASES(DecodeJpeg)(CaseList& c) {
  for (const std::string& file : Jpegs()) {
    Read(c, file);
    for (const int ratio : {2, 4, 8}) Read(c, file, {{"ratio", ratio}});
    Read(c, file, {{"dct_method", "INTEGER_ACCURATE"}});
    Read(c, file, {{"fancy_upscaling", false}, {"channels", 3}});
    // Truncated files are refused, accepted in part, or recovered.
    Fail(c, Cut(file, 2), {}, kBadJpeg);
    Fail(c, Cut(file, 40), {}, kBadJpeg);
    Read(c, Cut(file, 2), {{"try_recover_truncated", true}});
    Read(c, Cut(file, 40), {{"try_recover_truncated", true}});
  }
  for (const std::string& file : {ColorJpeg(), WideJpeg(), InkJpeg()}) {
    Read(c, Cut(file, 40), {{"acceptable_fraction", 0.3f}});
  }
  Fail(c, Cut(ColorJpeg(), 40), {{"acceptable_fraction", 0.99f}}, kBadJpeg);
  for (const std::string& file : {ColorJpeg(), WideJpeg(), ProgressiveJpeg()}) {
    Read(c, file, {{"channels", 1}, {"dct_method", "INTEGER_FAST"}});
  }
  Fail(c, InkJpeg(), {{"channels", 1}}, kBadJpeg);
  Fail(c, ColorJpeg().substr(0, 200), {}, kBadJpeg);
  Read(c, Png({10, 9, 8, 2}));
  Read(c, Gif(GifFrame({0, 0, 5, 4})));
  Fail(c, Animation(), {}, "Got 2 frames, but animated gifs can only be");
  Fail(c, Bmp(3, 2, 24), {}, "Trying to decode BMP format using a wrong op.");
  ContentErrors(c);
  JpegAttrErrors(c, {StrScalar(GreyJpeg())});
  c.BuildError({StrScalar(GreyJpeg())}, {{"channels", -1}},
               "channels must be non-negative");
}

MR_CASES(DecodeAndCropJpeg)(CaseList& c) {
  for (const std::string& file : Jpegs()) {
    for (const auto& window : {Vec({0, 0, 9, 10}), Vec({3, 2, 5, 7}),
                               Vec({8, 8, 1, 2}), Vec({1, 4, 8, 1})}) {
      c.Ok({StrScalar(file), window}).Exact();
    }
  }
  c.Ok({StrScalar(WideJpeg()), Vec({3, 19, 9, 10})}).Exact();
  c.Ok({StrScalar(WideJpeg()), Vec({11, 17, 9, 18})},
       {{"fancy_upscaling", false}, {"dct_method", "INTEGER_ACCURATE"}})
      .Exact();
  c.Ok({StrScalar(WideJpeg()), Vec({1, 5, 8, 9})}, {{"ratio", 2}}).Exact();
  c.Ok({StrScalar(WideJpeg()), Vec({1, 18, 8, 9})}, {{"channels", 1}}).Exact();
  for (const auto& window : {Vec({0, 0, 19, 21}), Vec({0, 0, 0, 1}),
                             Vec({-1, 0, 3, 3}), Vec({0, 1, 18, 21})}) {
    c.Error({StrScalar(ColorJpeg()), window}, kInvalid, kBadJpeg);
  }
  c.Error({StrScalar(ColorJpeg()), Vec({0, 0, 1})}, kInvalid,
          "crop_size must have four elements")
      .NoShapeCheck();
  c.Error({StrScalar(ColorJpeg()), Of(DataType::kInt32, {1, 4}, {0, 0, 1, 1})},
          kInvalid, "crop_window must be 1-D, got shape")
      .NoShapeCheck();
  for (const std::string& file :
       {Png({10, 9, 8, 2}), Animation(), Bmp(3, 2, 24)}) {
    c.Error({StrScalar(file), Vec({0, 0, 1, 1})}, kInvalid,
            "DecodeAndCropJpeg operation can run on JPEG only");
  }
  ContentErrors(c);
  JpegAttrErrors(c, {StrScalar(GreyJpeg()), Vec({0, 0, 1, 1})});
}

MR_CASES(ExtractJpegShape)(CaseList& c) {
  c.EachType("output_type", [](CaseList& c, DataType t) {
    for (const std::string& file : Jpegs()) {
      Read(c, file, {{"output_type", t}});
    }
  });
  Read(c, Cut(ColorJpeg(), 40));
  Read(c, Cut(ProgressiveJpeg(), 40));
  for (const std::string& file :
       {std::string(), std::string("abc"), ColorJpeg().substr(0, 100)}) {
    Fail(c, file, {}, "Invalid JPEG data, size");
  }
  c.Error({Str({GreyJpeg()})}, kInvalid, "contents must be scalar, got shape")
      .NoShapeCheck();
}

MR_CASES(DecodePng)(CaseList& c) {
  for (const std::string& file : Pngs()) {
    for (const int channels : {0, 1, 3, 4}) {
      for (const DataType t : {DataType::kUint8, DataType::kUint16}) {
        Read(c, file, {{"channels", channels}, {"dtype", t}});
      }
    }
  }
  const std::string file = Png({10, 9, 8, 2});
  for (const size_t cut : {1, 12, 20, 100}) {
    Fail(c, Cut(file, cut), {}, "Invalid PNG data, size");
  }
  Fail(c, file.substr(0, 30), {}, "Invalid PNG. Failed to initialize decoder.");
  Fail(c, Png({0, 9, 8, 2}), {}, "Invalid PNG. Failed to initialize decoder.");
  Fail(c, Png({3, 9, 4, 2}), {}, "Invalid PNG. Failed to initialize decoder.");
  std::string damaged = file;
  damaged[60] = static_cast<char>(damaged[60] ^ 1);
  Fail(c, damaged, {}, "Invalid PNG data, size");
  Read(c, GreyJpeg(), {{"dtype", DataType::kUint16}});
  Read(c, Gif(GifFrame({0, 0, 5, 4})), {{"dtype", DataType::kUint16}});
  Fail(c, Bmp(3, 2, 24), {}, "Trying to decode BMP format using a wrong op.");
  ContentErrors(c);
}

MR_CASES(DecodeGif)(CaseList& c) {
  const std::string first = GifFrame({0, 0, 5, 4});
  const std::vector<std::string> files = {
      Gif(first),
      Animation(),
      Gif(GifFrame({0, 0, 3, 9, true})),
      Gif(GifFrame({0, 0, 5, 4, false, 2})),
      Gif(GifFrame({2, 1, 4, 4}) + GifFrame({6, 0, 4, 4}) +
          GifFrame({0, 7, 2, 2})),
      Gif(first +
          GifFrame({0, 0, 5, 4, true, 1, std::string("abcdefghijkl"), 3})),
      Gif(GifFrame({0, 0, 5, 4, false, -1, std::string("abcdefghijkl")}),
          /*colors=*/false),
      // An extension of another kind, and data behind the damage.
      Gif(std::string("\x21\xfe\3abc\0", 7) + first),
      Gif(first + "?" + first),
      Gif(first + first.substr(0, 5)),
      Cut(Gif(first), 1),
      Cut(Gif(first + first), 6),
      Gif(GifFrame({0, 0, 40, 30})),
  };
  for (const std::string& file : files) Read(c, file);
  Read(c, GreyJpeg().substr(0));
  Read(c, Png({10, 9, 8, 2}));
  Fail(c, Gif(""), {}, "failed to slurp gif file: No Image Descriptor");
  Fail(c, Gif(first).substr(0, 20), {},
       "failed to open gif file: No screen descriptor detected");
  Fail(c, Cut(Gif(first), 6), {},
       "failed to slurp gif file: Failed to read from given file");
  Fail(c, Gif("?"), {}, "failed to slurp gif file: Wrong record type");
  Fail(c, Gif(GifFrame({0, 0, 0, 4})), {}, "failed to slurp gif file");
  Fail(c, Gif(first, /*colors=*/false), {}, "missing color map for frame 0");
  Fail(c, Gif(GifFrame({0, 0, 5, 4, false, -1, "abcdef"})), {},
       "found color index 3 outside of color map range 2");
  Fail(c, Bmp(3, 2, 24), {}, "Trying to decode BMP format using a wrong op.");
  ContentErrors(c);
}

MR_CASES(DecodeBmp)(CaseList& c) {
  for (const int bits : {8, 24, 32}) {
    for (const int height : {3, -3}) {
      for (const int channels : {0, 3, 4}) {
        Read(c, Bmp(5, height, bits), {{"channels", channels}});
      }
    }
  }
  Fail(c, Bmp(5, 3, 24), {{"channels", 1}},
       "`channels` must be 0, 3 or 4 for BMP, but got 1");
  Fail(c, Bmp(5, 3, 16), {}, "Number of channels inherent in the image");
  Fail(c, Bmp(0, 3, 24), {}, "Width must be positive");
  Fail(c, Bmp(3, 0, 24), {}, "Height must be nonzero");
  Fail(c, Bmp(3, 3, 24).substr(0, 31), {},
       "Incomplete bmp content, requires at least 32 bytes");
  Fail(c, Cut(Bmp(3, 3, 24), 1), {}, "Input size should match");
  std::string huge = Bmp(3, 3, 24);
  huge[20] = huge[24] = '\x7f';
  Fail(c, huge, {}, "Total possible pixel bytes must be less than 2^30");
  Fail(c, GreyJpeg(), {}, "Trying to decode JPEG format using DecodeBmp op.");
  Fail(c, Png({3, 3, 8, 2}), {},
       "Trying to decode PNG format using DecodeBmp op.");
  ContentErrors(c);
}

MR_CASES(DecodeImage)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    const auto read = [&](const std::string& file, int channels = 0,
                          bool animations = true) {
      c.Ok({StrScalar(file)}, {{"dtype", t},
                               {"channels", channels},
                               {"expand_animations", animations}})
          .Tolerance(1e-7);
    };
    for (const int channels : {0, 1, 3}) {
      read(ColorJpeg(), channels);
      read(Png({5, 3, 16, 6}), channels);
      read(Png({5, 3, 4, 0, true}), channels, false);
      if (channels != 1) {
        read(Animation(), channels);
        read(Animation(), channels, false);
      }
    }
    read(Png({5, 3, 8, 2}), 4, false);
    for (const int bits : {8, 24, 32}) read(Bmp(5, 3, bits), 3);
    read(Bmp(5, 3, 32), 4, false);
  });
  Fail(c, ColorJpeg(), {{"channels", 4}}, "JPEG does not support 4 channels");
  Fail(c, Animation(), {{"channels", 1}},
       "channels must be 0 or 3 for GIF, got 1");
  ContentErrors(c);
}

}  // namespace millrace::cases
