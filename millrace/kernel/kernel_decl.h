// Declares kernels, and builds the table of them.
//
//   MR_KERNELS(BiasAdd, Cpu) {
//     {.types = "T: float", .make = MakeKernel<BiasAddOneDnn>},
//     {.types = "T: half, bfloat16, double, ...", .make =
//     MakeKernel<BiasAddCpu>},
//   };
//
// Ordered best first; the first entry whose constraints fit a node is taken.
// The device, Cpu or Gpu, is the type of the devices that run them; each has a
// table of its own (kernel/all_kernels.h), made from the files *.cpu.cc or
// *.gpu.cc.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "millrace/kernel/elementwise_function.h"
#include "millrace/kernel/kernel.h"

namespace millrace {

// A maker for KernelEntry::make, on devices with memory of their own: the node
// runs by the CPU's kernel, with its `views` and `cheap`. An argument that is
// not in `host` is a tensor on the device, which it may hand on, keep, ask for
// its shape, or write by Allocator::Copy and Clear. Temporary tensors are on
// the device unless all arguments lie in host memory.
StatusOr<std::unique_ptr<Kernel>> OnHost(const KernelInit& init);

struct KernelEntry {
  // Allowed types by attribute: "T: float, double; Tidx: int32". An attribute
  // that is not listed may have any type of the schema; for a list(type), each
  // element must be allowed. Besides types: realnumbertype (half, bfloat16,
  // float, double and all integers) and numbertype (these and complex types);
  // quantized types are always listed.
  const char* types = "";
  KernelMaker make = nullptr;
  // The op as a function of spans, if it is one: such nodes can run together in
  // one pass over memory (pass/fuse_nodes.h).
  ElementwiseMaker elementwise = nullptr;
  // On a device with memory of its own: names of arguments that lie in host
  // memory, separated by ", ". "*": all; "int32": those of that type. Strings,
  // resources and variants always do.
  const char* host = "";
  // Names of adjacent arguments, separated by ", ", that the kernel takes as
  // views of variables (kernel/variable_view.h): it passes the buffer on where
  // TensorFlow's kernel does, reads parts of it, or else binds it itself. All
  // other arguments are bound when the kernel starts.
  const char* views = "";
  // Whether it may run inline on the thread that made it ready (it moves no
  // data, or only a few bytes). Of an asynchronous kernel: whether it may start
  // there.
  bool cheap = false;
  // Whether nodes are placed there only if the program asks for that type of
  // device: elsewhere the op is faster.
  bool only_if_asked = false;
};

// The kernel for GPUs of ops that TensorFlow has one of, and that have none of
// their own here: what a program places on a GPU is computed by the CPU's
// kernel, and values are copied.
inline constexpr KernelEntry kOnHostIfAsked = {
    .make = OnHost, .host = "*", .only_if_asked = true};

inline constexpr int kMaxKernelEntries = 8;

struct KernelEntries {
  KernelEntry entries[kMaxKernelEntries];
  constexpr KernelEntries(KernelEntry a, KernelEntry b = {}, KernelEntry c = {},
                          KernelEntry d = {}, KernelEntry e = {},
                          KernelEntry f = {}, KernelEntry g = {},
                          KernelEntry h = {})
      : entries{a, b, c, d, e, f, g, h} {}
};

struct KernelDecl {
  const char* op;
  const char* device_type;  // "CPU", "GPU"
  KernelEntries list;
};

namespace internal {
struct KernelName {
  const char* op;
  const char* device_type;
};
constexpr KernelDecl operator|(KernelName name, KernelEntries list) {
  return {name.op, name.device_type, list};
}
inline constexpr char kKernelDeviceCpu[] = "CPU";
inline constexpr char kKernelDeviceGpu[] = "GPU";
}  // namespace internal

// Kernels by op and device type, a value that is built from declarations.
// Immutable once built.
class KernelTable {
 public:
  struct Constraint {
    std::string attr;
    std::vector<DataType> types;
  };
  struct Row {
    const KernelEntry* entry;
    std::vector<Constraint> constraints;

    // Returns whether the attributes' types are allowed.
    bool Fits(const AttrMap& attrs) const;
    // Returns null if the attribute may have any type of the schema.
    const std::vector<DataType>* Types(absl::string_view attr) const;
    // Returns whether argument `name`, if its type is `type`, lies in host
    // memory on a device with memory of its own.
    bool IsHost(absl::string_view name, DataType type) const;
  };

  // Returns INVALID_ARGUMENT for malformed types and for duplicate
  // declarations.
  static StatusOr<KernelTable> Build(absl::Span<const KernelDecl* const> decls);

  // Returns the row for a node on a device type; NOT_FOUND as Find.
  StatusOr<const Row*> FindRow(absl::string_view device_type, const OpDef& op,
                               const AttrMap& attrs) const;
  // Returns the entry for a node on a device type; NOT_FOUND "No OpKernel was
  // registered to support Op 'X' ..." with the registered types.
  StatusOr<const KernelEntry*> Find(absl::string_view device_type,
                                    const OpDef& op,
                                    const AttrMap& attrs) const;
  bool Has(absl::string_view device_type, const OpDef& op,
           const AttrMap& attrs) const;
  bool HasOp(absl::string_view device_type, absl::string_view op) const;
  // Returns all entries, best first; empty if there are none.
  absl::Span<const Row> Rows(absl::string_view device_type,
                             absl::string_view op) const;
  // Returns lines like "  device='CPU'; T in [DT_FLOAT, DT_DOUBLE]", for
  // messages.
  std::string Describe(absl::string_view op) const;
  // Returns the NOT_FOUND of Find, for a node of a graph and the available
  // devices. An empty node name is left out.
  Status NoKernel(absl::string_view op, absl::string_view node_name,
                  const AttrMap& attrs,
                  absl::Span<const std::string> device_types) const;

 private:
  absl::flat_hash_map<std::string, std::vector<Row>> rows_;  // "CPU/MatMul"
};

}  // namespace millrace

#define MR_KERNELS(Name, Device)                                        \
  extern const ::millrace::KernelDecl mr_kernels_##Name##_##Device;     \
  constinit const ::millrace::KernelDecl mr_kernels_##Name##_##Device = \
      ::millrace::internal::KernelName{                                 \
          #Name, ::millrace::internal::kKernelDevice##Device} |         \
      ::millrace::KernelEntries
