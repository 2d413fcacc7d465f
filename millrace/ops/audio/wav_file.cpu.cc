#include "millrace/ops/audio/wav_file.h"

#include <algorithm>
#include <limits>

#include "millrace/base/coding.h"

namespace millrace::ops {
namespace {

constexpr int64_t kBytesPerWavSample = 2;

// Takes values off the front of the file's bytes.
class WavScanner {
 public:
  explicit WavScanner(absl::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  StatusOr<absl::string_view> Take(uint64_t size) {
    if (size > rest_.size()) {
      return InvalidArgument("Data too short when trying to read string");
    }
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  // Takes what there is of a part that need not be whole.
  void Skip(uint64_t size) {
    rest_.remove_prefix(std::min<uint64_t>(size, rest_.size()));
  }
  template <class T>
  StatusOr<int64_t> Number() {
    MR_ASSIGN_OR_RETURN(const absl::string_view bytes, Take(sizeof(T)));
    return static_cast<int64_t>(LoadFixed<T>(bytes.data()));
  }
  Status Expect(absl::string_view text) {
    MR_ASSIGN_OR_RETURN(const absl::string_view found, Take(text.size()));
    if (found == text) return OkStatus();
    return InvalidArgument("Header mismatch: Expected ", text, " but found ",
                           found);
  }

 private:
  absl::string_view rest_;
};

// Skips what other programs write before the format, and its name.
Status FindFormat(WavScanner* in) {
  constexpr absl::string_view kSkipped[] = {"JUNK", "bext", "iXML", "qlty",
                                            "mext", "levl", "link", "axml"};
  while (true) {
    MR_ASSIGN_OR_RETURN(const absl::string_view name, in->Take(4));
    if (name == "fmt ") return OkStatus();
    if (std::find(std::begin(kSkipped), std::end(kSkipped), name) ==
        std::end(kSkipped)) {
      return InvalidArgument("Unexpected field ", name);
    }
    MR_ASSIGN_OR_RETURN(const int64_t size, in->Number<uint32_t>());
    MR_RETURN_IF_ERROR(in->Take(static_cast<uint64_t>(size)).status());
  }
}

Status ReadFormat(WavScanner* in, WavFile* file) {
  MR_ASSIGN_OR_RETURN(const int64_t size, in->Number<uint32_t>());
  if (size != 16 && size != 18) {
    return InvalidArgument(
        "Bad format chunk size for WAV: Expected 16 or 18, but got", size);
  }
  MR_ASSIGN_OR_RETURN(const int64_t format, in->Number<uint16_t>());
  if (format != 1) {
    return InvalidArgument(
        "Bad audio format for WAV: Expected 1 (PCM), but got", format);
  }
  MR_ASSIGN_OR_RETURN(file->channels, in->Number<uint16_t>());
  if (file->channels < 1) {
    return InvalidArgument(
        "Bad number of channels for WAV: Expected at least 1, but got ",
        file->channels);
  }
  MR_ASSIGN_OR_RETURN(file->rate, in->Number<uint32_t>());
  MR_ASSIGN_OR_RETURN(const int64_t per_second, in->Number<uint32_t>());
  MR_ASSIGN_OR_RETURN(const int64_t per_sample, in->Number<uint16_t>());
  MR_ASSIGN_OR_RETURN(const int64_t bits, in->Number<uint16_t>());
  if (bits != 8 * kBytesPerWavSample) {
    return InvalidArgument("Can only read 16-bit WAV files, but received ",
                           bits);
  }
  const int64_t expected = file->channels * kBytesPerWavSample;
  if (per_sample != expected) {
    return InvalidArgument("Bad bytes per sample in WAV header: Expected ",
                           expected, " but got ", per_sample);
  }
  if (per_second != expected * file->rate) {
    return InvalidArgument("Bad bytes per second in WAV header: Expected ",
                           expected * file->rate, " but got ", per_second,
                           " (sample_rate=", file->rate,
                           ", bytes_per_sample=", per_sample, ")");
  }
  in->Skip(static_cast<uint64_t>(size - 16));
  return OkStatus();
}

}  // namespace

StatusOr<WavFile> ReadWav(absl::string_view bytes) {
  WavScanner in(bytes);
  WavFile file;
  MR_RETURN_IF_ERROR(in.Expect("RIFF"));
  MR_RETURN_IF_ERROR(in.Number<uint32_t>().status());  // the file's size
  MR_RETURN_IF_ERROR(in.Expect("WAVE"));
  MR_RETURN_IF_ERROR(FindFormat(&in));
  MR_RETURN_IF_ERROR(ReadFormat(&in, &file));
  bool found = false;
  while (!in.empty()) {
    MR_ASSIGN_OR_RETURN(const absl::string_view name, in.Take(4));
    MR_ASSIGN_OR_RETURN(const int64_t size, in.Number<uint32_t>());
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (size > kMost) {
      return InvalidArgument("WAV data chunk '", name, "' is too large: ", size,
                             " bytes, but the limit is ", kMost);
    }
    if (name != "data") {
      in.Skip(static_cast<uint64_t>(size));
      continue;
    }
    if (found) return InvalidArgument("More than one data chunk found in WAV");
    found = true;
    const int64_t frame = file.channels * kBytesPerWavSample;
    file.frames = size / frame;
    // As in stock, what is left of the last frame is taken for the next part.
    MR_ASSIGN_OR_RETURN(file.samples,
                        in.Take(static_cast<uint64_t>(file.frames * frame)));
  }
  if (!found) return InvalidArgument("No data chunk found in WAV");
  return file;
}

}  // namespace millrace::ops
