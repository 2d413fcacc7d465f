#include <cmath>
#include <string>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// The fields of a WAV file; those that are -1 follow from the others.
struct WavFields {
  int channels = 1;
  int rate = 8000;
  int bits = 16;
  int format = 1;
  int format_size = 16;
  std::string more_format = {};
  std::string data = std::string("\x00\x80\xff\x7f\x01\x00\xff\xff", 8);
  int64_t data_size = -1;
  int64_t per_second = -1;
  int per_sample = -1;
  std::string before = {};  // the format
  std::string behind = {};  // the data
};

void PutNumber(std::string* out, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(v >> (8 * i) & 0xff));
  }
}

std::string Chunk(const std::string& name, uint64_t size) {
  std::string out = name;
  PutNumber(&out, size, 4);
  return out;
}

std::string Wav(const WavFields& f) {
  const int frame = f.channels * f.bits / 8;
  std::string body =
      "WAVE" + f.before + Chunk("fmt ", static_cast<uint64_t>(f.format_size));
  PutNumber(&body, static_cast<uint64_t>(f.format), 2);
  PutNumber(&body, static_cast<uint64_t>(f.channels), 2);
  PutNumber(&body, static_cast<uint64_t>(f.rate), 4);
  PutNumber(&body,
            f.per_second < 0
                ? static_cast<uint64_t>(f.rate) * static_cast<uint64_t>(frame)
                : static_cast<uint64_t>(f.per_second),
            4);
  PutNumber(&body,
            static_cast<uint64_t>(f.per_sample < 0 ? frame : f.per_sample), 2);
  PutNumber(&body, static_cast<uint64_t>(f.bits), 2);
  body += f.more_format;
  body += Chunk("data", f.data_size < 0 ? f.data.size()
                                        : static_cast<uint64_t>(f.data_size));
  body += f.data + f.behind;
  return Chunk("RIFF", body.size()) + body;
}

}  // namespace

MR_CASES(DecodeWav)(CaseList& c) {
  const auto ok = [&](const WavFields& f, int channels = -1, int samples = -1) {
    c.Ok({StrScalar(Wav(f))},
         {{"desired_channels", channels}, {"desired_samples", samples}});
  };
  const auto error = [&](const std::string& bytes, const char* words) {
    c.Error({StrScalar(bytes)}, kInvalid, words);
  };
  const auto bad = [&](const WavFields& f, const char* words) {
    error(Wav(f), words);
  };
  const std::string list = Chunk("LIST", 4) + "abcd";
  ok({});
  ok({.channels = 2});
  ok({.channels = 2}, 1);
  ok({}, 2);
  ok({}, 2, 3);
  ok({.channels = 2}, 3);
  ok({}, -1, 7);
  ok({}, -1, 0);
  ok({}, 0);
  ok({.rate = 0});
  ok({.rate = 2147483647, .per_second = 4294967294});
  ok({.format_size = 18, .more_format = "\x05\x01"});
  ok({.data = ""});
  ok({.behind = list});
  ok({.data = std::string(9, '\1'), .behind = list});
  for (const char* const name : {"JUNK", "bext", "axml"}) {
    ok({.before = Chunk(name, 4) + "abcd"});
  }
  bad({.before = list}, "Unexpected field LIST");
  bad({.before = Chunk("JUNK", 0xffffffff)}, "Data too short when trying to");
  bad({.bits = 8}, "Can only read 16-bit WAV files, but received 8");
  bad({.format = 3}, "Bad audio format for WAV: Expected 1 (PCM), but got3");
  bad({.format_size = 40},
      "Bad format chunk size for WAV: Expected 16 or 18, but got40");
  bad({.channels = 0},
      "Bad number of channels for WAV: Expected at least 1, but got 0");
  bad({.per_second = 5},
      "Bad bytes per second in WAV header: Expected 16000 but got 5 "
      "(sample_rate=8000, bytes_per_sample=2)");
  bad({.per_sample = 5},
      "Bad bytes per sample in WAV header: Expected 2 but got 5");
  bad({.data_size = 100}, "Data too short when trying to read string");
  bad({.data_size = 4}, "Data too short when trying to read string");
  bad({.data_size = 0x80000000},
      "WAV data chunk 'data' is too large: 2147483648 bytes, but the limit is "
      "2147483647");
  bad({.behind = Chunk("data", 0)}, "More than one data chunk found in WAV");
  bad({.behind = "LI"}, "Data too short when trying to read string");
  const std::string file = Wav({});
  for (const size_t size : {0, 1, 8, 12, 20, 24, 30, 40, 44, 46}) {
    error(file.substr(0, size), "Data too short when trying to read string");
  }
  error(file.substr(0, 36), "No data chunk found in WAV");
  error("RIFX" + file.substr(4),
        "Header mismatch: Expected RIFF but found RIFX");
  c.Error({Str({file})}, kInvalid, "contents must be scalar, got shape [1]")
      .NoShapeCheck();
  c.BuildError({Str({file})}, {}, "Shape must be rank 0 but is rank 1");
  c.BuildError({StrScalar(file)}, {{"desired_channels", -5}},
               "channels must be non-negative, got -5");
  c.BuildError({StrScalar(file)}, {{"desired_samples", -5}},
               "samples must be non-negative, got -5");
  c.BuildError({StrScalar(file)}, {{"desired_samples", int64_t{1} << 40}},
               "Attr desired_samples has value 1099511627776 out of range for "
               "an int32");
}

MR_CASES(EncodeWav)(CaseList& c) {
  const Value rate = Scalar(44100);
  c.Ok({Of(kFloat, {4, 2}, {0.1, -0.2, 1, -1, 2, -3, NAN, INFINITY}), rate});
  // Halves are rounded away from zero.
  c.Ok({Iota(kFloat, {21, 1}, -10 / 65536.0, 1 / 65536.0), rate});
  c.Ok({F32({300, 3}), Scalar(8000)});
  c.Ok({F32({2, 2}), Scalar(2147483647)});
  c.Ok({Empty(kFloat, {0, 1}), rate});
  c.Error({Empty(kFloat, {2, 0}), rate}, kInvalid,
          "num_channels must be in (0, 2^16), got: 0");
  c.Error({F32({1, 70000}), rate}, kInvalid,
          "num_channels must be in (0, 2^16), got: 70000");
  c.Error({F32({2, 1}), Scalar(0)}, kInvalid,
          "sample_rate must be in (0, 2^32), got: 0");
  c.Error({F32({2, 1}), Scalar(-1)}, kInvalid,
          "sample_rate must be in (0, 2^32), got: 18446744073709551615");
  c.Error({F32({2}), rate}, kInvalid, "audio must be 2-dimensional[2]")
      .NoShapeCheck();
  c.Error({F32({2, 1}), Vec({8000})}, kInvalid,
          "Input sample_rate should be a scalar tensor, got [1] instead.")
      .NoShapeCheck();
  c.BuildError({F32({2}), rate}, {}, "Shape must be rank 2 but is rank 1");
  c.BuildError({F32({2, 1}), Vec({8000})}, {},
               "Shape must be rank 0 but is rank 1");
}

}  // namespace millrace::cases
