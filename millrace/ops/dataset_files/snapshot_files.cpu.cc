#include "millrace/ops/dataset_files/snapshot_files.h"

#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "millrace/base/random.h"

namespace millrace::ops {

uint64_t SnapshotElementBytes(const Element& element) {
  // A string of stock takes this much, and its bytes.
  constexpr uint64_t kStringBytes = 24;
  uint64_t bytes = 0;
  for (const Tensor& t : element) {
    if (t.dtype() != DataType::kString) {
      bytes += t.size_bytes();
      continue;
    }
    for (const StringElement& text : t.flat<StringElement>()) {
      bytes += kStringBytes + text.size();
    }
  }
  return bytes;
}

SnapshotWriter::SnapshotWriter(FileSystem* files, std::string folder,
                               std::string run, SnapshotOptions options)
    : files_(files),
      folder_(std::move(folder)),
      run_(std::move(run)),
      options_(std::move(options)) {}

StatusOr<std::unique_ptr<SnapshotWriter>> SnapshotWriter::Begin(
    FileSystem* files, std::string folder, SnapshotOptions options,
    const SnapshotMetadata& metadata) {
  std::unique_ptr<SnapshotWriter> writer(new SnapshotWriter(
      files, std::move(folder), metadata.run, std::move(options)));
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(writer->RunFolder()));
  MR_RETURN_IF_ERROR(WriteSnapshotMetadata(files, writer->folder_, metadata));
  MR_RETURN_IF_ERROR(writer->OpenFile());
  return writer;
}

std::string SnapshotWriter::RunFolder() const {
  return JoinPath(options_.writer_prefix, JoinPath(folder_, run_));
}

std::string SnapshotWriter::PathOfFile() const {
  return JoinPath(RunFolder(), absl::StrFormat("%08d.snapshot", index_));
}

Status SnapshotWriter::OpenFile() {
  MR_ASSIGN_OR_RETURN(file_, SnapshotFileWriter::Open(files_, PathOfFile(),
                                                      options_.compression));
  return OkStatus();
}

// As in stock, the first file that seems full says how well elements are
// compressed, and later files are not asked any more.
StatusOr<bool> SnapshotWriter::FileIsFull() {
  const auto most = static_cast<double>(options_.shard_bytes);
  if (ratio_ > 0) return static_cast<double>(bytes_) > ratio_ * most;
  if (bytes_ <= options_.shard_bytes) return false;
  MR_RETURN_IF_ERROR(file_->Flush());
  MR_ASSIGN_OR_RETURN(const uint64_t size, files_->GetSize(PathOfFile()));
  ratio_ = size == 0 ? std::numeric_limits<double>::infinity()
                     : static_cast<double>(bytes_) / static_cast<double>(size);
  return size >= options_.shard_bytes;
}

Status SnapshotWriter::Add(const Element& element) {
  bytes_ += SnapshotElementBytes(element);
  MR_ASSIGN_OR_RETURN(const bool full, FileIsFull());
  if (full) {
    MR_RETURN_IF_ERROR(file_->Close());
    ++index_;
    bytes_ = 0;
    MR_RETURN_IF_ERROR(OpenFile());
  }
  return file_->Write(element);
}

Status SnapshotWriter::Finish() {
  MR_RETURN_IF_ERROR(file_->Close());
  MR_ASSIGN_OR_RETURN(auto metadata, ReadSnapshotMetadata(files_, folder_));
  if (!metadata || metadata->run != run_) return OkStatus();
  metadata->finalized = true;
  return WriteSnapshotMetadata(files_, folder_, *metadata);
}

SnapshotReader::SnapshotReader(FileSystem* files,
                               std::vector<std::string> paths,
                               SnapshotCompression compression, int64_t version,
                               ElementSignature signature)
    : files_(files),
      paths_(std::move(paths)),
      compression_(compression),
      version_(version),
      signature_(std::move(signature)) {}

StatusOr<std::unique_ptr<SnapshotReader>> SnapshotReader::Open(
    FileSystem* files, const std::string& folder,
    const SnapshotOptions& options, const SnapshotMetadata& metadata,
    ElementSignature signature) {
  const std::string run_folder = JoinPath(folder, metadata.run);
  StatusOr<std::vector<std::string>> names = files->GetChildren(run_folder);
  if (names.status().code() == StatusCode::kPermissionDenied) {
    return names.status();
  }
  if (!names.ok() || names->empty()) {
    return NotFound("Could not find any files in dir: ", run_folder);
  }
  if (options.shuffles) {
    Rng rng(options.seed == 0 ? RandomUint64() : options.seed);
    for (size_t left = names->size(); left > 1; --left) {
      std::swap((*names)[left - 1], (*names)[rng.Uniform(left)]);
    }
  }
  std::vector<std::string> paths;
  for (const std::string& name : *names) {
    paths.push_back(
        JoinPath(options.reader_prefix, JoinPath(run_folder, name)));
  }
  return std::unique_ptr<SnapshotReader>(
      new SnapshotReader(files, std::move(paths), options.compression,
                         metadata.version, std::move(signature)));
}

StatusOr<bool> SnapshotReader::Next(Allocator* allocator, Element* out) {
  for (;;) {
    if (file_ == nullptr) {
      if (next_ == paths_.size()) return false;
      MR_ASSIGN_OR_RETURN(
          file_, SnapshotFileReader::Open(files_, paths_[next_++], compression_,
                                          version_));
    }
    MR_ASSIGN_OR_RETURN(const bool there,
                        file_->Read(signature_.types, allocator, out));
    if (!there) {
      file_ = nullptr;
      continue;
    }
    MR_RETURN_IF_ERROR(CheckElement(signature_, *out));
    return true;
  }
}

StatusOr<std::vector<Element>> SnapshotReader::Read(size_t most, uint64_t bytes,
                                                    Allocator* allocator) {
  MR_RETURN_IF_ERROR(std::exchange(error_, OkStatus()));
  std::vector<Element> elements;
  for (uint64_t have = 0; elements.size() < most && have < bytes;) {
    Element element;
    const StatusOr<bool> there = Next(allocator, &element);
    if (!there.ok()) {
      file_ = nullptr;
      error_ = Annotate(there.status(),
                        absl::StrCat("; in file ", paths_[next_ - 1]));
      break;
    }
    if (!*there) break;
    have += SnapshotElementBytes(element);
    elements.push_back(std::move(element));
  }
  if (elements.empty()) {
    MR_RETURN_IF_ERROR(std::exchange(error_, OkStatus()));
  }
  return elements;
}

}  // namespace millrace::ops
