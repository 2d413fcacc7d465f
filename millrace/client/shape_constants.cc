#include "millrace/client/shape_constants.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/base/sim/sim.h"
#include "millrace/client/default_tables.h"
#include "millrace/device/devices.h"
#include "millrace/exec/constant_evaluator.h"

namespace millrace {
namespace {

// Never destroyed: graphs may be built while the program ends.
struct Evaluation {
  // A kernel's shards all run on the caller, which counts as one thread.
  Lanes lanes{{.inter_op_threads = 1, .intra_op_threads = 1}};
  std::vector<std::unique_ptr<Device>> devices;
  ConstantEvaluator evaluate;

  Evaluation() {
    auto made = MakeDevices({.device_count = {{"GPU", 0}}, .lanes = &lanes},
                            "localhost", 0);
    MR_CHECK(made.ok(), made.status().ToString());
    devices = *std::move(made);
    evaluate = MakeConstantEvaluator(&DefaultKernels(), devices[0].get(),
                                     std::nullopt);
  }
};

}  // namespace

ConstantEvaluator MakeShapeEvaluator(const OpRegistry& ops) {
  if (&ops != &DefaultOps()) return nullptr;
  return [](const Node& node, absl::Span<const Tensor> inputs)
             -> std::optional<std::vector<Tensor>> {
    // What outlives a simulation must not influence it.
    if (SimWorld::Current() != nullptr) return std::nullopt;
    static const Evaluation* const evaluation = new Evaluation();
    return evaluation->evaluate(node, inputs);
  };
}

}  // namespace millrace
