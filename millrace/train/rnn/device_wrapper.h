// DeviceWrapper: a cell on a device.
//
//   std::vector<std::unique_ptr<RnnCell>> layers;
//   for (int i = 0; i < 3; ++i) {
//     layers.push_back(std::make_unique<DeviceWrapper>(
//         std::make_unique<BasicLstmCell>(512),
//         absl::StrCat("/job:worker/task:", i)));
//   }
//   MultiRnnCell cell(std::move(layers));
//   StaticRnn(v, cell, inputs);
//
// The layers of such a network work as a pipeline, without more being said: a
// layer begins with a time as soon as the layer below has ended with that time,
// and it itself with the time before.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/train/rnn/cell.h"

namespace millrace::train {

// Has the variables and names of its cell. Its ops and variables get the device
// block `device`, within those of the scope that Call is given. Gradients are
// computed on the same device if they are asked for with `colocate_with_ops`
// (GradientsOptions).
class DeviceWrapper final : public RnnCell {
 public:
  DeviceWrapper(std::unique_ptr<RnnCell> cell, std::string device)
      : cell_(std::move(cell)), device_(std::move(device)) {}

  std::vector<int64_t> state_sizes() const override {
    return cell_->state_sizes();
  }
  std::vector<bool> state_is_memory() const override {
    return cell_->state_is_memory();
  }
  int64_t output_size() const override { return cell_->output_size(); }
  bool CreateVariables(const VariableScope& variables, int64_t inputs,
                       DataType dtype) override {
    return cell_->CreateVariables(OnDevice(variables), inputs, dtype);
  }
  Step Call(const VariableScope& variables, const Output& x,
            const std::vector<Output>& state) override {
    return cell_->Call(OnDevice(variables), x, state);
  }

 private:
  VariableScope OnDevice(const VariableScope& variables) const {
    return variables.WithScope(variables.scope().WithDevice(device_));
  }

  const std::unique_ptr<RnnCell> cell_;
  const std::string device_;
};

}  // namespace millrace::train
