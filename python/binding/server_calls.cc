// Servers in this process.
#include <nanobind/stl/string.h>

#include "millrace/base/threads/thread.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/gradients/differentiate_function.h"
#include "millrace/cluster/server.h"
#include "millrace/protocol/codec.h"
#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/grpc/grpc_transport.h"
#include "millrace/tensor/wire_format.h"
#include "python/binding/gil.h"
#include "python/binding/interrupts.h"
#include "python/binding/parts.h"
#include "python/binding/python_hooks.h"

namespace millrace::python {
namespace {

class PyServer {
 public:
  // Starts the server of a ServerDef's bytes.
  explicit PyServer(const nb::bytes& bytes) {
    CheckFork();
    ServerDef def;
    ChunkWriter out;
    out.Raw({bytes.c_str(), bytes.size()});
    Check(Decode(std::move(out).Finish(), &def));
    ServerOptions options;
    options.cluster = Take(ClusterSpec::FromDef(def.cluster));
    options.task = {def.job_name, def.task_index};
    options.insecure =
        true;  // as TensorFlow's servers, which listen for everybody
    options.default_session_config = def.default_session_config;
    for (const auto& [type, count] : def.default_session_config.device_count)
      options.device_count[type] = count;
    options.gpu = GpuSetupOf(def.default_session_config.gpu_options);
    options.transport = MakeBulkTransport(MakeGrpcTransport());
    options.ops = &DefaultOps();
    options.kernels = &DefaultKernels();
    options.differentiate = DifferentiateFunction;
    ThreadsStarted();
    StatusOr<std::unique_ptr<Server>> server;
    {
      WithoutGil unlocked;
      server = Server::Start(options);
    }
    server_ = Take(std::move(server));
  }
  ~PyServer() {
    std::unique_ptr<Server> server = std::move(server_);
    // The threads of a fork's parent are not in this process, and when Python
    // ends some may wait for its lock.
    if (IsForked() || IsEnding()) {
      server.release();
      return;
    }
    WithoutGil unlocked;
    server.reset();
  }

  std::string Target() const { return server_->target(); }
  void Stop(int64_t grace_ms) {
    WithoutGil unlocked;
    server_->Stop(grace_ms);
  }
  void Join() {
    // Signals are Python's: the thread that waits looks for them ten times a
    // second.
    Thread waiter("join", [this] {
      server_->Join();
      ended_.store(true);
    });
    bool interrupted = false;
    while (!ended_.load() && !interrupted) {
      {
        WithoutGil unlocked;
        SleepUntil(Deadline::AfterMillis(50));
      }
      interrupted = PyErr_CheckSignals() != 0;
    }
    if (interrupted) {
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      {
        WithoutGil unlocked;
        server_->Stop(0);
        waiter.Join();
      }
      PyErr_Restore(type, value, trace);
      throw nb::python_error();
    }
    WithoutGil unlocked;
    waiter.Join();
  }

 private:
  std::unique_ptr<Server> server_;
  std::atomic<bool> ended_{false};
};

}  // namespace

void BindServers(nb::module_& m) {
  nb::class_<PyServer>(
      m, "Server", "One task of a cluster, which listens from the beginning.")
      .def(nb::init<const nb::bytes&>(), nb::arg("server_def"))
      .def_prop_ro("target", &PyServer::Target)
      .def("stop", &PyServer::Stop, nb::arg("grace_ms") = 1000)
      .def("join", &PyServer::Join, "Returns when the server has ended.");
}

}  // namespace millrace::python
