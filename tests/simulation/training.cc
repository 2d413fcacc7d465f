#include "tests/simulation/training.h"

#include "millrace/base/sim/sim.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/checkpoint_state.h"

namespace millrace::sim {
namespace {

train::SaverOptions Options(const ClientOps& ops) {
  train::SaverOptions options;
  for (const ModelOps& part : ops.model) {
    options.variables.emplace(part.variable.op_name(), part.variable);
  }
  options.history.max_to_keep = 2;
  // The whole graph as text, in which faults would find nothing more.
  options.write_meta_graph = false;
  return options;
}

}  // namespace

Training::Training(Connection& connection, const ClientOps& ops)
    : connection_(connection),
      ops_(ops),
      directory_(absl::StrCat("/checkpoints/", connection.name())),
      saver_(ops.scope, Options(ops)) {
  for (size_t ps = 0; ps < ops.model.size(); ++ps) {
    parts_.emplace_back(connection, ops.model[ps].variable,
                        static_cast<int>(ps));
  }
}

bool Training::Usable(Status* status) {
  for (TrackedVariable& part : parts_) {
    if (!part.Usable(status)) return false;
  }
  return true;
}

Status Training::Train() {
  Status status;
  if (!Usable(&status)) return status;
  std::vector<Output> adds;
  for (const ModelOps& part : ops_.model) adds.push_back(part.add);
  const auto values = connection_.Run({}, adds);
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (values.ok()) {
      parts_[i].account().Acknowledge();
      parts_[i].Check((*values)[i], "the model");
    } else {
      parts_[i].account().Doubt(parts_[i].life());
    }
  }
  if (IsStateLost(values.status())) return Recover();
  return values.status();
}

Status Training::Snapshot() {
  Status status;
  if (!Usable(&status)) return status;
  const size_t i = SimRandom(parts_.size());
  TrackedVariable& part = parts_[i];
  const ModelOps& ops = ops_.model[i];
  const auto values = connection_.Run({}, {ops.before, ops.after});
  if (!values.ok()) {
    if (IsStateLost(values.status())) return Recover();
    part.account().Doubt(part.life());
    return values.status();
  }
  // Additions of unknown outcome may come in between.
  const int64_t before = EqualElements((*values)[0]);
  const int64_t least = part.account().least();
  part.account().Acknowledge();
  const int64_t after = part.Check((*values)[1], "the model");
  if (before < least || before >= after) {
    connection_.Fail(
        Internal("torn: a value that was read before an addition "
                 "is ",
                 before, ", after it there is ", after, ", and there were ",
                 least, " before"));
  }
  return OkStatus();
}

Status Training::Save() {
  Status status;
  if (!Usable(&status)) return status;
  const int64_t number = ++tried_;
  const std::string path = directory_ + "/model";
  Saved& save = saves_[absl::StrCat(path, "-", number)];
  save.number = number;
  for (TrackedVariable& part : parts_) {
    save.least.push_back(part.account().least());
    save.most.push_back(part.account().most());
  }
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  const int64_t crashes = connection_.cluster().disk_crashes();
  status = connection_.Timed(
      [&] { return saver_.Save(*session, path, {.step = number}).status(); });
  if (status.ok()) {
    // A crash between a rename and the directory's sync undoes the rename.
    if (connection_.cluster().disk_crashes() == crashes) newest_ = number;
    ++saved_;
  }
  std::vector<int64_t> values;
  CheckDisk(&values).status().IgnoreError();
  if (status.ok() || IsRecoverable(status)) return status;
  if (IsStateLost(status)) {
    // A variable without a value, or a directory that the disk has lost.
    return Recover();
  }
  if (status.code() != StatusCode::kResourceExhausted &&
      status.code() != StatusCode::kDataLoss &&
      status.code() != StatusCode::kUnknown /* an I/O error */) {
    connection_.Fail(
        Prefix("disk: a save failed otherwise than its files: ", status));
  }
  return OkStatus();
}

StatusOr<std::string> Training::CheckDisk(std::vector<int64_t>* values) {
  FileSystem* files = &connection_.cluster().files();
  const auto state = ReadCheckpointState(files, directory_);
  if (state.status().code() == StatusCode::kNotFound && newest_ == 0) {
    return std::string();
  }
  const auto fail = [&](Status status) {
    connection_.Fail(status);
    return status;
  };
  if (!state.ok()) {
    return fail(
        Prefix("disk: checkpoints were made, but the list of them "
               "cannot be read: ",
               state.status()));
  }
  const std::string& prefix = state->model_checkpoint_path;
  const auto save = saves_.find(prefix);
  if (save == saves_.end() || save->second.number < newest_) {
    return fail(Internal("disk: the newest checkpoint is said to be ", prefix,
                         ", it is number ", newest_));
  }
  const auto reader = BundleReader::Open(files, prefix);
  if (!reader.ok()) {
    return fail(Prefix("disk: the newest checkpoint cannot be opened: ",
                       reader.status()));
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    const auto value = (*reader)->Lookup(parts_[i].variable().op_name());
    if (!value.ok()) {
      return fail(Prefix("disk: the newest checkpoint cannot be read: ",
                         value.status()));
    }
    const int64_t number = EqualElements(*value);
    if (number < save->second.least[i] || number > save->second.most[i]) {
      return fail(Internal(
          "disk: ", prefix, " has ", number, " for ",
          parts_[i].variable().op_name(), ", when it was saved there were ",
          save->second.least[i], " to ", save->second.most[i]));
    }
    values->push_back(number);
  }
  return prefix;
}

Status Training::Recover() {
  std::vector<int64_t> values;
  MR_ASSIGN_OR_RETURN(const std::string prefix, CheckDisk(&values));
  if (prefix.empty()) {
    for (TrackedVariable& part : parts_) {
      MR_RETURN_IF_ERROR(part.Initialize());
    }
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  const Status status =
      connection_.Timed([&] { return saver_.Restore(*session, prefix); });
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (status.ok()) {
      parts_[i].account().Set(values[i], parts_[i].life());
    } else {
      parts_[i].Distrust();
    }
  }
  if (status.ok()) ++restored_;
  if (!status.ok() && !IsRecoverable(status)) {
    connection_.Fail(
        Prefix("disk: a good checkpoint cannot be restored: ", status));
  }
  return status;
}

}  // namespace millrace::sim
