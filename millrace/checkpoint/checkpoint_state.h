// The file `checkpoint` of a directory, which lists its checkpoints and names
// the newest one. It is the text form of CheckpointState.
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

// Returns the text, with paths as they are in `state`. Appends the newest path
// to the list unless it is the last one there.
std::string EncodeCheckpointState(const CheckpointState& state);
// Parses the text. Skips unknown fields. Returns DATA_LOSS if it is malformed.
StatusOr<CheckpointState> ParseCheckpointState(absl::string_view text);

// Replaces the file atomically. Paths below `directory` are written relative
// to it, so that the directory may move.
Status WriteCheckpointState(
    FileSystem* files, const std::string& directory,
    const CheckpointState& state,
    const std::string& filename = kCheckpointStateFilename);
// Reads the file. Relative paths are resolved from `directory`. Returns
// NOT_FOUND if there is no file.
StatusOr<CheckpointState> ReadCheckpointState(
    FileSystem* files, const std::string& directory,
    const std::string& filename = kCheckpointStateFilename);

// Returns the prefix of the newest checkpoint whose files exist and are
// complete as far as the index tells (falls back to older ones of the list), or
// "" if there is none. Missing files are not an error.
StatusOr<std::string> LatestCheckpoint(
    FileSystem* files, const std::string& directory,
    const std::string& filename = kCheckpointStateFilename);

struct CheckpointHistoryOptions {
  int max_to_keep = 5;  // 0: all
  // In addition, one checkpoint per this many hours is kept permanently.
  double keep_checkpoint_every_n_hours = 10000;
};

// Decides which checkpoints to keep. Not thread-safe.
class CheckpointHistory {
 public:
  // `start_seconds` is the current time in seconds since 1970, from which the
  // hours count.
  explicit CheckpointHistory(double start_seconds,
                             const CheckpointHistoryOptions& options = {});

  // Continues the history of an earlier run, oldest first. A prefix that occurs
  // twice counts at its last place.
  void Recover(const CheckpointState& state);
  // Records a checkpoint written at `now_seconds`. Returns the prefixes to
  // delete, after state() has been written to its file.
  std::vector<std::string> Add(const std::string& prefix, double now_seconds);
  CheckpointState state() const;

 private:
  struct Kept {
    std::string prefix;
    double seconds = 0;
  };
  const CheckpointHistoryOptions options_;
  double next_preserved_seconds_ = 0;
  double last_preserved_seconds_ = 0;
  std::deque<Kept> kept_;
};

}  // namespace millrace
