#include "millrace/client/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "millrace/client/backend/session_backend.h"

namespace millrace {
namespace {

bool IsLocal(absl::string_view target) {
  return target.empty() || target == "local";
}

Status NullTensor(const ClientGraph& graph, absl::string_view role) {
  const Status status = graph.status();
  return status.ok() ? InvalidArgument(role, " of a run is null") : status;
}

StatusOr<RunTensors> Resolve(const ClientGraph& graph,
                             const std::vector<Output>& fetches,
                             const std::vector<ControlInput>& targets) {
  RunTensors tensors;
  tensors.targets.reserve(targets.size());
  for (const Output& fetch : fetches) {
    if (!fetch) return NullTensor(graph, "a fetch");
    if (fetch.graph() != &graph) {
      return InvalidArgument("Tensor ", fetch.name(),
                             " is not an element of this graph.");
    }
  }
  tensors.fetches = fetches;
  for (const ControlInput& target : targets) {
    if (!target.op()) return NullTensor(graph, "a target");
    if (target.op().graph() != &graph) {
      return InvalidArgument("Operation ", target.op().name(),
                             " is not an element of this graph.");
    }
    tensors.targets.push_back(target.op());
  }
  return tensors;
}

Status CheckFeed(const ClientGraph& graph, const Output& tensor) {
  if (!tensor) return NullTensor(graph, "a feed");
  if (tensor.graph() == &graph) return OkStatus();
  return InvalidArgument("Tensor ", tensor.name(),
                         " is not an element of this graph.");
}

}  // namespace

Session::Session(const Scope& scope, const SessionOptions& options)
    : Session(scope.graph_ref(), options) {}

Session::Session(Ref<ClientGraph> graph, const SessionOptions& options)
    : graph_(std::move(graph)),
      options_(options),
      backend_(IsLocal(options_.target)
                   ? MakeLocalBackend(graph_->ops(), options_)
                   : MakeRemoteBackend(options_)) {}

Session::~Session() { Close().IgnoreError(); }

Status Session::Ready() {
  MR_RETURN_IF_ERROR(graph_->status());
  return Extend();
}

Status Session::Extend() {
  MutexLock lock(mu_);
  if (closed_) return FailedPrecondition("Attempted to use a closed Session.");
  if (doubtful_) {
    MR_RETURN_IF_ERROR(Grow(*std::exchange(doubtful_, std::nullopt)));
  }
  const GraphMark end = graph_->End();
  if (created_ && sent_ == end) return OkStatus();
  // Nodes that other threads add meanwhile are after the mark.
  return Grow({graph_->Export(sent_, end), end});
}

Status Session::Grow(Growth growth) {
  const Status status = backend_->Extend(growth.def);
  if (status.ok()) {
    created_ = true;
    sent_ = growth.end;
  } else if (created_ && (absl::IsUnavailable(status) ||
                          absl::IsDeadlineExceeded(status))) {
    doubtful_ = std::move(growth);
  }
  return status;
}

StatusOr<std::vector<Tensor>> Session::FeedValues(
    const std::vector<Feed>& feeds) const {
  std::vector<Tensor> values;
  values.reserve(feeds.size());
  for (const Feed& feed : feeds) {
    MR_RETURN_IF_ERROR(CheckFeed(*graph_, feed.tensor));
    auto value = feed.value.As(feed.tensor.dtype());
    if (!value.ok()) {
      return Prefix(absl::StrCat("feed of ", feed.tensor.name(), ": "),
                    value.status());
    }
    if (value->dtype() != feed.tensor.dtype()) {
      return InvalidArgument("feed of ", feed.tensor.name(), " has type ",
                             DataTypeName(value->dtype()), ", expected ",
                             DataTypeName(feed.tensor.dtype()));
    }
    const PartialShape shape = feed.tensor.shape();
    if (!shape.IsCompatibleWith(value->shape())) {
      return InvalidArgument("Cannot feed value of shape ",
                             value->shape().DebugString(), " for Tensor ",
                             feed.tensor.name(), ", which has shape ",
                             shape.DebugString());
    }
    values.push_back(*std::move(value));
  }
  return values;
}

StatusOr<std::vector<Tensor>> Session::Run(const std::vector<Output>& fetches) {
  return Run({}, fetches);
}

StatusOr<std::vector<Tensor>> Session::Run(
    const std::vector<Feed>& feeds, const std::vector<Output>& fetches,
    const std::vector<ControlInput>& targets, const RunContext& context) {
  MR_RETURN_IF_ERROR(Ready());
  MR_ASSIGN_OR_RETURN(RunTensors tensors, Resolve(*graph_, fetches, targets));
  MR_ASSIGN_OR_RETURN(std::vector<Tensor> values, FeedValues(feeds));
  tensors.feeds.reserve(feeds.size());
  for (const Feed& feed : feeds) tensors.feeds.push_back(feed.tensor);
  // A fed tensor already has its value.
  std::vector<Tensor> results(fetches.size());
  std::vector<size_t> places;
  tensors.fetches.clear();
  for (size_t i = 0; i < fetches.size(); ++i) {
    const auto fed =
        std::find(tensors.feeds.begin(), tensors.feeds.end(), fetches[i]);
    if (fed != tensors.feeds.end()) {
      results[i] = values[static_cast<size_t>(fed - tensors.feeds.begin())];
    } else {
      places.push_back(i);
      tensors.fetches.push_back(fetches[i]);
    }
  }
  if (tensors.fetches.empty() && tensors.targets.empty()) return results;
  std::vector<Tensor> fetched;
  MR_RETURN_IF_ERROR(
      backend_->Run(tensors, std::move(values), context, &fetched));
  for (size_t i = 0; i < places.size(); ++i) {
    results[places[i]] = std::move(fetched[i]);
  }
  return results;
}

Status Session::RunTargets(const std::vector<ControlInput>& targets,
                           const RunContext& context) {
  return Run({}, {}, targets, context).status();
}

Status Session::RunTargets(const std::vector<Feed>& feeds,
                           const std::vector<ControlInput>& targets,
                           const RunContext& context) {
  return Run(feeds, {}, targets, context).status();
}

StatusOr<Callable> Session::Prepare(const std::vector<Output>& feeds,
                                    const std::vector<Output>& fetches,
                                    const std::vector<ControlInput>& targets,
                                    const RunOptions& options) {
  MR_RETURN_IF_ERROR(Ready());
  for (const Output& feed : feeds) MR_RETURN_IF_ERROR(CheckFeed(*graph_, feed));
  MR_ASSIGN_OR_RETURN(RunTensors tensors, Resolve(*graph_, fetches, targets));
  tensors.feeds = feeds;
  Callable callable;
  MR_ASSIGN_OR_RETURN(callable.run_, backend_->Prepare(tensors, options));
  return callable;
}

StatusOr<std::vector<Tensor>> Callable::Run(std::vector<Tensor> feeds,
                                            const RunContext& context) const {
  if (!run_) return FailedPrecondition("a callable that was not prepared");
  std::vector<Tensor> fetches;
  MR_RETURN_IF_ERROR(run_->Run(std::move(feeds), context, &fetches));
  return fetches;
}

StatusOr<std::string> Session::SetUpPartialRun(
    const std::vector<Output>& feeds, const std::vector<Output>& fetches,
    const std::vector<ControlInput>& targets) {
  MR_RETURN_IF_ERROR(Ready());
  for (const Output& feed : feeds) MR_RETURN_IF_ERROR(CheckFeed(*graph_, feed));
  MR_ASSIGN_OR_RETURN(RunTensors tensors, Resolve(*graph_, fetches, targets));
  tensors.feeds = feeds;
  return backend_->SetUpPartialRun(tensors);
}

StatusOr<std::vector<Tensor>> Session::RunPartially(
    const std::string& handle, const std::vector<Feed>& feeds,
    const std::vector<Output>& fetches, const RunContext& context) {
  MR_RETURN_IF_ERROR(Ready());
  MR_ASSIGN_OR_RETURN(RunTensors tensors, Resolve(*graph_, fetches, {}));
  MR_ASSIGN_OR_RETURN(std::vector<Tensor> values, FeedValues(feeds));
  for (const Feed& feed : feeds) tensors.feeds.push_back(feed.tensor);
  std::vector<Tensor> fetched;
  MR_RETURN_IF_ERROR(backend_->RunPartially(handle, tensors, std::move(values),
                                            context, &fetched));
  return fetched;
}

StatusOr<std::vector<DeviceAttributes>> Session::ListDevices() {
  {
    MutexLock lock(mu_);
    if (closed_)
      return FailedPrecondition("Attempted to use a closed Session.");
    // The devices do not depend on the graph, whatever its state.
    if (!created_)
      MR_RETURN_IF_ERROR(
          backend_->Extend(graph_->Export(GraphMark(), GraphMark())));
    created_ = true;
  }
  return backend_->ListDevices();
}

Status Session::Close() {
  backend_->CancelAll();
  {
    MutexLock lock(mu_);
    if (closed_) return OkStatus();
    closed_ = true;
  }
  return backend_->Close();
}

Status Session::Reset(const SessionOptions& options,
                      const std::vector<std::string>& containers) {
  if (IsLocal(options.target)) {
    return Unimplemented(
        "Session.Reset: a session in this process has its own containers");
  }
  return ResetContainers(options, containers);
}

StatusOr<RunOptions> OptionsOfRun(const RunOptions& prepared,
                                  const RunOptions& run) {
  RunOptions options = run;
  options.timeout_ms = prepared.timeout_ms;
  RunOptions nothing;
  nothing.timeout_ms = prepared.timeout_ms;
  if (!(options == prepared) && !(options == nothing)) {
    return InvalidArgument(
        "the run of a callable takes of RunContext::options timeout_ms only; "
        "all others are those that Session::Prepare was given");
  }
  options = prepared;
  if (run.timeout_ms > 0 &&
      (options.timeout_ms <= 0 || run.timeout_ms < options.timeout_ms)) {
    options.timeout_ms = run.timeout_ms;
  }
  return options;
}

std::string FailedNode(const Status& status) {
  absl::string_view text = status.message();
  // Parses "[[{{node NAME}}]]", with or without the braces, and "[[NAME =
  // Op[...]]]".
  const size_t at = text.find("[[");
  if (at == absl::string_view::npos) {
    const size_t node = text.find("{{node ");
    if (node == absl::string_view::npos) return "";
    text.remove_prefix(node);
  } else {
    text.remove_prefix(at + 2);
  }
  absl::ConsumePrefix(&text, "{{node ");
  return std::string(text.substr(0, text.find_first_of("}] =")));
}

}  // namespace millrace
