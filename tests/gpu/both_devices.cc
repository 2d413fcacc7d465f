#include "tests/gpu/both_devices.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"
#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/all_kernels.h"
#include "tests/gpu/use_standin.h"

namespace millrace {

void BothDevicesTest::Start(const GpuSetup& setup) {
  static const OpRegistry* const ops =
      OpRegistry::Build(AllOps()).value().release();
  cuda::UseStandIn();
  session_.reset();  // with what it has on the GPU
  auto kernels = KernelTable::Build(AllKernels());
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  kernels_ = *std::move(kernels);
  LocalSessionOptions options;
  options.ops = ops;
  options.kernels = &kernels_;
  DeviceOptions devices;
  devices.device_count = {{"CPU", 1}, {"GPU", 1}};
  devices.gpu = setup;
  auto made = MakeDevices(devices, "localhost", 0);
  ASSERT_TRUE(made.ok()) << made.status();
  options.devices = *std::move(made);
  auto session = LocalSession::Create(std::move(options));
  ASSERT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
}

StatusOr<Tensor> BothDevicesTest::Run(const char* device, const char* op,
                                      const std::vector<Tensor>& inputs,
                                      const AttrMap& attrs) {
  GraphDef graph;
  LocalSession::RunRequest request;
  const std::string name = absl::StrCat("node_", nodes_++);
  std::vector<std::string> names;
  for (const Tensor& input : inputs) {
    names.push_back(absl::StrCat(name, "_", names.size()));
    graph.nodes.push_back(
        {names.back(), "Placeholder", {}, kCpu, {{"dtype", input.dtype()}}});
    request.feeds.emplace_back(absl::StrCat(names.back(), ":0"), input);
  }
  graph.nodes.push_back({name, op, std::move(names), device, attrs});
  MR_RETURN_IF_ERROR(session_->Extend(graph));
  request.fetches = {absl::StrCat(name, ":0")};
  request.options.timeout_ms = 300'000;
  std::vector<Tensor> outputs;
  RunMetadata metadata;
  MR_RETURN_IF_ERROR(session_->Run(request, &outputs, &metadata));
  return outputs[0];
}

void BothDevicesTest::ExpectAlike(const char* op,
                                  const std::vector<Tensor>& inputs,
                                  const AttrMap& attrs) {
  const auto got = Run(kGpu, op, inputs, attrs);
  const auto wanted = Run(kCpu, op, inputs, attrs);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  ASSERT_EQ(got->shape(), wanted->shape());
  const auto x = got->flat<float>(), y = wanted->flat<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(x[i], y[i], 1e-4 * std::max(1.0f, std::fabs(y[i]))) << i;
  }
}

Tensor BothDevicesTest::Floats(const TensorShape& shape) {
  Rng rng(17);
  Tensor t = Tensor::New(DataType::kFloat, shape);
  for (float& x : t.mutable_flat<float>()) {
    x = static_cast<float>(rng.Double() * 2 - 1);
  }
  return t;
}

}  // namespace millrace
