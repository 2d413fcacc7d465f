// LookupTable: the resource behind hash tables of all kinds, which map keys to
// values.
#pragma once

#include <string>

#include "millrace/kernel/kernel_context.h"
#include "millrace/kernel/resource.h"

namespace millrace::ops {

// Thread-safe. `ctx` provides memory, threads and cancellation. The functions
// Check... must have accepted the arguments, unless a table says otherwise.
class LookupTable : public Resource {
 public:
  // Stock's name of the class, for messages and handles.
  static constexpr absl::string_view kTypeName =
      "N10tensorflow6lookup15LookupInterfaceE";

  struct Signature {
    DataType key_dtype = DataType::kInvalid;
    DataType value_dtype = DataType::kInvalid;
    TensorShape key_shape;  // of one key
    TensorShape value_shape;
  };

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  const Signature& signature() const { return signature_; }

  virtual int64_t size() const = 0;
  // Sets `values`, which is allocated already, to the values of `keys`; a
  // missing key gets `defaults`: one value for all, or one for each.
  virtual Status Find(KernelContext& ctx, const Tensor& keys,
                      const Tensor& defaults, Tensor* values) const = 0;
  virtual Status Insert(KernelContext& ctx, const Tensor& keys,
                        const Tensor& values) = 0;
  // Removes keys; missing ones are ignored.
  virtual Status Remove(KernelContext& ctx, const Tensor& keys) = 0;
  // Replaces the contents. Arguments have the form of Export's results.
  virtual Status Import(KernelContext& ctx, const Tensor& keys,
                        const Tensor& values) = 0;
  virtual Status Export(KernelContext& ctx, Tensor* keys,
                        Tensor* values) const = 0;

  // Return INVALID_ARGUMENT "Input key shape ..." or "Expected shape ..." for
  // wrong arguments.
  Status CheckKeys(const Tensor& keys) const;
  Status CheckFind(const Tensor& keys, const Tensor& defaults) const;
  Status CheckInsert(const Tensor& keys, const Tensor& values) const;
  virtual Status CheckImport(const Tensor& keys, const Tensor& values) const {
    return CheckInsert(keys, values);
  }
  // Returns the shape of the values of `keys`. Requires: they have been
  // checked.
  StatusOr<TensorShape> ValuesShape(const Tensor& keys) const;

 protected:
  LookupTable(Signature signature, std::string name)
      : signature_(std::move(signature)), name_(std::move(name)) {}

 private:
  const Signature signature_;
  const std::string name_;
};

// Returns the shape of `keys` with the dimensions of one value in place of
// those of one key.
StatusOr<TensorShape> ReplaceKeyShape(const TensorShape& keys, int key_rank,
                                      const TensorShape& value);

}  // namespace millrace::ops
