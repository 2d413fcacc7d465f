// SnapshotDataset: elements that the first pass writes to files and later ones
// read. Files are used on the blocking pool, many elements at a time.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/clock.h"
#include "millrace/base/hash/siphash.h"
#include "millrace/base/random.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/ops/data/blocking_call.h"
#include "millrace/ops/data/dataset_graph.h"
#include "millrace/ops/dataset/derived.h"
#include "millrace/ops/dataset_files/snapshot_files.h"

namespace millrace::ops {
namespace {

constexpr size_t kSnapshotElementsPerCall = 64;
constexpr uint64_t kSnapshotBytesPerCall = uint64_t{1} << 20;

enum class SnapshotMode { kAuto, kRead, kWrite, kPassThrough };

struct SnapshotParams {
  std::string path;
  std::string name;  // of the snapshot; empty: it is found by its fingerprint
  SnapshotMode mode = SnapshotMode::kAuto;
  int64_t expiry_seconds = 0;  // of a snapshot that somebody writes
  SnapshotOptions options;
};

// Returns a number of the data set and of what the files depend on. Stock's
// numbers, which follow from its own form of the graph, are others.
StatusOr<std::string> FingerprintOf(const DatasetValue& input,
                                    const SnapshotParams& p) {
  StatusOr<ChargedGraph> graph = GraphOfDataset(input, /*allows_state=*/true);
  if (!graph.ok()) {
    return Annotate(graph.status(),
                    "; a snapshot of it needs the attribute snapshot_name");
  }
  // The names that clients give to data sets change from graph to graph.
  for (NodeDef& node : graph->def.nodes) {
    if (node.attrs.Find("metadata") != nullptr) node.attrs.Set("metadata", "");
  }
  SipKey key = {0, 0};
  const auto add = [&key](absl::string_view text) {
    key = {SipHash(key, text), text.size()};
  };
  const ByteChunks bytes = EncodeGraphDef(graph->def);
  for (const Chunk& chunk : bytes.chunks()) add(chunk.bytes);
  add(p.path);
  add(p.options.reader_prefix);
  add(p.options.writer_prefix);
  return absl::StrCat(absl::Hex(
      SipHash(key, absl::StrCat(static_cast<int>(p.options.compression), ":",
                                p.options.shard_bytes)),
      absl::kZeroPad16));
}

// What the elements of a pass are: not yet known, those of the input, also
// written, or read.
enum class SnapshotState { kUnknown, kPassing, kWriting, kReading };

// Returns what stock would do with the snapshot that `found` describes.
StatusOr<SnapshotState> StateFor(const SnapshotParams& p,
                                 const std::optional<SnapshotMetadata>& found) {
  if (p.mode == SnapshotMode::kWrite) return SnapshotState::kWriting;
  if (p.mode == SnapshotMode::kRead) {
    if (!found) return NotFound("Metadata file does not exist.");
    return SnapshotState::kReading;
  }
  if (!found) return SnapshotState::kWriting;
  if (found->finalized) return SnapshotState::kReading;
  // Somebody writes it, or has given up.
  const auto age_us = static_cast<double>(WallMicros()) -
                      static_cast<double>(found->created_us);
  return age_us <= static_cast<double>(p.expiry_seconds) * 1e6
             ? SnapshotState::kPassing
             : SnapshotState::kWriting;
}

Status CheckSnapshotTypes(const std::vector<int64_t>& found,
                          const std::vector<DataType>& types) {
  if (found.size() != types.size()) {
    return Internal("Expected number of dtypes: ", types.size(),
                    " but number in snapshot: ", found.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const auto type = static_cast<int64_t>(types[i]);
    if (found[i] != type) {
      return Internal("Type: ", i, " doesn't match. Snapshot: ", found[i],
                      "; dataset: ", type);
    }
  }
  return OkStatus();
}

// The files of a pass. Used by one call on the blocking pool or between two.
struct SnapshotPass {
  SnapshotState state = SnapshotState::kUnknown;
  std::unique_ptr<SnapshotWriter> writer;  // null once writing has failed
  std::unique_ptr<SnapshotReader> reader;
  std::vector<Element> elements;  // that were read last
  bool read_all = false;
};

// Looks at the files, and begins to write or read.
Status BeginPass(FileSystem* files, const DatasetValue& input,
                 const SnapshotParams& p, SnapshotPass* pass) {
  std::string fingerprint;
  if (p.name.empty()) {
    MR_ASSIGN_OR_RETURN(fingerprint, FingerprintOf(input, p));
  }
  const std::string folder = JoinPath(
      p.path, p.name.empty() ? fingerprint : absl::StrCat("custom-", p.name));
  MR_ASSIGN_OR_RETURN(std::optional<SnapshotMetadata> metadata,
                      ReadSnapshotMetadata(files, folder));
  MR_ASSIGN_OR_RETURN(const SnapshotState state, StateFor(p, metadata));
  const ElementSignature& signature = input.signature();
  if (state == SnapshotState::kReading) {
    if (!p.name.empty()) metadata->run = "custom";
    if (metadata->run.empty()) {
      return NotFound("Could not find a valid snapshot to read.");
    }
    MR_RETURN_IF_ERROR(CheckSnapshotTypes(metadata->types, signature.types));
    MR_ASSIGN_OR_RETURN(
        pass->reader,
        SnapshotReader::Open(files, folder, p.options, *metadata, signature));
  } else if (state == SnapshotState::kWriting) {
    SnapshotMetadata made;
    made.fingerprint = fingerprint;
    made.run = p.name.empty()
                   ? absl::StrCat(absl::Hex(RandomUint64(), absl::kZeroPad16))
                   : "custom";
    made.created_us = WallMicros();
    made.version = kSnapshotVersion;
    for (const DataType type : signature.types) {
      made.types.push_back(static_cast<int64_t>(type));
    }
    MR_ASSIGN_OR_RETURN(pass->writer,
                        SnapshotWriter::Begin(files, folder, p.options, made));
  }
  pass->state = state;
  return OkStatus();
}

// Writes elements, and finishes the snapshot if they are the last.
Status WriteElements(SnapshotPass* pass, const std::vector<Element>& elements,
                     bool last) {
  Status status;
  for (const Element& element : elements) {
    status = pass->writer->Add(element);
    if (!status.ok()) break;
  }
  if (status.ok() && last) status = pass->writer->Finish();
  if (!status.ok() || last) pass->writer = nullptr;
  return status;
}

class SnapshotIterator final : public UnchangedIterator<SnapshotParams> {
 public:
  using UnchangedIterator::UnchangedIterator;
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }

  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    for (;;) {
      if (call_.in_progress()) {
        MR_ASSIGN_OR_RETURN(const Pull done, call_.Finish());
        if (done == Pull::kPending) return done;
        read_next_ = 0;
      }
      if (pass_over_ > 0 && pass_->state != SnapshotState::kUnknown &&
          pass_->state != SnapshotState::kReading) {
        pass_->state = SnapshotState::kReading;
        pass_->read_all = true;
        return FailedPrecondition(
            "the iterator was saved while it read a snapshot that is not there "
            "any more: ",
            params().path);
      }
      switch (pass_->state) {
        case SnapshotState::kUnknown:
          MR_RETURN_IF_ERROR(StartPass(ctx));
          break;
        case SnapshotState::kPassing:
          return ctx.Next(*input_, out);
        case SnapshotState::kReading:
          input_ = nullptr;
          if (read_next_ < pass_->elements.size()) {
            *out = std::move(pass_->elements[read_next_++]);
            ++taken_;
            if (taken_ <= pass_over_) break;
            return Pull::kElement;
          }
          if (pass_->read_all) return Pull::kEnd;
          MR_RETURN_IF_ERROR(StartReading(ctx));
          break;
        case SnapshotState::kWriting: {
          MR_ASSIGN_OR_RETURN(const std::optional<Pull> pull,
                              NextWritten(ctx, out));
          if (pull) return *pull;
          break;
        }
      }
    }
  }

  // Of one that reads, how many elements were returned is saved: the files are
  // those that are there after a restore.
  Status Save(StateWriter& out, const std::string& prefix) override {
    if (pass_->state == SnapshotState::kWriting) {
      return Unimplemented(
          "the state of an iterator that writes a snapshot cannot be saved");
    }
    out.Int(prefix + "passes", pass_->state == SnapshotState::kPassing);
    out.Int(prefix + "read", std::max(taken_, pass_over_));
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(const bool passes, in.Flag(prefix + "passes"));
    if (passes) pass_->state = SnapshotState::kPassing;
    MR_ASSIGN_OR_RETURN(pass_over_, in.Count(prefix + "read"));
    return pass_over_ > 0 ? OkStatus() : RestoreInput(in, prefix);
  }

 private:
  Status StartPass(PollContext& ctx) {
    if (params().mode == SnapshotMode::kPassThrough) {
      pass_->state = SnapshotState::kPassing;
      return OkStatus();
    }
    // The runtime lives until the call is over.
    return call_.Start(ctx, [pass = pass_, dataset = dataset_,
                             files = ctx.runtime().files()] {
      return BeginPass(files, dataset->input(), dataset->params(), pass.get());
    });
  }

  Status StartReading(PollContext& ctx) {
    return call_.Start(
        ctx, [pass = pass_, allocator = ctx.runtime().allocator()]() -> Status {
          pass->elements.clear();
          MR_ASSIGN_OR_RETURN(
              pass->elements,
              pass->reader->Read(kSnapshotElementsPerCall,
                                 kSnapshotBytesPerCall, allocator));
          pass->read_all = pass->elements.empty();
          return OkStatus();
        });
  }

  Status StartWriting(PollContext& ctx, bool last) {
    unwritten_bytes_ = 0;
    Status status = call_.Start(
        ctx, [pass = pass_, last, elements = std::exchange(unwritten_, {})] {
          return WriteElements(pass.get(), elements, last);
        });
    // Without these elements it is no snapshot of the data set.
    if (!status.ok()) pass_->writer = nullptr;
    return status;
  }

  // As in stock, the input is asked for the element behind the next one, so
  // that the snapshot is finished when its last element is returned. Returns
  // nothing where a call has begun.
  StatusOr<std::optional<Pull>> NextWritten(PollContext& ctx, Element* out) {
    if (!error_.ok()) return std::exchange(error_, OkStatus());
    if (unwritten_.size() >= kSnapshotElementsPerCall ||
        unwritten_bytes_ >= kSnapshotBytesPerCall) {
      MR_RETURN_IF_ERROR(StartWriting(ctx, /*last=*/false));
      return std::optional<Pull>();
    }
    Element element;
    StatusOr<Pull> pull = Pull::kEnd;
    if (input_ != nullptr) pull = ctx.Next(*input_, &element);
    if (pull.ok() && *pull == Pull::kPending) return std::optional(*pull);
    if (!pull.ok() && !ahead_) return pull.status();
    if (!pull.ok()) error_ = pull.status();
    if (pull.ok() && *pull == Pull::kEnd && input_ != nullptr) {
      input_ = nullptr;
      if (pass_->writer != nullptr) {
        MR_RETURN_IF_ERROR(StartWriting(ctx, /*last=*/true));
        return std::optional<Pull>();
      }
    }
    std::optional<Element> next = std::exchange(ahead_, std::nullopt);
    if (pull.ok() && *pull == Pull::kElement) {
      if (pass_->writer != nullptr) {
        unwritten_bytes_ += SnapshotElementBytes(element);
        unwritten_.push_back(element);
      }
      ahead_ = std::move(element);
      if (!next) return std::optional<Pull>();  // the first one
    }
    if (!next) return std::optional(Pull::kEnd);
    *out = *std::move(next);
    return std::optional(Pull::kElement);
  }

  BlockingCall call_;
  const std::shared_ptr<SnapshotPass> pass_ = std::make_shared<SnapshotPass>();
  size_t read_next_ = 0;  // index into the elements of the pass
  // Elements that were read, and those to pass over after a restore.
  int64_t taken_ = 0, pass_over_ = 0;
  // While writing:
  std::optional<Element> ahead_;    // the one to return next
  Status error_;                    // to return behind it
  std::vector<Element> unwritten_;  // gathered for one call
  uint64_t unwritten_bytes_ = 0;
};

StatusOr<SnapshotCompression> ParseSnapshotCompression(absl::string_view name) {
  if (name.empty()) return SnapshotCompression::kNone;
  if (name == "GZIP") return SnapshotCompression::kGzip;
  if (name == "SNAPPY") return SnapshotCompression::kSnappy;
  return InvalidArgument("compression must be either '', 'GZIP' or 'SNAPPY'.");
}

StatusOr<SnapshotMode> ParseSnapshotMode(absl::string_view name) {
  if (name == "auto") return SnapshotMode::kAuto;
  if (name == "read") return SnapshotMode::kRead;
  if (name == "write") return SnapshotMode::kWrite;
  if (name == "passthrough") return SnapshotMode::kPassThrough;
  return InvalidArgument(
      "mode must be either 'auto', 'read', 'write', or 'passthrough'.");
}

// Reads the attributes, of which -1 means a default. Those on threads and
// buffers are hints for a speed that does not depend on them here.
StatusOr<SnapshotParams> SnapshotParamsOf(const AttrMap& attrs) {
  constexpr int64_t kDay = 86400;
  SnapshotParams p;
  MR_ASSIGN_OR_RETURN(const std::string compression,
                      GetAttr<std::string>(attrs, "compression"));
  MR_ASSIGN_OR_RETURN(p.options.compression,
                      ParseSnapshotCompression(compression));
  MR_ASSIGN_OR_RETURN(
      p.expiry_seconds,
      GetAttr<int64_t>(attrs, "pending_snapshot_expiry_seconds"));
  if (p.expiry_seconds == -1) p.expiry_seconds = kDay;
  if (p.expiry_seconds < 1) {
    return InvalidArgument(
        "pending_snapshot_expiry_seconds must be at least 1 second.");
  }
  MR_ASSIGN_OR_RETURN(const std::string mode,
                      GetAttr<std::string>(attrs, "mode"));
  MR_ASSIGN_OR_RETURN(p.mode, ParseSnapshotMode(mode));
  MR_ASSIGN_OR_RETURN(p.name, GetAttr<std::string>(attrs, "snapshot_name"));
  MR_ASSIGN_OR_RETURN(p.options.reader_prefix,
                      GetAttr<std::string>(attrs, "reader_path_prefix"));
  MR_ASSIGN_OR_RETURN(p.options.writer_prefix,
                      GetAttr<std::string>(attrs, "writer_path_prefix"));
  MR_ASSIGN_OR_RETURN(const int64_t shard_bytes,
                      GetAttr<int64_t>(attrs, "shard_size_bytes"));
  // Another negative number is none that a file reaches, as in stock.
  if (shard_bytes != -1) {
    p.options.shard_bytes = static_cast<uint64_t>(shard_bytes);
  }
  MR_ASSIGN_OR_RETURN(p.options.shuffles,
                      GetAttr<bool>(attrs, "shuffle_on_read"));
  MR_ASSIGN_OR_RETURN(const int64_t seed, GetAttr<int64_t>(attrs, "seed"));
  MR_ASSIGN_OR_RETURN(const int64_t seed2, GetAttr<int64_t>(attrs, "seed2"));
  p.options.seed = static_cast<uint64_t>(seed) + static_cast<uint64_t>(seed2);
  return p;
}

StatusOr<Ref<DatasetValue>> BuildSnapshot(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(SnapshotParams p, SnapshotParamsOf(ctx.node().attrs));
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(p.path, StringInput(ctx, 1, "path"));
  return MakeDataset<SnapshotIterator>(ctx, {input}, std::move(p));
}

}  // namespace

MR_KERNELS(SnapshotDataset, Cpu){MR_DATASET_KERNEL(BuildSnapshot)};

}  // namespace millrace::ops
