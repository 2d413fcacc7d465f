#include "millrace/train/saver.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/base/random.h"
#include "millrace/checkpoint/checkpoint_parts.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/client/ops.h"
#include "millrace/train/meta_graph.h"

namespace millrace::train {
namespace {

constexpr double kMicrosPerSecond = 1e6;

double WallSeconds() {
  return static_cast<double>(WallMicros()) / kMicrosPerSecond;
}

// Returns a name in TensorFlow's form, for its programs that import the graph.
std::string StockSuffix() {
  return absl::StrFormat("_temp_%016x%016x/part", RandomUint64(),
                         RandomUint64());
}

// After such an error a task may not know yet that the step has ended.
bool MayStillWrite(const Status& error) {
  switch (error.code()) {
    case StatusCode::kCancelled:
    case StatusCode::kUnknown:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kAborted:
    case StatusCode::kInternal:
    case StatusCode::kUnavailable:
      return true;
    default:
      return false;
  }
}

// Returns whether the files of `prefix` are in the directory itself.
bool LiesIn(FileSystem* files, const std::string& directory,
            const std::string& prefix) {
  const absl::string_view name = Basename(prefix);
  if (name.empty() || name == kCheckpointStateFilename) return false;
  const auto place = [files](absl::string_view folder, const char* if_empty) {
    return files->Canonical(folder.empty() ? if_empty : std::string(folder));
  };
  const auto there = place(directory, ".");
  const auto its = place(Dirname(prefix), prefix[0] == '/' ? "/" : ".");
  return there.ok() && its.ok() && *there == *its;
}

// Files are read and written by the CPU, whatever device holds the variable.
std::string CpuOf(const std::string& device) {
  auto name = DeviceName::Parse(device);
  if (!name.ok() || name->empty()) return "";
  name->type = "CPU";
  name->index = 0;
  return name->ToString();
}

Scope On(const Scope& scope, const std::string& device) {
  const Scope anywhere = scope.WithoutDevices().WithoutColocation();
  return device.empty() ? anywhere : anywhere.WithDevice(device);
}

Tensor Strings(const std::vector<std::string>& list) {
  return Tensor::Vector<std::string>(absl::MakeConstSpan(list));
}

// Returns the name in the checkpoint of the tensor to which a part of that name
// belongs.
std::string NameOfWhole(const std::string& name, const ops::Variable& part) {
  absl::string_view rest = name;
  const bool by_itself = absl::ConsumePrefix(&rest, part.op_name()) &&
                         (rest.empty() || rest[0] == '/');
  return by_itself ? absl::StrCat(part.save_slice()->full_name, rest) : name;
}

}  // namespace

Saver::Saver(const Scope& scope, const SaverOptions& options)
    : graph_(scope.graph_ref()),
      options_(options),
      files_(options_.files ? options_.files : DefaultFiles()),
      history_(WallSeconds(), options_.history) {
  const Scope outside = scope.SubScope("").WithoutControlDependencies();
  if (FindItems(scope)) Build(outside.SubScope(options_.name));
}

bool Saver::FindItems(const Scope& scope) {
  std::map<std::string, ops::Variable> variables = options_.variables;
  if (variables.empty() && options_.partitioned.empty()) {
    for (const ops::Variable& v : ops::GlobalVariables(scope)) {
      variables.emplace(v.op_name(), v);
    }
  }
  std::vector<Item> items;
  for (const auto& [name, variable] : variables) {
    const SaveSlice* slice = variable.save_slice();
    items.push_back({slice ? NameOfWhole(name, variable) : name, variable,
                     slice ? slice->Spec() : ""});
  }
  for (const auto& [name, whole] : options_.partitioned) {
    if (!whole) items.push_back({name, {}, ""});
    for (const ops::Variable& part : whole.parts()) {
      items.push_back({name, part, part.save_slice()->Spec()});
    }
  }
  if (items.empty()) {
    scope.Fail(InvalidArgument("No variables to save"), options_.name);
    return false;
  }
  std::map<std::string, Shard> by_device;
  for (Item& item : items) {
    if (!item.variable) {
      scope.Fail(
          InvalidArgument("the variable to save as '", item.name, "' is null"),
          options_.name);
      return false;
    }
    const std::string device = CpuOf(item.variable.op().device());
    Shard& shard = by_device[device];
    shard.device = device;
    shard.items.push_back(std::move(item));
  }
  for (auto& [device, shard] : by_device) shards_.push_back(std::move(shard));
  return true;
}

void Saver::Build(const Scope& block) {
  const Scope here = On(block, shards_[0].device);
  filename_ = ops::PlaceholderWithDefault(
      here.WithOpName("Const"),
      ops::Const(here.WithOpName("filename"), "model"), PartialShape({}));
  suffix_ = ops::PlaceholderWithDefault(
      here.WithOpName("suffix"),
      ops::Const(here.WithOpName("temp_folder"), StockSuffix()),
      PartialShape({}));
  parts_ = ops::StringJoin(here, {filename_, suffix_});
  num_shards_ = ops::Const(here.WithOpName("num_shards"),
                           static_cast<int32_t>(shards_.size()));
  std::vector<Output> prefixes;
  std::vector<ControlInput> restores;
  for (size_t i = 0; i < shards_.size(); ++i) {
    prefixes.push_back(SaveShard(block, shards_[i], static_cast<int>(i)));
  }
  for (const Shard& shard : shards_) {
    restores.push_back(RestoreShard(block, shard));
  }
  const Output all = ops::Pack(
      here.WithOpName("MergeV2Checkpoints/checkpoint_prefixes"), prefixes);
  const Operation merge = ops::MergeV2Checkpoints(here, all, filename_);
  saved_ = ops::Identity(here.WithControlDependencies({merge}), filename_);
  restored_ = ops::Group(block.WithOpName("restore_all"), restores);
}

Output Saver::SaveShard(const Scope& block, const Shard& shard, int index) {
  const Scope here = On(block, shard.device);
  const Output prefix = ops::ShardedFilename(here, parts_, index, num_shards_);
  std::vector<std::string> names;
  std::vector<std::string> slices;
  std::vector<Output> values;
  for (const Item& item : shard.items) {
    names.push_back(item.name);
    slices.push_back(item.slice);
    // The op reads references itself, so that no value is copied.
    values.push_back(item.variable.is_resource() ? item.variable.Read(here)
                                                 : item.variable.handle());
  }
  const Operation save =
      ops::SaveV2(here, prefix, Strings(names), Strings(slices), values);
  return ops::Identity(
      here.WithOpName("control_dependency").WithControlDependencies({save}),
      prefix);
}

Operation Saver::RestoreShard(const Scope& block, const Shard& shard) {
  const Scope here = On(block, shard.device);
  std::vector<std::string> names;
  std::vector<std::string> slices;
  std::vector<DataType> types;
  for (const Item& item : shard.items) {
    names.push_back(item.name);
    slices.push_back(item.slice);
    types.push_back(item.variable.dtype());
  }
  const std::vector<Output> values =
      ops::RestoreV2(here, filename_, Strings(names), Strings(slices), types);
  std::vector<ControlInput> assigns;
  for (size_t i = 0; i < shard.items.size() && i < values.size(); ++i) {
    const ops::Variable& variable = shard.items[i].variable;
    const Scope beside = block.ColocateWith(variable.handle());
    Output value = values[i];
    if (!value) continue;
    const PartialShape shape = variable.shape();
    const bool shaped = shape.IsFullyDefined();
    if (variable.is_resource()) {
      // Its assignment accepts any shape.
      if (shaped) value = ops::EnsureShape(here, value, shape);
      assigns.push_back(
          ops::AssignVariableOp(beside, variable.handle(), value));
    } else {
      assigns.push_back(ops::Assign(beside, variable.handle(), value,
                                    {.validate_shape = shaped})
                            .op());
    }
  }
  return ops::Group(here.WithOpName("restore_shard"), assigns);
}

StatusOr<std::string> Saver::Save(Session& session, const std::string& path,
                                  const SaveOptions& options) {
  MR_RETURN_IF_ERROR(graph_->status());
  if (Basename(path).empty() || Basename(path) == kCheckpointStateFilename) {
    return InvalidArgument("not a name for a checkpoint: '", path,
                           "'; expected DIRECTORY/NAME other than '",
                           kCheckpointStateFilename, "'");
  }
  const std::string prefix =
      options.step ? absl::StrCat(path, "-", *options.step) : path;
  const std::string directory(Dirname(prefix));
  MutexLock lock(mu_);
  if (!directory.empty()) {
    MR_RETURN_IF_ERROR(files_->CreateDirRecursively(directory));
  }
  MR_RETURN_IF_ERROR(Write(session, prefix, options.context));
  if (options_.write_meta_graph) {
    MR_RETURN_IF_ERROR(
        WriteFileAtomically(files_, MetaGraphFilename(prefix), MetaGraph()));
  }
  // The state file without them is written before the files are deleted: a
  // reader finds every checkpoint that it lists.
  const std::vector<std::string> old = history_.Add(prefix, WallSeconds());
  elsewhere_.erase(prefix);
  MR_RETURN_IF_ERROR(WriteCheckpointState(files_, directory, history_.state()));
  DeleteOld(old);
  DeleteLeftovers(path, prefix);
  return prefix;
}

Status Saver::Write(Session& session, const std::string& prefix,
                    const RunContext& context) {
  const std::string suffix = FreshPartsSuffix();
  const Status status =
      session
          .Run({{filename_, prefix}, {suffix_, suffix}}, {saved_}, {}, context)
          .status();
  if (status.ok()) return status;
  const std::string folder(Dirname(absl::StrCat(prefix, suffix)));
  // They may fill the disk, and then no later save could complete.
  if (!MayStillWrite(status)) (void)DeleteParts(files_, folder);
  leftovers_.push_back(folder);
  return status;
}

void Saver::DeleteOld(const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes) {
    if (elsewhere_.contains(prefix)) {
      MR_LOG(Info) << "the old checkpoint " << prefix
                   << " stays: it lies elsewhere";
      continue;
    }
    const Status deleted = DeleteCheckpoint(files_, prefix);
    if (!deleted.ok()) {
      MR_LOG(Warning) << "the old checkpoint " << prefix
                      << " cannot be deleted: " << deleted;
    }
  }
}

void Saver::DeleteLeftovers(const std::string& path,
                            const std::string& prefix) {
  for (const std::string& folder : leftovers_) {
    const Status deleted = DeleteParts(files_, folder);
    if (!deleted.ok()) {
      MR_LOG(Warning) << "the parts of a save that failed stay: " << deleted;
    }
  }
  leftovers_.clear();
  const Status looked =
      DeleteAbandonedParts(files_, path, IndexFilename(prefix),
                           MillisToNanos(options_.abandoned_ms));
  if (!looked.ok()) {
    MR_LOG(Warning) << "no look at the parts of older saves: " << looked;
  }
}

Status Saver::Restore(Session& session, const std::string& prefix,
                      const RunContext& context) {
  MR_RETURN_IF_ERROR(graph_->status());
  if (!CheckpointExists(files_, prefix)) {
    return NotFound("there is no checkpoint '", prefix, "'");
  }
  return session.RunTargets({{filename_, prefix}}, {restored_}, context);
}

Status Saver::RecoverHistory(const std::string& directory) {
  auto state = ReadCheckpointState(files_, directory);
  if (state.status().code() == StatusCode::kNotFound) return OkStatus();
  MR_RETURN_IF_ERROR(state.status());
  MutexLock lock(mu_);
  elsewhere_.clear();
  for (std::string& prefix : state->all_model_checkpoint_paths) {
    if (LiesIn(files_, directory, prefix)) {
      // In the form of Save: one name for one checkpoint.
      prefix = directory.empty() ? std::string(Basename(prefix))
                                 : JoinPath(directory, Basename(prefix));
    } else {
      elsewhere_.insert(prefix);
    }
  }
  history_.Recover(*state);
  return OkStatus();
}

std::vector<std::string> Saver::checkpoints() const {
  MutexLock lock(mu_);
  return history_.state().all_model_checkpoint_paths;
}

std::string Saver::MetaGraph() const {
  return SerializeMetaGraph(
      *graph_,
      {.filename_tensor = filename_.name(),
       .save_tensor = saved_.name(),
       .restore_op = restored_.name(),
       .max_to_keep = options_.history.max_to_keep,
       .keep_every_n_hours = options_.history.keep_checkpoint_every_n_hours});
}

}  // namespace millrace::train
