// Rooms: checkpoint
// The program behind test_checkpoint_files.py.
//
//   checkpoint_files write FOLDER   writes one file of every kind
//   checkpoint_files list PREFIX    prints the tensors of a checkpoint: name,
//                                   dtype, shape, CRC-32 of the values
#include <zlib.h>  // NOLINT(layers): the CRC that Python has too

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/checkpoint/bundle/bundle_merge.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/checkpoint_reader.h"
#include "millrace/checkpoint/checkpoint_state.h"
#include "millrace/checkpoint/records/event_writer.h"
#include "millrace/checkpoint/records/histogram.h"
#include "millrace/checkpoint/records/record_writer.h"
#include "millrace/checkpoint/testing/sample_tensors.h"
#include "millrace/checkpoint/v1/v1_writer.h"

namespace millrace {
namespace {

// A tensor of each dtype, 2 x 3, whose element i is made of i.
Status WriteTypes(const std::string& prefix) {
  MR_ASSIGN_OR_RETURN(auto writer, BundleWriter::Open(PosixFiles(), prefix));
  for (DataType type : SavedDataTypes()) {
    MR_RETURN_IF_ERROR(
        writer->Add(DataTypeName(type), SampleTensor(type, {2, 3})));
  }
  MR_RETURN_IF_ERROR(writer->Add("scalar", Tensor::Scalar<float>(42.5f)));
  MR_RETURN_IF_ERROR(
      writer->Add("empty", Tensor::Zeros(DataType::kFloat, {0, 4})));
  return writer->Finish();
}

// Two parts, a variable in three slices over both.
Status WriteSharded(const std::string& prefix) {
  const std::vector<std::string> slices = {"0,3:0,2", "3,2:0,2", "5,2:0,2"};
  std::vector<std::string> parts;
  for (int part = 0; part < 2; ++part) {
    parts.push_back(ShardedFilename(prefix + "_temp_0123/part", part, 2));
    MR_ASSIGN_OR_RETURN(auto writer,
                        BundleWriter::Open(PosixFiles(), parts.back()));
    MR_RETURN_IF_ERROR(writer->Add(absl::StrCat("own", part),
                                   SampleTensor(DataType::kInt64, {part + 2})));
    for (size_t i = 0; i < slices.size(); ++i) {
      if (static_cast<int>(i % 2) != part) continue;
      MR_ASSIGN_OR_RETURN(const TensorSlice slice,
                          TensorSlice::Parse(slices[i]));
      MR_ASSIGN_OR_RETURN(TensorShape shape, slice.SliceShape({7, 2}));
      MR_RETURN_IF_ERROR(writer->AddSlice(
          "part", {7, 2}, slice,
          SampleTensor(DataType::kFloat, shape, slice.extent(0).start * 2)));
    }
    MR_RETURN_IF_ERROR(writer->Finish());
  }
  return MergeBundles(PosixFiles(), parts, prefix);
}

// So many long names that the index has several data blocks.
Status WriteMany(const std::string& prefix) {
  MR_ASSIGN_OR_RETURN(auto writer, BundleWriter::Open(PosixFiles(), prefix));
  for (int i = 0; i < 6000; ++i) {
    const std::string name =
        absl::StrCat((i * 7919) % 6000, std::string(120, 'n'), i);
    MR_RETURN_IF_ERROR(writer->Add(name, Tensor::Scalar<int32_t>(i)));
  }
  return writer->Finish();
}

Status WriteV1(const std::string& path) {
  V1Writer writer(PosixFiles(), path);
  for (DataType type : SavedDataTypes()) {
    MR_RETURN_IF_ERROR(writer.Add(DataTypeName(type), {2, 3},
                                  TensorSlice::Full(2),
                                  SampleTensor(type, {2, 3})));
  }
  for (int row : {0, 2}) {
    MR_ASSIGN_OR_RETURN(const TensorSlice slice,
                        TensorSlice::Make({{row, 2}, {}}));
    MR_RETURN_IF_ERROR(
        writer.Add("part", {4, 2}, slice,
                   SampleTensor(DataType::kFloat, {2, 2}, row * 2)));
  }
  return writer.Finish();
}

Status WriteRecords(const std::string& folder) {
  for (const char* name : {"", "ZLIB", "GZIP"}) {
    MR_ASSIGN_OR_RETURN(auto file, PosixFiles()->NewWritableFile(
                                       absl::StrCat(folder, "/records", name)));
    MR_ASSIGN_OR_RETURN(const FileCompression compression,
                        ParseFileCompression(name));
    RecordWriter writer(file.get(), {.compression = compression});
    for (int i = 0; i < 100; ++i) {
      MR_RETURN_IF_ERROR(
          writer.Write(std::string(static_cast<size_t>(i) * 13, 'r')));
    }
    MR_RETURN_IF_ERROR(writer.Close());
    MR_RETURN_IF_ERROR(file->Close());
  }
  return OkStatus();
}

Status WriteEvents(const std::string& folder) {
  MR_ASSIGN_OR_RETURN(auto writer, EventWriter::Open(PosixFiles(), folder));
  MR_RETURN_IF_ERROR(writer->AddScalar(1, "loss", 0.25f));
  Histogram histogram;
  for (int i = -50; i < 50; ++i) histogram.Add(i * 0.37);
  MR_RETURN_IF_ERROR(writer->AddHistogram(2, "weights", histogram));
  MR_RETURN_IF_ERROR(writer->AddSessionLog(3, SessionLogStatus::kCheckpoint,
                                           "/ckpt-3", "saved"));
  return writer->Close();
}

Status WriteAll(const std::string& folder) {
  MR_RETURN_IF_ERROR(WriteTypes(folder + "/types"));
  MR_RETURN_IF_ERROR(WriteSharded(folder + "/sharded-5"));
  MR_RETURN_IF_ERROR(WriteMany(folder + "/many"));
  MR_RETURN_IF_ERROR(WriteV1(folder + "/v1"));
  MR_RETURN_IF_ERROR(WriteRecords(folder));
  MR_RETURN_IF_ERROR(WriteEvents(folder));
  CheckpointHistory history(0);
  (void)history.Add(folder + "/types", 1);
  (void)history.Add(folder + "/sharded-5", 2);
  return WriteCheckpointState(PosixFiles(), folder, history.state());
}

uint32_t ValuesCrc(const Tensor& tensor) {
  uLong crc = crc32(0, nullptr, 0);
  const auto extend = [&](const char* data, size_t n) {
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(data), n);
  };
  if (tensor.dtype() == DataType::kString) {
    for (const StringElement& s : tensor.flat<StringElement>())
      extend(s.data(), s.size());
  } else {
    extend(tensor.data(), tensor.size_bytes());
  }
  return static_cast<uint32_t>(crc);
}

Status List(const std::string& prefix) {
  MR_ASSIGN_OR_RETURN(auto reader,
                      CheckpointReader::Open(PosixFiles(), prefix));
  return reader->ForEach(
      [&](absl::string_view name, const BundleEntry& entry) -> Status {
        MR_ASSIGN_OR_RETURN(const Tensor tensor, reader->Lookup(name));
        const std::string line =
            absl::StrCat(name, "\t", DataTypeName(entry.dtype), "\t",
                         absl::StrJoin(tensor.shape().dims(), ","), "\t",
                         ValuesCrc(tensor), "\n");
        std::fwrite(line.data(), 1, line.size(), stdout);
        return OkStatus();
      });
}

int Main(int argc, char** argv) {
  const std::string verb = argc == 3 ? argv[1] : "";
  Status status =
      InvalidArgument("usage: checkpoint_files write FOLDER | list PREFIX");
  if (verb == "write") status = WriteAll(argv[2]);
  if (verb == "list") status = List(argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) { return millrace::Main(argc, argv); }
