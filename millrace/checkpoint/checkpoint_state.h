// The file `checkpoint` of a directory: which checkpoints there are and which
// is the newest. Text form of CheckpointState.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/base/status.h"

namespace millrace {

inline constexpr char kCheckpointStateFilename[] = "checkpoint";

struct CheckpointState {
  std::string model_checkpoint_path;                    // prefix of the newest
  std::vector<std::string> all_model_checkpoint_paths;  // oldest first
  // Seconds since 1970, as many as paths, or none.
  std::vector<double> all_model_checkpoint_timestamps;
  double last_preserved_timestamp = 0;

  friend bool operator==(const CheckpointState&,
                         const CheckpointState&) = default;
};

// The text, with paths as they are in `state`. The newest path is added to the
// list if it is not its last one.
std::string EncodeCheckpointState(const CheckpointState& state);
// Unknown fields are passed over. DATA_LOSS.
StatusOr<CheckpointState> ParseCheckpointState(absl::string_view text);

// Replaces the file atomically. Paths below `directory` are written relative
// to it, so that the directory may move.
Status WriteCheckpointState(
    FileSystem* files, const std::string& directory,
    const CheckpointState& state,
    const std::string& filename = kCheckpointStateFilename);
// Relative paths are taken from `directory`. NOT_FOUND if there is no file.
StatusOr<CheckpointState> ReadCheckpointState(
    FileSystem* files, const std::string& directory,
    const std::string& filename = kCheckpointStateFilename);

// The prefix of the newest checkpoint whose files are there and whole as far
// as the index tells (older ones of the list are tried if need be), or ""
// where there is none. Errors only for what is no lack of files.
StatusOr<std::string> LatestCheckpoint(
    FileSystem* files, const std::string& directory,
    const std::string& filename = kCheckpointStateFilename);

// Which checkpoints to keep. One thread.
class CheckpointHistory {
 public:
  struct Options {
    int max_to_keep = 5;  // 0: all
    // Besides, one of each so many hours is kept for good.
    double keep_checkpoint_every_n_hours = 10000;
  };

  // `start_seconds`: now, in seconds since 1970; the hours count from here.
  CheckpointHistory(Options options, double start_seconds);

  // Goes on with what an earlier run left, oldest first. A prefix that is there
  // twice counts where it is last.
  void Recover(const CheckpointState& state);
  // A checkpoint was written at `now_seconds`. Returns the prefixes to delete,
  // once state() is in its file.
  std::vector<std::string> Add(const std::string& prefix, double now_seconds);
  CheckpointState state() const;

 private:
  struct Kept {
    std::string prefix;
    double seconds = 0;
  };
  const Options options_;
  double next_preserved_seconds_ = 0;
  double last_preserved_seconds_ = 0;
  std::deque<Kept> kept_;
};

}  // namespace millrace
