#include "tests/cases/runner.h"

#include <algorithm>
#include <memory>
#include <new>

#include "absl/strings/str_cat.h"
#include "millrace/base/denormals.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/device_retirement.h"
#include "millrace/kernel/resource.h"
#include "millrace/kernel/session_tensors.h"
#include "millrace/kernel/step_container.h"
#include "millrace/kernel/variable.h"

namespace millrace::cases {
namespace {

// How long a kernel may take to end once it is cancelled.
constexpr int64_t kCancelledMillis = 10'000;

Tensor ResourceHandleOf(const Device& device, const BoundVariable& v) {
  auto handle = MakeRef<ResourceHandle>();
  handle->device = device.name();
  handle->container = "localhost";
  handle->name = v.name;
  handle->type_name = std::string(Variable::kTypeName);
  handle->dtypes_and_shapes.push_back(
      {v.value.dtype(), PartialShape(v.value.shape())});
  Tensor t = Tensor::New(DataType::kResource, {});
  t.mutable_flat<ResourceElement>()[0] = std::move(handle);
  return t;
}

Tensor Copy(const Tensor& t) {
  StatusOr<Tensor> copy = t.DeepCopy(HostAllocator());
  MR_CHECK(copy.ok(), copy.status().message());
  return *std::move(copy);
}

// The budget of the process, made smaller while a kernel runs.
class SmallerBudget {
 public:
  explicit SmallerBudget(int64_t bytes) : before_(budget_.limit()) {
    if (bytes > 0) budget_.set_limit(std::min(before_, budget_.used() + bytes));
  }
  ~SmallerBudget() { budget_.set_limit(before_); }
  SmallerBudget(const SmallerBudget&) = delete;
  SmallerBudget& operator=(const SmallerBudget&) = delete;

 private:
  MemoryBudget& budget_ = MemoryBudget::Process();
  const int64_t before_;
};

// One case on a device of its own.
class Execution {
 public:
  Execution(const BoundCase& c, const KernelTable& kernels,
            const RunOptions& options, Device& device)
      : case_(c),
        kernels_(kernels),
        options_(options),
        device_(device),
        kernel_of_(c.nodes.size()) {
    for (const BoundFeed& feed : c.feeds) pristine_.push_back(Copy(feed.value));
    for (const BoundVariable& v : c.variables) {
      auto variable = MakeRef<Variable>(v.value.dtype(), v.name);
      if (v.initialized) variable->Assign(Copy(v.value));
      // An uninitialized resource is one that nobody has made yet.
      if (!v.is_ref && v.initialized) {
        const Status s = device.resources().Create("", v.name, variable);
        MR_CHECK(s.ok(), s.message());
      }
      variables_.push_back(std::move(variable));
    }
    outcome_.outputs.resize(c.nodes.size());
  }

  CaseOutcome Run() {
    for (const BoundRun& run : case_.runs)
      outcome_.runs.push_back(RunOnce(run));
    for (size_t i = 0; i < variables_.size(); ++i) {
      outcome_.variables.push_back(FinalValue(i));
    }
    for (size_t i = 0; i < pristine_.size(); ++i) {
      if (!IdenticalTensors(pristine_[i], case_.feeds[i].value)) {
        outcome_.changed_inputs.push_back(case_.feeds[i].name);
      }
    }
    return std::move(outcome_);
  }

 private:
  Tensor FinalValue(size_t i) const {
    Ref<Variable> variable = variables_[i];
    if (!case_.variables[i].is_ref) {
      auto found =
          device_.resources().Lookup<Variable>("", case_.variables[i].name);
      if (!found.ok()) return Tensor();
      variable = *std::move(found);
    }
    StatusOr<Tensor> value = variable->Read();
    return value.ok() ? Copy(*value) : Tensor();
  }

  void Need(int node, std::vector<bool>* needed) const {
    if ((*needed)[static_cast<size_t>(node)]) return;
    (*needed)[static_cast<size_t>(node)] = true;
    const BoundNode& n = case_.nodes[static_cast<size_t>(node)];
    for (const BoundInput& in : n.inputs) {
      if (in.kind == Value::Kind::kNode) Need(in.index, needed);
    }
    for (int control : n.control_inputs) Need(control, needed);
  }

  RunOutcome RunOnce(const BoundRun& run) {
    RunOutcome out;
    std::vector<bool> needed(case_.nodes.size());
    for (int target : run.targets) Need(target, &needed);
    std::vector<std::vector<EdgeValue>> values(case_.nodes.size());
    StepContainer container;
    CancelScope cancel;
    StepEnvironment step;
    step.step_id = static_cast<int64_t>(outcome_.runs.size()) + 1;
    step.cancel = &cancel;
    step.container = &container;
    step.files = options_.files ? options_.files : DefaultFiles();
    step.session_tensors = &tensors_;
    for (size_t i = 0; i < case_.nodes.size(); ++i) {
      if (!needed[i]) continue;
      out.status = RunNode(i, step, values);
      if (!out.status.ok()) return out;
      outcome_.outputs[i].clear();
      for (const EdgeValue& value : values[i])
        outcome_.outputs[i].push_back(ValueOf(value));
    }
    for (const auto& [node, port] : run.fetches) {
      const EdgeValue& value =
          values[static_cast<size_t>(node)][static_cast<size_t>(port)];
      out.fetched.push_back(value.is_dead ? Tensor() : ValueOf(value));
    }
    return out;
  }

  // A copy of its own, so that later in-place updates do not show.
  static Tensor ValueOf(const EdgeValue& value) {
    if (value.ref) {
      StatusOr<Tensor> read = value.ref->Read();
      return read.ok() ? Copy(*read) : Tensor();
    }
    return value.tensor.valid() ? Copy(value.tensor) : Tensor();
  }

  StatusOr<EdgeValue> Input(
      const BoundNode& node, size_t i,
      const std::vector<std::vector<EdgeValue>>& values) const {
    const BoundInput& in = node.inputs[i];
    const size_t index = static_cast<size_t>(in.index);
    EdgeValue value;
    switch (in.kind) {
      case Value::Kind::kFed:
        value.tensor = options_.own_inputs ? Copy(case_.feeds[index].value)
                                           : case_.feeds[index].value;
        break;
      case Value::Kind::kNode:
        value = values[index][static_cast<size_t>(in.port)];
        break;
      default:
        if (case_.variables[index].is_ref) {
          value.ref = variables_[index];
        } else {
          value.tensor = ResourceHandleOf(device_, case_.variables[index]);
        }
    }
    // What the executor does with references.
    if (value.ref) {
      if (!IsRef(node.info.input_types[i])) {
        MR_ASSIGN_OR_RETURN(value.tensor, value.ref->Read());
      } else if (!node.info.op->Is(kAllowsUninitialized) &&
                 !value.ref->IsInitialized()) {
        return FailedPrecondition("Attempting to use uninitialized value ",
                                  value.ref->name());
      }
    }
    return value;
  }

  Status RunNode(size_t i, StepEnvironment& step,
                 std::vector<std::vector<EdgeValue>>& values) {
    const BoundNode& node = case_.nodes[i];
    std::vector<EdgeValue> inputs;
    std::vector<EdgeValue> outputs(node.info.output_types.size());
    bool dead = false;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      MR_ASSIGN_OR_RETURN(EdgeValue value, Input(node, k, values));
      dead |= value.is_dead;
      inputs.push_back(std::move(value));
    }
    const std::string& op = node.info.op->name;
    if (op == "Merge" || op == "RefMerge") {
      RunMerge(inputs, outputs);
    } else if (dead) {
      for (EdgeValue& out : outputs) out.is_dead = true;
    } else if (RunsWithoutKernel(op)) {
      if (op == "Const") {
        MR_ASSIGN_OR_RETURN(outputs[0].tensor,
                            GetAttr<Tensor>(node.info.attrs, "value"));
      }
    } else {
      if (kernel_of_[i] == nullptr) {
        MR_ASSIGN_OR_RETURN(kernel_of_[i], MakeKernelFor(node));
      }
      MR_RETURN_IF_ERROR(Call(*kernel_of_[i], node, step, inputs, outputs));
      for (size_t k = 0; k < outputs.size(); ++k) {
        const EdgeValue& out = outputs[k];
        if (out.is_dead || out.ref) continue;
        if (!out.tensor.valid())
          return Broken(absl::StrCat("output ", k, " of ", op, " was not set"));
        if (out.tensor.dtype() != RemoveRef(node.info.output_types[k])) {
          return Broken(absl::StrCat("output ", k, " of ", op, " is ",
                                     DataTypeName(out.tensor.dtype()), ", not ",
                                     DataTypeName(node.info.output_types[k])));
        }
      }
    }
    values[i] = std::move(outputs);
    return OkStatus();
  }

  static void RunMerge(std::vector<EdgeValue>& inputs,
                       std::vector<EdgeValue>& outputs) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k].is_dead) continue;
      outputs[0] = std::move(inputs[k]);
      outputs[1].tensor = Tensor::Scalar<int32_t>(static_cast<int32_t>(k));
      return;
    }
    for (EdgeValue& out : outputs) out.is_dead = true;
  }

  StatusOr<std::unique_ptr<Kernel>> MakeKernelFor(const BoundNode& node) const {
    int wanted = node.info.op->name == case_.source->op ? options_.entry : 0;
    for (const KernelTable::Row& row :
         kernels_.Rows("CPU", node.info.op->name)) {
      if (!row.Fits(node.info.attrs) || wanted-- > 0) continue;
      return row.entry->make(
          KernelInit(node.info, device_, nullptr, &kernels_));
    }
    return kernels_.NoKernel(node.info.op->name, node.info.name,
                             node.info.attrs, {"CPU"});
  }

  Status Broken(const std::string& what) {
    outcome_.broken.push_back(what);
    return Internal(what);
  }

  Status Call(const Kernel& kernel, const BoundNode& node,
              StepEnvironment& step, std::vector<EdgeValue>& inputs,
              std::vector<EdgeValue>& outputs) {
    KernelContext ctx(node.info, device_, step, absl::MakeSpan(inputs),
                      absl::MakeSpan(outputs));
    const SmallerBudget budget(options_.limit_bytes);
    // What the executor does, too.
    const ScopedMemoryLimit limit;
    try {
      if (!kernel.is_async()) return kernel.Run(ctx);
      Notification ended;
      Status status;
      kernel.RunAsync(ctx, Done([&](Status s) {
                        status = std::move(s);
                        ended.Notify();
                      }));
      if (!ended.WaitUntil(Deadline::AfterMillis(options_.blocked_ms))) {
        const std::string where =
            absl::StrCat(case_.source->op, ", ", case_.source->options.name,
                         ": node ", node.info.name, " blocks");
        step.cancel->Cancel(DeadlineExceeded(where));
        // The kernel holds what is on this stack.
        MR_CHECK(ended.WaitUntil(Deadline::AfterMillis(kCancelledMillis)),
                 absl::StrCat(where, " and heeds no cancellation"));
      }
      return status;
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("OOM in op ", node.info.op->name);
    } catch (const std::exception& e) {
      return Broken(absl::StrCat("exception: ", e.what()));
    }
  }

  const BoundCase& case_;
  const KernelTable& kernels_;
  const RunOptions options_;
  Device& device_;
  std::vector<std::unique_ptr<Kernel>> kernel_of_;
  std::vector<Ref<Variable>> variables_;
  std::vector<Tensor> pristine_;
  SessionTensors tensors_;
  CaseOutcome outcome_;
};

}  // namespace

bool RunsWithoutKernel(absl::string_view op) {
  return op == "Const" || op == "NoOp" || op == "ControlTrigger" ||
         op == "Merge" || op == "RefMerge";
}

CaseRunner::CaseRunner(const KernelTable& kernels)
    : kernels_(kernels),
      one_("case", 1),
      two_("case", 2),
      allocator_(MakeCpuAllocator(Lanes::Process())) {}

CaseOutcome CaseRunner::Run(const BoundCase& c, const RunOptions& options) {
  ScopedFlushDenormals flush;
  DeviceOptions device_options;
  device_options.intra_op = options.width == 1 ? &one_ : &two_;
  device_options.allocator = allocator_;
  device_options.device_count = {{"CPU", 1}, {"GPU", 0}};
  auto devices = MakeDevices(device_options, "localhost", 0);
  MR_CHECK(devices.ok(), devices.status().message());
  // Kernels let go of their resources before the device goes, and iterators
  // that work ahead of it.
  const DeviceRetirement retirement(*devices);
  return Execution(c, kernels_, options, *(*devices)[0]).Run();
}

int CaseRunner::CountEntries(const BoundCase& c) const {
  int least = kMaxKernelEntries;
  for (const BoundNode& node : c.nodes) {
    if (node.info.op->name != c.source->op) continue;
    int fitting = 0;
    for (const KernelTable::Row& row :
         kernels_.Rows("CPU", node.info.op->name)) {
      fitting += row.Fits(node.info.attrs);
    }
    least = std::min(least, RunsWithoutKernel(c.source->op) ? 1 : fitting);
  }
  return least;
}

}  // namespace millrace::cases
