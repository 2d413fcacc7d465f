#include "millrace/checkpoint/checkpoint_state.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "proto/checkpoint/checkpoint_state.pb.h"

namespace millrace {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr int kMaxTextNesting = 20;

// Keeps the first error instead of logging it.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty())
      text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string RelativeTo(const std::string& directory, const std::string& path) {
  absl::string_view rest = path;
  if (directory.empty() || !absl::ConsumePrefix(&rest, directory)) return path;
  if (!absl::EndsWith(directory, "/") && !absl::ConsumePrefix(&rest, "/"))
    return path;
  return rest.empty() ? path : std::string(rest);
}

std::string AbsoluteFrom(const std::string& directory,
                         const std::string& path) {
  if (path.empty() || path[0] == '/' || absl::StrContains(path, "://"))
    return path;
  return directory.empty() ? path : JoinPath(directory, path);
}

}  // namespace

std::string EncodeCheckpointState(const CheckpointState& state) {
  tensorflow::CheckpointState proto;
  proto.set_model_checkpoint_path(state.model_checkpoint_path);
  for (const std::string& path : state.all_model_checkpoint_paths) {
    proto.add_all_model_checkpoint_paths(path);
  }
  if (!state.model_checkpoint_path.empty() &&
      (state.all_model_checkpoint_paths.empty() ||
       state.all_model_checkpoint_paths.back() !=
           state.model_checkpoint_path)) {
    proto.add_all_model_checkpoint_paths(state.model_checkpoint_path);
  }
  for (double seconds : state.all_model_checkpoint_timestamps) {
    proto.add_all_model_checkpoint_timestamps(seconds);
  }
  proto.set_last_preserved_timestamp(state.last_preserved_timestamp);
  std::string text;
  google::protobuf::TextFormat::PrintToString(proto, &text);
  return text;
}

StatusOr<CheckpointState> ParseCheckpointState(absl::string_view text) {
  google::protobuf::TextFormat::Parser parser;
  FirstError error;
  parser.RecordErrorsTo(&error);
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(kMaxTextNesting);
  tensorflow::CheckpointState proto;
  if (!parser.ParseFromString(std::string(text), &proto)) {
    return DataLoss("Not a checkpoint state: ", error.text());
  }
  CheckpointState state;
  state.model_checkpoint_path = proto.model_checkpoint_path();
  state.all_model_checkpoint_paths.assign(
      proto.all_model_checkpoint_paths().begin(),
      proto.all_model_checkpoint_paths().end());
  state.all_model_checkpoint_timestamps.assign(
      proto.all_model_checkpoint_timestamps().begin(),
      proto.all_model_checkpoint_timestamps().end());
  state.last_preserved_timestamp = proto.last_preserved_timestamp();
  return state;
}

Status WriteCheckpointState(FileSystem* files, const std::string& directory,
                            const CheckpointState& state,
                            const std::string& filename) {
  CheckpointState relative = state;
  relative.model_checkpoint_path =
      RelativeTo(directory, state.model_checkpoint_path);
  for (std::string& path : relative.all_model_checkpoint_paths)
    path = RelativeTo(directory, path);
  return WriteFileAtomically(
      files, directory.empty() ? filename : JoinPath(directory, filename),
      EncodeCheckpointState(relative));
}

StatusOr<CheckpointState> ReadCheckpointState(FileSystem* files,
                                              const std::string& directory,
                                              const std::string& filename) {
  const std::string path =
      directory.empty() ? filename : JoinPath(directory, filename);
  MR_ASSIGN_OR_RETURN(const std::string text, ReadFileToString(files, path));
  auto state = ParseCheckpointState(text);
  if (!state.ok())
    return Annotate(state.status(), absl::StrCat(" (file ", path, ")"));
  state->model_checkpoint_path =
      AbsoluteFrom(directory, state->model_checkpoint_path);
  for (std::string& p : state->all_model_checkpoint_paths)
    p = AbsoluteFrom(directory, p);
  return state;
}

StatusOr<std::string> LatestCheckpoint(FileSystem* files,
                                       const std::string& directory,
                                       const std::string& filename) {
  auto state = ReadCheckpointState(files, directory, filename);
  if (state.status().code() == StatusCode::kNotFound) return std::string();
  MR_RETURN_IF_ERROR(state.status());
  std::vector<std::string> candidates = state->all_model_checkpoint_paths;
  if (!state->model_checkpoint_path.empty())
    candidates.push_back(state->model_checkpoint_path);
  for (auto it = candidates.rbegin(); it != candidates.rend(); ++it) {
    Status status = files->Exists(IndexFilename(*it));
    if (status.ok()) {
      auto reader = BundleReader::Open(files, *it);
      status = reader.ok() ? (*reader)->CheckComplete() : reader.status();
    } else if (status.code() == StatusCode::kNotFound &&
               CheckpointExists(files, *it)) {
      status = OkStatus();  // format V1
    }
    if (status.ok()) return *it;
    if (status.code() != StatusCode::kNotFound &&
        status.code() != StatusCode::kDataLoss) {
      return status;
    }
  }
  return std::string();
}

CheckpointHistory::CheckpointHistory(double start_seconds,
                                     const CheckpointHistoryOptions& options)
    : options_(options),
      next_preserved_seconds_(start_seconds +
                              options.keep_checkpoint_every_n_hours *
                                  kSecondsPerHour),
      last_preserved_seconds_(start_seconds) {}

void CheckpointHistory::Recover(const CheckpointState& state) {
  kept_.clear();
  const std::vector<double>& times = state.all_model_checkpoint_timestamps;
  for (size_t i = 0; i < state.all_model_checkpoint_paths.size(); ++i) {
    const std::string& prefix = state.all_model_checkpoint_paths[i];
    std::erase_if(kept_, [&](const Kept& k) { return k.prefix == prefix; });
    kept_.push_back({prefix, i < times.size() ? times[i] : 0});
  }
  if (state.last_preserved_timestamp > 0) {
    last_preserved_seconds_ = state.last_preserved_timestamp;
    next_preserved_seconds_ =
        last_preserved_seconds_ +
        options_.keep_checkpoint_every_n_hours * kSecondsPerHour;
  }
}

std::vector<std::string> CheckpointHistory::Add(const std::string& prefix,
                                                double now_seconds) {
  // A prefix that is written again counts as new.
  std::erase_if(kept_, [&](const Kept& k) { return k.prefix == prefix; });
  kept_.push_back({prefix, now_seconds});
  std::vector<std::string> to_delete;
  while (options_.max_to_keep > 0 &&
         kept_.size() > static_cast<size_t>(options_.max_to_keep)) {
    const Kept oldest = kept_.front();
    kept_.pop_front();
    if (oldest.seconds > next_preserved_seconds_) {
      last_preserved_seconds_ = oldest.seconds;
      next_preserved_seconds_ +=
          options_.keep_checkpoint_every_n_hours * kSecondsPerHour;
    } else {
      to_delete.push_back(oldest.prefix);
    }
  }
  return to_delete;
}

CheckpointState CheckpointHistory::state() const {
  CheckpointState state;
  for (const Kept& k : kept_) {
    state.all_model_checkpoint_paths.push_back(k.prefix);
    state.all_model_checkpoint_timestamps.push_back(k.seconds);
  }
  if (!kept_.empty()) state.model_checkpoint_path = kept_.back().prefix;
  state.last_preserved_timestamp = last_preserved_seconds_;
  return state;
}

}  // namespace millrace
