// Sessions: runs in this process and on clusters. The GIL is released while
// anything runs.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "absl/strings/str_cat.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/gradients/differentiate_function.h"
#include "millrace/client/session.h"
#include "millrace/protocol/codec.h"
#include "millrace/tensor/wire_format.h"
#include "python/binding/gil.h"
#include "python/binding/graph_object.h"
#include "python/binding/interrupts.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"
#include "python/binding/values.h"

namespace millrace::python {
namespace {

absl::string_view View(const nb::bytes& b) { return {b.c_str(), b.size()}; }

// Decodes a message from bytes of Python.
template <class Message>
Message Parse(const nb::bytes& bytes) {
  Message message;
  ChunkWriter out;
  out.Raw(View(bytes));
  Check(Decode(std::move(out).Finish(), &message));
  return message;
}
template <class Message>
nb::bytes Serialize(const Message& message) {
  const std::string bytes = Take(Encode(message)).Flatten();
  return nb::bytes(bytes.data(), bytes.size());
}

std::vector<Output> Outputs(const nb::list& tensors) {
  std::vector<Output> outputs;
  outputs.reserve(tensors.size());
  for (nb::handle t : tensors) outputs.push_back(OutputOf(AsTensor(t)));
  return outputs;
}
std::vector<ControlInput> Targets(const nb::list& ops) {
  std::vector<ControlInput> targets;
  targets.reserve(ops.size());
  for (nb::handle op : ops) targets.push_back(OperationOf(AsOperation(op)));
  return targets;
}

// The value of a feed: an array, or a Value.
Tensor FeedOf(nb::handle value, DataType type) {
  if (const Tensor* tensor = ValueOf(value)) return *tensor;
  return TensorFromArray(value, /*share=*/true, type);
}

std::vector<Feed> FeedsOf(const nb::list& feeds, const nb::list& values) {
  std::vector<Feed> fed;
  fed.reserve(feeds.size());
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Output tensor = OutputOf(AsTensor(feeds[i]));
    fed.push_back({tensor, Literal(FeedOf(values[i], tensor.dtype()))});
  }
  return fed;
}

nb::list Arrays(std::vector<Tensor> tensors) {
  nb::list list;
  for (Tensor& t : tensors) list.append(ArrayFromTensor(std::move(t)));
  return list;
}

SessionOptions OptionsOf(const std::string& target, const nb::bytes& config) {
  SessionOptions options;
  options.target = target;
  options.config = Parse<ConfigOptions>(config);
  options.differentiate = DifferentiateFunction;
  return options;
}

class PySession {
 public:
  PySession(nb::handle graph, const std::string& target,
            const nb::bytes& config)
      : session_(std::make_unique<Session>(AsGraph(graph)->core->graph,
                                           OptionsOf(target, config))),
        is_local_(target.empty() || target == "local") {}
  ~PySession() {
    std::unique_ptr<Session> session = std::move(session_);
    // The threads of a fork's parent are not in this process, and when Python
    // ends some may wait for its lock. On a cluster the session is to end.
    if (IsForked() || (is_local_ && IsEnding())) {
      session.release();
      return;
    }
    WithoutGil unlocked;
    session.reset();
  }

  // Returns the values of the fetches; with metadata also the bytes of a
  // RunMetadata.
  nb::object Run(const nb::list& feeds, const nb::list& values,
                 const nb::list& fetches, const nb::list& targets,
                 nb::handle options, bool metadata) {
    CheckFork();
    std::vector<Feed> fed = FeedsOf(feeds, values);
    const std::vector<Output> fetched = Outputs(fetches);
    const std::vector<ControlInput> run = Targets(targets);
    RunContext context;
    RunMetadata collected;
    if (!options.is_none())
      context.options = Parse<RunOptions>(nb::cast<nb::bytes>(options));
    if (metadata) context.metadata = &collected;
    StatusOr<std::vector<Tensor>> results = Cancellable(
        &context, [&] { return session_->Run(fed, fetched, run, context); });
    fed.clear();
    DropUnusedArrays();
    nb::list arrays = Arrays(Take(std::move(results)));
    if (!metadata) return arrays;
    return nb::make_tuple(arrays, Serialize(collected));
  }

  std::string SetUpPartialRun(const nb::list& feeds, const nb::list& fetches,
                              const nb::list& targets) {
    CheckFork();
    ThreadsStarted();
    const std::vector<Output> fed = Outputs(feeds), fetched = Outputs(fetches);
    const std::vector<ControlInput> run = Targets(targets);
    StatusOr<std::string> handle;
    {
      WithoutGil unlocked;
      handle = session_->SetUpPartialRun(fed, fetched, run);
    }
    return Take(std::move(handle));
  }

  nb::list RunPartially(const std::string& handle, const nb::list& feeds,
                        const nb::list& values, const nb::list& fetches) {
    CheckFork();
    std::vector<Feed> fed = FeedsOf(feeds, values);
    const std::vector<Output> fetched = Outputs(fetches);
    RunContext context;
    StatusOr<std::vector<Tensor>> results = Cancellable(&context, [&] {
      return session_->RunPartially(handle, fed, fetched, context);
    });
    fed.clear();
    DropUnusedArrays();
    return Arrays(Take(std::move(results)));
  }

  void Extend() {
    CheckFork();
    ThreadsStarted();
    Status status;
    {
      WithoutGil unlocked;
      status = session_->Extend();
    }
    Check(status);
  }

  void Close() {
    if (IsForked()) return;
    Status status;
    {
      WithoutGil unlocked;
      status = session_->Close();
    }
    DropUnusedArrays();
    Check(status);
  }

  nb::list ListDevices() {
    CheckFork();
    ThreadsStarted();
    StatusOr<std::vector<DeviceAttributes>> devices;
    {
      WithoutGil unlocked;
      devices = session_->ListDevices();
    }
    nb::list list;
    for (const DeviceAttributes& d : Take(std::move(devices))) {
      list.append(nb::make_tuple(d.name, d.device_type, d.memory_limit_bytes,
                                 d.incarnation, d.physical_description));
    }
    return list;
  }

  Session& session() { return *session_; }

  // Runs without the GIL; a signal's exception comes before the result.
  template <class F>
  static auto Cancellable(RunContext* context, F run) -> decltype(run()) {
    ThreadsStarted();
    CancelScope scope;
    context->cancel = &scope;
    Interruptible interruptible(&scope);
    decltype(run()) result;
    {
      WithoutGil unlocked;
      result = run();
    }
    if (!result.ok()) Interruptible::RaisePending();
    return result;
  }

 private:
  std::unique_ptr<Session> session_;
  const bool is_local_;
};

// A run whose feeds, fetches and targets are fixed.
class PyCallable {
 public:
  PyCallable(PySession& session, const nb::list& feeds, const nb::list& fetches,
             const nb::list& targets, const nb::bytes& options) {
    CheckFork();
    ThreadsStarted();
    const std::vector<Output> fed = Outputs(feeds);
    for (const Output& feed : fed) types_.push_back(feed.dtype());
    const std::vector<Output> fetched = Outputs(fetches);
    const std::vector<ControlInput> run = Targets(targets);
    const RunOptions with = Parse<RunOptions>(options);
    StatusOr<Callable> callable;
    {
      WithoutGil unlocked;
      callable = session.session().Prepare(fed, fetched, run, with);
    }
    callable_ = Take(std::move(callable));
  }

  ~PyCallable() {
    if (IsForked()) new Callable(std::move(callable_));
  }

  nb::list Run(const nb::list& values) {
    CheckFork();
    if (values.size() != types_.size()) {
      throw nb::value_error(absl::StrCat("Expected ", types_.size(),
                                         " feeds, got ", values.size())
                                .c_str());
    }
    std::vector<Tensor> feeds;
    for (size_t i = 0; i < types_.size(); ++i)
      feeds.push_back(FeedOf(values[i], types_[i]));
    RunContext context;
    std::vector<Tensor> kept =
        feeds;  // lent memory is never written while others see it
    StatusOr<std::vector<Tensor>> results = PySession::Cancellable(
        &context, [&] { return callable_.Run(std::move(feeds), context); });
    kept.clear();
    DropUnusedArrays();
    return Arrays(Take(std::move(results)));
  }

 private:
  std::vector<DataType> types_;
  Callable callable_;
};

void Reset(const std::string& target,
           const std::vector<std::string>& containers,
           const nb::bytes& config) {
  CheckFork();
  ThreadsStarted();
  const SessionOptions options = OptionsOf(target, config);
  Status status;
  {
    WithoutGil unlocked;
    status = Session::Reset(options, containers);
  }
  Check(status);
}

}  // namespace

void BindSessions(nb::module_& m) {
  nb::class_<PySession>(
      m, "Session",
      "A session of a graph, in this process (target \"\") or on a cluster.")
      .def(nb::init<nb::handle, const std::string&, const nb::bytes&>(),
           nb::arg("graph"), nb::arg("target"), nb::arg("config"))
      .def("run", &PySession::Run, nb::arg("feeds"), nb::arg("values"),
           nb::arg("fetches"), nb::arg("targets"), nb::arg("options").none(),
           nb::arg("metadata"))
      .def("set_up_partial_run", &PySession::SetUpPartialRun, nb::arg("feeds"),
           nb::arg("fetches"), nb::arg("targets"))
      .def("run_partially", &PySession::RunPartially, nb::arg("handle"),
           nb::arg("feeds"), nb::arg("values"), nb::arg("fetches"))
      .def("extend", &PySession::Extend)
      .def("close", &PySession::Close)
      .def("list_devices", &PySession::ListDevices,
           "[(name, type, memory limit, incarnation, physical description)]");
  nb::class_<PyCallable>(m, "Callable",
                         "A run whose feeds, fetches and targets are fixed.")
      .def(nb::init<PySession&, const nb::list&, const nb::list&,
                    const nb::list&, const nb::bytes&>(),
           nb::keep_alive<1, 2>())
      .def("run", &PyCallable::Run);
  m.def("reset", &Reset, nb::arg("target"), nb::arg("containers"),
        nb::arg("config"));
  m.def("check_fork", &CheckFork);
}

}  // namespace millrace::python
