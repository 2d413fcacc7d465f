#include "tests/gpu/cases/case_session.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/device/devices.h"

namespace millrace::cases {
namespace {

constexpr int64_t kStepMillis = 60'000;

AttrMap VariableAttrs(const BoundVariable& v, const std::string& name) {
  return {{"dtype", v.value.dtype()},
          {"shape", PartialShape(v.value.shape())},
          {"shared_name", name}};
}

bool CanBeFetched(DataType type) {
  return RemoveRef(type) != DataType::kResource &&
         RemoveRef(type) != DataType::kVariant;
}

}  // namespace

StatusOr<std::unique_ptr<CaseSession>> CaseSession::Make(
    const OpRegistry& ops, const KernelTable& kernels) {
  LocalSessionOptions options;
  options.ops = &ops;
  options.kernels = &kernels;
  options.config.allow_soft_placement = true;
  DeviceOptions devices;
  devices.device_count = {{"CPU", 1}, {"GPU", 1}};
  MR_ASSIGN_OR_RETURN(options.devices, MakeDevices(devices, "localhost", 0));
  if (options.devices.size() != 2) return NotFound("there is no GPU");
  std::unique_ptr<CaseSession> made(new CaseSession(ops, kernels));
  MR_ASSIGN_OR_RETURN(made->session_, LocalSession::Create(std::move(options)));
  return made;
}

std::string CaseSession::InCase(const std::string& name) const {
  return absl::StrCat("case", cases_, "/", name);
}

void CaseSession::AddNode(std::string name, std::string op,
                          std::vector<std::string> inputs, AttrMap attrs,
                          bool on_gpu) {
  graph_.nodes.push_back({std::move(name), std::move(op), std::move(inputs),
                          on_gpu ? "/device:GPU:0" : "", std::move(attrs)});
}

bool CaseSession::TakesVariables(const BoundCase& c) const {
  for (const BoundVariable& v : c.variables) {
    const OpDef* op = ops_->Find(v.is_ref ? "VariableV2" : "VarHandleOp");
    if (op == nullptr || !kernels_->Has("GPU", *op, VariableAttrs(v, v.name)))
      return false;
  }
  return true;
}

void CaseSession::AddCase(const BoundCase& c) {
  ++cases_;
  graph_ = GraphDef();
  feeds_.clear();
  for (const BoundFeed& feed : c.feeds) {
    PartialShape shape;
    if (c.source->options.known_shapes) shape = feed.value.shape();
    const std::string name = InCase(feed.name);
    AddNode(name, "Placeholder", {},
            {{"dtype", feed.value.dtype()}, {"shape", shape}}, false);
    feeds_.emplace_back(name + ":0", feed.value);
  }
  for (const BoundVariable& v : c.variables) {
    const std::string name = InCase(v.name), value = name + "/value";
    const DataType type = v.value.dtype();
    AddNode(name, v.is_ref ? "VariableV2" : "VarHandleOp", {},
            VariableAttrs(v, name), true);
    AddNode(value, "Placeholder", {}, {{"dtype", type}}, false);
    AddNode(name + "/assign", v.is_ref ? "Assign" : "AssignVariableOp",
            {name, value}, {{v.is_ref ? "T" : "dtype", type}}, true);
    if (!v.is_ref) {
      AddNode(name + "/read", "ReadVariableOp", {name}, {{"dtype", type}},
              true);
    }
  }
  for (const BoundNode& n : c.nodes) {
    std::vector<std::string> inputs;
    for (const BoundInput& in : n.inputs) {
      const size_t i = static_cast<size_t>(in.index);
      const std::string& from = in.kind == Value::Kind::kFed ? c.feeds[i].name
                                : in.kind == Value::Kind::kNode
                                    ? c.nodes[i].info.name
                                    : c.variables[i].name;
      inputs.push_back(absl::StrCat(InCase(from), ":", in.port));
    }
    for (int control : n.control_inputs) {
      inputs.push_back(absl::StrCat(
          "^", InCase(c.nodes[static_cast<size_t>(control)].info.name)));
    }
    AddNode(InCase(n.info.name), n.info.op->name, std::move(inputs),
            n.info.attrs, true);
  }
}

Status CaseSession::Fetch(const Feeds& feeds,
                          const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets,
                          std::vector<Tensor>* outputs, RunMetadata* metadata) {
  LocalSession::RunRequest request;
  request.feeds = feeds;
  request.fetches = fetches;
  request.targets = targets;
  request.options.timeout_ms = kStepMillis;
  if (metadata != nullptr) request.options.trace_level = TraceLevel::kFull;
  return session_->Run(request, outputs, metadata);
}

CaseSession::Outcome CaseSession::Run(const BoundCase& c,
                                      const CaseOutcome& wanted) {
  AddCase(c);
  Outcome out;
  Status ready = session_->Extend(graph_);
  for (const BoundVariable& v : c.variables) {
    if (!ready.ok() || !v.initialized) continue;
    std::vector<Tensor> none;
    ready = Fetch({{InCase(v.name) + "/value:0", v.value}}, {},
                  {InCase(v.name) + "/assign"}, &none, nullptr);
  }
  for (size_t r = 0; r < c.runs.size(); ++r) {
    out.case_outcome.runs.push_back(
        ready.ok() ? RunOnce(c, c.runs[r], wanted.runs[r], &out.devices)
                   : RunOutcome{ready, {}});
  }
  for (const BoundVariable& v : c.variables) {
    out.case_outcome.variables.push_back(ready.ok() ? FinalValue(v) : Tensor());
  }
  return out;
}

RunOutcome CaseSession::RunOnce(const BoundCase& c, const BoundRun& run,
                                const RunOutcome& wanted,
                                std::set<std::string>* devices) {
  std::vector<std::string> fetches, targets;
  std::vector<size_t> places;
  for (const int target : run.targets)
    targets.push_back(InCase(c.nodes[static_cast<size_t>(target)].info.name));
  for (size_t i = 0; i < run.fetches.size(); ++i) {
    const auto [node, port] = run.fetches[i];
    const NodeInfo& info = c.nodes[static_cast<size_t>(node)].info;
    const bool dead = wanted.status.ok() && !wanted.fetched[i].valid();
    if (dead || !CanBeFetched(info.output_types[static_cast<size_t>(port)]))
      continue;
    fetches.push_back(absl::StrCat(InCase(info.name), ":", port));
    places.push_back(i);
  }
  RunOutcome out;
  std::vector<Tensor> values;
  RunMetadata metadata;
  out.status = Fetch(feeds_, fetches, targets, &values, &metadata);
  if (!out.status.ok()) return out;
  out.fetched = wanted.status.ok() ? wanted.fetched
                                   : std::vector<Tensor>(run.fetches.size());
  for (size_t i = 0; i < places.size(); ++i)
    out.fetched[places[i]] = std::move(values[i]);
  for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
    for (const NodeExecStats& node : device.node_stats) {
      for (const BoundNode& n : c.nodes) {
        if (n.info.op->name == c.source->op &&
            node.node_name == InCase(n.info.name))
          devices->insert(absl::StrContains(device.device, "GPU") ? "GPU"
                                                                  : "CPU");
      }
    }
  }
  return out;
}

Tensor CaseSession::FinalValue(const BoundVariable& v) {
  std::vector<Tensor> values;
  const std::string name = InCase(v.name);
  const Status read = Fetch({}, {v.is_ref ? name + ":0" : name + "/read:0"}, {},
                            &values, nullptr);
  return read.ok() ? values[0] : Tensor();
}

}  // namespace millrace::cases
