// Saver: writes variables to checkpoints in TensorFlow's format V2 and reads
// them back.
//
//   Saver saver(scope);                       // all global variables
//   auto prefix = saver.Save(session, "dir/model.ckpt", {.step = step});
//   saver.Restore(session, *prefix);
//
// Saving is part of the graph: each device that holds variables writes its own
// shard, all in parallel, and one of them merges the shards into a checkpoint.
// So all tasks and the client must share a file system. Any number of tasks can
// read a checkpoint, whatever number wrote it: each reads the slices that it
// holds.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/threads/thread.h"
#include "millrace/checkpoint/checkpoint_state.h"
#include "millrace/client/session.h"
#include "millrace/client/variables/partitioned_variable.h"
#include "millrace/client/variables/variables.h"

namespace millrace::train {

struct SaverOptions {
  // By their names in the checkpoint; all empty: all global variables by their
  // own names. A part of a partitioned variable that is named as itself,
  // "w/part_0", is saved as a part of the whole, "w"; as "w/part_0/x" it is one
  // of "w/x"; under another name it is a slice of that.
  std::map<std::string, ops::Variable> variables;
  std::map<std::string, ops::PartitionedVariable> partitioned;
  CheckpointHistoryOptions history;
  // A later save removes what an earlier program's save of the same checkpoints
  // left when it died, once nothing changed there for this long; a save that
  // still writes there would fail.
  int64_t abandoned_ms = 3'600'000;
  std::string name = "save";     // of the block of ops
  bool write_meta_graph = true;  // PREFIX.meta, for TensorFlow's programs
  FileSystem* files = nullptr;   // of the client; null: DefaultFiles()
};

struct SaveOptions {
  std::optional<int64_t> step;  // at the end of the checkpoint's name
  RunContext context;
};

// Thread-safe; saves run one after the other.
class Saver {
 public:
  // Adds the ops to the graph, whose first error Save and Restore report.
  explicit Saver(const Scope& scope, const SaverOptions& options = {});
  Saver(const Saver&) = delete;
  Saver& operator=(const Saver&) = delete;

  // Writes the checkpoint `path`, or `path-STEP`, records it in the directory's
  // file `checkpoint`, and deletes the oldest ones beyond those to keep.
  // Returns its prefix. Creates the directory. The remains of a failed save are
  // not a checkpoint; they are removed at once, or by the next save if a task
  // may still be writing.
  StatusOr<std::string> Save(Session& session, const std::string& path,
                             const SaveOptions& options = {});
  // Sets all variables. Returns NOT_FOUND for a missing checkpoint or variable;
  // INVALID_ARGUMENT for another type or shape.
  Status Restore(Session& session, const std::string& prefix,
                 const RunContext& context = {});

  // Continues with the checkpoints that an earlier run left in `directory`, as
  // if this one had written them. Those that its file `checkpoint` names
  // elsewhere count too, but are never deleted. OK if there are none.
  Status RecoverHistory(const std::string& directory);
  std::vector<std::string> checkpoints() const;  // oldest first
  FileSystem* files() const { return files_; }

 private:
  struct Item {
    std::string name;  // in the checkpoint
    ops::Variable variable;
    std::string slice;  // of the tensor of that name; empty: all of it
  };
  // The variables of one device.
  struct Shard {
    std::string device;
    std::vector<Item> items;
  };
  // Returns false after an error.
  bool FindItems(const Scope& scope);
  void Build(const Scope& block);
  // Builds the ops of a shard; returns the prefix of the part that it writes.
  Output SaveShard(const Scope& block, const Shard& shard, int index);
  Operation RestoreShard(const Scope& block, const Shard& shard);
  std::string MetaGraph() const;
  // Runs the save in the graph, and removes the folder of parts after an error.
  Status Write(Session& session, const std::string& prefix,
               const RunContext& context);
  // Removes the remains of failed saves, after `prefix` was written as `path`
  // or `path-STEP`.
  void DeleteLeftovers(const std::string& path, const std::string& prefix);
  void DeleteOld(const std::vector<std::string>& prefixes);

  const Ref<ClientGraph> graph_;
  const SaverOptions options_;
  FileSystem* const files_;
  std::vector<Shard> shards_;
  // In the graph.
  Output filename_;  // fed: the prefix
  Output suffix_;    // fed: of the folder for parts
  Output parts_;     // the folder of the shards
  Output num_shards_;
  Output saved_;  // the prefix, once all is written
  Operation restored_;

  mutable Mutex mu_;  // guards all below; held during a save
  CheckpointHistory history_;
  std::set<std::string> elsewhere_;     // of history_, not to be deleted
  std::vector<std::string> leftovers_;  // folders of failed saves
};

}  // namespace millrace::train
