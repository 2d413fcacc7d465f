// GraphText: builds small graphs for tests, node by node.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "millrace/graph/graph_def.h"

namespace millrace {

// Nodes are float, unless a method says otherwise. `device` is a name or empty.
class GraphText {
 public:
  GraphText& Node(std::string name, std::string op,
                  std::vector<std::string> inputs, AttrMap attrs,
                  std::string device = "") {
    def_.nodes.push_back({std::move(name), std::move(op), std::move(inputs),
                          std::move(device), std::move(attrs)});
    return *this;
  }
  GraphText& Const(std::string name, float value, std::string device = "") {
    return Value(std::move(name), Tensor::Scalar(value), std::move(device));
  }
  GraphText& Value(std::string name, Tensor value, std::string device = "") {
    const DataType dtype = value.dtype();
    return Node(std::move(name), "Const", {},
                {{"dtype", dtype}, {"value", std::move(value)}},
                std::move(device));
  }
  GraphText& Placeholder(std::string name, std::string device = "") {
    return Node(std::move(name), "Placeholder", {},
                {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}},
                std::move(device));
  }
  GraphText& Add(std::string name, std::string a, std::string b,
                 std::string device = "") {
    return Node(std::move(name), "Add", {std::move(a), std::move(b)}, FloatT(),
                std::move(device));
  }
  GraphText& Variable(std::string name, std::string device = "",
                      std::string container = "") {
    return Node(std::move(name), "VariableV2", {},
                {{"dtype", DataType::kFloat},
                 {"shape", PartialShape({})},
                 {"container", std::move(container)}},
                std::move(device));
  }
  GraphText& Assign(std::string name, std::string variable, std::string value) {
    return Node(std::move(name), "Assign",
                {std::move(variable), std::move(value)}, FloatT());
  }
  GraphText& AssignAdd(std::string name, std::string variable,
                       std::string value) {
    return Node(std::move(name), "AssignAdd",
                {std::move(variable), std::move(value)}, FloatT());
  }
  // Adds a loop that ends only when its step is cancelled. `name` is its Merge.
  GraphText& EndlessLoop(const std::string& name, const std::string& device) {
    const AttrMap bools = {{"T", DataType::kBool}};
    Value(name + "/true", Tensor::Scalar(true), device);
    Node(name + "/enter", "Enter", {name + "/true"},
         {{"T", DataType::kBool}, {"frame_name", name}}, device);
    Node(name, "Merge", {name + "/enter", name + "/next"},
         {{"T", DataType::kBool}, {"N", 2}}, device);
    Node(name + "/cond", "LoopCond", {name}, {}, device);
    Node(name + "/switch", "Switch", {name, name + "/cond"}, bools, device);
    Node(name + "/next", "NextIteration", {name + "/switch:1"}, bools, device);
    return Node(name + "/exit", "Exit", {name + "/switch"}, bools, device);
  }
  GraphDef Take() { return std::exchange(def_, {}); }

 private:
  static AttrMap FloatT() { return {{"T", DataType::kFloat}}; }
  GraphDef def_;
};

}  // namespace millrace
