// Kernel: the implementation of an op for a device type. KernelInit: the
// arguments of its construction. A kernel is constructed once and run by many
// steps at once.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "millrace/base/threads/done.h"
#include "millrace/graph/fused_nodes.h"
#include "millrace/graph/graph_def.h"
#include "millrace/graph/op_def.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace {

class FunctionLibrary;
class KernelTable;
struct HostArguments;

// The kernel's view of a node. Read-only; outlives the kernel.
struct NodeInfo {
  std::string name;
  std::string device;  // full name
  const OpDef* op = nullptr;
  AttrMap attrs;  // complete
  DataTypeVector input_types;
  DataTypeVector output_types;
  std::shared_ptr<const FusedNodes> fused;  // as of Node
  // Where its arguments lie, on a device with memory of its own; null on a CPU.
  std::shared_ptr<const HostArguments> host;
  // The node of the first input, for messages; empty if it is not known.
  std::string first_input;
  // Which inputs are constants: the same tensor in each run. Shorter where the
  // last ones are not, or nothing is known.
  std::vector<bool> constant_inputs;

  bool HasConstantInput(size_t i) const {
    return i < constant_inputs.size() && constant_inputs[i];
  }
};

class KernelInit {
 public:
  KernelInit(const NodeInfo& node, Device& device,
             const FunctionLibrary* functions,
             const KernelTable* kernels = nullptr)
      : node_(node),
        device_(device),
        functions_(functions),
        kernels_(kernels) {}

  const NodeInfo& node() const { return node_; }
  Device& device() const { return device_; }
  // Returns the functions that attributes name; null if there are none.
  const FunctionLibrary* functions() const { return functions_; }
  // Returns the table that this kernel comes from, for fused nodes; null if
  // there is none.
  const KernelTable* kernels() const { return kernels_; }
  template <class T>
  StatusOr<T> Attr(absl::string_view name) const {
    return GetAttr<T>(node_.attrs, name);
  }
  bool HasAttr(absl::string_view name) const {
    return node_.attrs.Find(name) != nullptr;
  }
  DataType input_type(int i) const { return node_.input_types[i]; }
  DataType output_type(int i) const { return node_.output_types[i]; }
  int num_inputs() const { return static_cast<int>(node_.input_types.size()); }
  int num_outputs() const {
    return static_cast<int>(node_.output_types.size());
  }
  // Return the positions of an argument by its name in the schema.
  StatusOr<ArgRange> Input(absl::string_view name) const {
    return FindArgRange(node_.op->inputs, node_.attrs, name);
  }
  StatusOr<ArgRange> Output(absl::string_view name) const {
    return FindArgRange(node_.op->outputs, node_.attrs, name);
  }

 private:
  const NodeInfo& node_;
  Device& device_;
  const FunctionLibrary* functions_;
  const KernelTable* kernels_;
};

// Thread-safe: many steps call Run and RunAsync at once.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // A synchronous kernel computes and returns; it never waits for another
  // kernel. An asynchronous one (is_async) returns at once and calls `done`
  // exactly once, on any thread, under no lock, possibly before it returns;
  // `ctx` lives until then.
  virtual Status Run(KernelContext& ctx) const = 0;
  virtual void RunAsync(KernelContext& ctx, Done done) const = 0;
  virtual bool is_async() const = 0;
};

namespace internal {

template <class K>
concept AsyncKernel = requires(const K& k, KernelContext& ctx, Done done) {
  k.RunAsync(ctx, std::move(done));
};

template <class K>
class KernelOf final : public Kernel {
 public:
  template <class... A>
  explicit KernelOf(A&&... a) : k_(std::forward<A>(a)...) {}
  Status Run(KernelContext& ctx) const override {
    if constexpr (AsyncKernel<K>) {
      return Internal("asynchronous kernel run synchronously");
    } else {
      return k_.Run(ctx);
    }
  }
  void RunAsync(KernelContext& ctx, Done done) const override {
    if constexpr (AsyncKernel<K>) {
      k_.RunAsync(ctx, std::move(done));
    } else {
      std::move(done)(k_.Run(ctx));
    }
  }
  bool is_async() const override { return AsyncKernel<K>; }

 private:
  K k_;
};

template <class K>
class KernelOfPointer final : public Kernel {
 public:
  explicit KernelOfPointer(std::unique_ptr<K> k) : k_(std::move(k)) {}
  Status Run(KernelContext& ctx) const override {
    if constexpr (AsyncKernel<K>) {
      return Internal("asynchronous kernel run synchronously");
    } else {
      return k_->Run(ctx);
    }
  }
  void RunAsync(KernelContext& ctx, Done done) const override {
    if constexpr (AsyncKernel<K>) {
      k_->RunAsync(ctx, std::move(done));
    } else {
      std::move(done)(k_->Run(ctx));
    }
  }
  bool is_async() const override { return AsyncKernel<K>; }

 private:
  std::unique_ptr<K> k_;
};

template <class T>
struct MadeType;
template <class T>
struct MadeType<StatusOr<T>> {
  using type = T;
};

}  // namespace internal

using KernelMaker = StatusOr<std::unique_ptr<Kernel>> (*)(const KernelInit&);

// Makes a kernel of class K, which has
//   static StatusOr<K> Make(const KernelInit&);   (or StatusOr<unique_ptr<K>>,
//                                                  for classes that don't move)
// or is default-constructible, and
//   Status Run(KernelContext&) const;   or   void RunAsync(KernelContext&,
//   Done) const;
template <class K>
StatusOr<std::unique_ptr<Kernel>> MakeKernel(const KernelInit& init) {
  if constexpr (requires { K::Make(init); }) {
    auto made = K::Make(init);
    if (!made.ok()) return made.status();
    using M = typename internal::MadeType<decltype(made)>::type;
    if constexpr (std::is_same_v<M, K>) {
      return std::unique_ptr<Kernel>(
          new internal::KernelOf<K>(*std::move(made)));
    } else {
      return std::unique_ptr<Kernel>(
          new internal::KernelOfPointer<K>(*std::move(made)));
    }
  } else {
    return std::unique_ptr<Kernel>(new internal::KernelOf<K>());
  }
}

// Makes a kernel without attributes or state: a plain function.
template <Status (*kFunction)(KernelContext&)>
StatusOr<std::unique_ptr<Kernel>> MakeFunctionKernel(const KernelInit&) {
  struct K {
    Status Run(KernelContext& ctx) const { return kFunction(ctx); }
  };
  return std::unique_ptr<Kernel>(new internal::KernelOf<K>());
}

}  // namespace millrace
