#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/checkpoint/records/lmdb_reader.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/database/row_iterator.h"

namespace millrace::ops {
namespace {

using LmdbFiles = std::shared_ptr<const std::vector<std::string>>;

class LmdbSource final : public DatabaseRows {
 public:
  explicit LmdbSource(LmdbFiles files) : files_(std::move(files)) {}

  StatusOr<bool> Next(IteratorRuntime& runtime, Element* row) override {
    std::string key, value;
    while (file_ < files_->size()) {
      if (reader_ == nullptr) {
        MR_ASSIGN_OR_RETURN(
            reader_, LmdbReader::Open(runtime.files(), (*files_)[file_]));
      }
      const StatusOr<bool> found = reader_->Next(&key, &value);
      if (!found.ok() || !*found) {
        // Nothing can be found behind a damaged page.
        reader_ = nullptr;
        ++file_;
        MR_RETURN_IF_ERROR(found.status());
        continue;
      }
      row->clear();
      for (const std::string& text : {key, value}) {
        MR_ASSIGN_OR_RETURN(
            Tensor t, Tensor::Allocate(runtime.allocator(), DataType::kString,
                                       TensorShape()));
        t.mutable_flat<StringElement>()[0].Assign(text);
        row->push_back(std::move(t));
      }
      return true;
    }
    return false;
  }

 private:
  const LmdbFiles files_;
  size_t file_ = 0;
  std::unique_ptr<LmdbReader> reader_;
};

class LmdbDataset final : public DatasetValue {
 public:
  explicit LmdbDataset(LmdbFiles files)
      : DatasetValue({{DataType::kString, DataType::kString},
                      {PartialShape({}), PartialShape({})}},
                     1),
        files_(std::move(files)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(
        std::make_unique<RowIterator>(std::make_unique<LmdbSource>(files_)));
  }

 private:
  const LmdbFiles files_;
};

StatusOr<Ref<DatasetValue>> BuildLmdb(KernelContext& ctx) {
  const Tensor& names = ctx.input(0);
  if (names.rank() > 1) {
    return InvalidArgument("`filenames` must be a scalar or a vector.");
  }
  auto files = std::make_shared<std::vector<std::string>>();
  for (const StringElement& name : names.flat<StringElement>()) {
    files->push_back(name.str());
  }
  return Ref<DatasetValue>(MakeRef<LmdbDataset>(std::move(files)));
}

}  // namespace

MR_KERNELS(LMDBDataset, Cpu){MR_DATASET_KERNEL(BuildLmdb)};
MR_KERNELS(ExperimentalLMDBDataset, Cpu){MR_DATASET_KERNEL(BuildLmdb)};

}  // namespace millrace::ops
