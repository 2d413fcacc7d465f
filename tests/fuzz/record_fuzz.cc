// Rooms: checkpoint
// Any bytes as a file of records, plain and compressed: records end with an
// error, never with a crash or with more memory than the file justifies; and
// what is written is read back. The first two bytes choose.
#include <algorithm>
#include <cstdint>
#include <string>

#include "millrace/base/check.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/records/record_reader.h"
#include "millrace/checkpoint/records/record_writer.h"

namespace {

using namespace millrace;

constexpr char kPath[] = "/file";

void ReadAny(MemoryFiles* files, absl::string_view bytes,
             RecordReaderOptions options) {
  MR_CHECK(WriteStringToFile(files, kPath, bytes).ok());
  auto file = *files->NewRandomAccessFile(kPath);
  RecordReader reader(file.get(), options);
  std::string record;
  Status status;
  uint64_t last = 0;
  while ((status = reader.Read(&record)).ok()) {
    MR_CHECK(reader.offset() ==
             last + kRecordHeaderBytes + record.size() + kRecordFooterBytes);
    last = reader.offset();
  }
  MR_CHECK(status.code() == StatusCode::kOutOfRange ||
           status.code() == StatusCode::kDataLoss);
  MR_CHECK(reader.Seek(0).ok() ||
           options.compression != FileCompression::kNone);
  (void)reader.Skip(5).status();
}

void WriteAndRead(MemoryFiles* files, absl::string_view bytes,
                  RecordReaderOptions options) {
  auto out = *files->NewWritableFile(kPath);
  RecordWriter writer(out.get(),
                      {.compression = options.compression, .buffer_bytes = 50});
  const size_t step =
      bytes.empty() ? 1 : static_cast<uint8_t>(bytes[0]) + size_t{1};
  for (size_t at = 0; at < bytes.size(); at += step) {
    MR_CHECK(writer.Write(bytes.substr(at, step)).ok());
  }
  MR_CHECK(writer.Close().ok());
  auto file = *files->NewRandomAccessFile(kPath);
  RecordReader reader(file.get(), options);
  std::string record;
  for (size_t at = 0; at < bytes.size(); at += step) {
    MR_CHECK(reader.Read(&record).ok() && record == bytes.substr(at, step));
  }
  MR_CHECK(reader.Read(&record).code() == StatusCode::kOutOfRange);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 2,
                                size - 2);
  MemoryFiles files;
  const RecordReaderOptions options = {
      .compression = static_cast<FileCompression>(data[0] % 3),
      .buffer_bytes = std::max<size_t>(1, data[1]),
  };
  ReadAny(&files, bytes, options);
  WriteAndRead(&files, bytes, options);
  return 0;
}
