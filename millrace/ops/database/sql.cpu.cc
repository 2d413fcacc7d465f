#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/database/row_iterator.h"
#include "millrace/ops/database/sqlite_database.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

struct SqlQuery {
  std::string source, text;
  std::vector<DataType> types;
};

class SqlSource final : public DatabaseRows {
 public:
  explicit SqlSource(std::shared_ptr<const SqlQuery> query)
      : query_(std::move(query)) {}

  StatusOr<bool> Next(IteratorRuntime& runtime, Element* row) override {
    if (ended_) return false;
    const CancelScope* const scope = runtime.scope().get();
    if (!statement_) MR_RETURN_IF_ERROR(Start(runtime));
    database_->EndWith(scope);
    StatusOr<bool> found = statement_->Step();
    database_->EndWith(nullptr);
    if (!found.ok()) {
      Stop();
      return scope->cancelled() ? scope->status() : found.status();
    }
    if (!*found) {
      ended_ = true;
      Stop();
      return false;
    }
    row->clear();
    for (size_t i = 0; i < query_->types.size(); ++i) {
      MR_ASSIGN_OR_RETURN(Tensor t, Column(runtime, static_cast<int>(i)));
      row->push_back(std::move(t));
    }
    return true;
  }

 private:
  Status Start(IteratorRuntime& runtime) {
    Stop();
    MR_ASSIGN_OR_RETURN(SqliteDatabase database,
                        SqliteDatabase::Open(runtime.files(), query_->source,
                                             SqliteDatabase::Access::kRead));
    database.Confine();
    database_.emplace(std::move(database));
    database_->EndWith(runtime.scope().get());
    StatusOr<SqliteStatement> statement = database_->Prepare(query_->text);
    database_->EndWith(nullptr);
    if (!statement.ok()) {
      Stop();
      return statement.status();
    }
    statement_.emplace(*std::move(statement));
    const auto columns = static_cast<size_t>(statement_->columns());
    if (columns == query_->types.size()) return OkStatus();
    Stop();
    return InvalidArgument("The number of columns in query (", columns,
                           ") must match the number of elements in "
                           "output_types (",
                           query_->types.size(), ").");
  }
  void Stop() {
    statement_.reset();
    database_.reset();
  }

  // Returns a value as SQLite converts it; integers lose what does not fit.
  StatusOr<Tensor> Column(IteratorRuntime& runtime, int i) const {
    const DataType type = query_->types[static_cast<size_t>(i)];
    MR_ASSIGN_OR_RETURN(
        Tensor t, Tensor::Allocate(runtime.allocator(), type, TensorShape()));
    if (type == DataType::kString) {
      t.mutable_flat<StringElement>()[0].Assign(statement_->Text(i));
    } else if (type == DataType::kDouble) {
      t.mutable_flat<double>()[0] = statement_->Double(i);
    } else if (type == DataType::kBool) {
      t.mutable_flat<bool>()[0] = statement_->Int(i) != 0;
    } else {
      MR_RETURN_IF_ERROR(
          Dispatch(IntegerTypes{}, type, [&]<class T>() -> Status {
            t.mutable_flat<T>()[0] = static_cast<T>(statement_->Int(i));
            return OkStatus();
          }));
    }
    return t;
  }

  const std::shared_ptr<const SqlQuery> query_;
  std::optional<SqliteDatabase> database_;
  std::optional<SqliteStatement> statement_;  // of database_
  bool ended_ = false;
};

class SqlRows final : public DatasetValue {
 public:
  SqlRows(ElementSignature signature, std::shared_ptr<const SqlQuery> query)
      : DatasetValue(std::move(signature), 1), query_(std::move(query)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(
        std::make_unique<RowIterator>(std::make_unique<SqlSource>(query_)));
  }

 private:
  const std::shared_ptr<const SqlQuery> query_;
};

Status CheckColumnTypes(const ElementSignature& signature) {
  constexpr DataType kTypes[] = {
      DataType::kString, DataType::kInt8,  DataType::kInt16,
      DataType::kInt32,  DataType::kInt64, DataType::kUint8,
      DataType::kUint16, DataType::kBool,  DataType::kDouble};
  for (const DataType type : signature.types) {
    if (std::find(std::begin(kTypes), std::end(kTypes), type) ==
        std::end(kTypes)) {
      return InvalidArgument(
          "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, "
          "DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_BOOL, "
          "DT_DOUBLE ");
    }
  }
  for (const PartialShape& shape : signature.shapes) {
    if (shape.rank() != 0) {
      return InvalidArgument(
          "Each element of `output_shapes_` must be a scalar.");
    }
  }
  return OkStatus();
}

StatusOr<Ref<DatasetValue>> BuildSql(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(ElementSignature signature, SignatureOf(ctx));
  MR_RETURN_IF_ERROR(CheckColumnTypes(signature));
  MR_ASSIGN_OR_RETURN(const std::string driver,
                      StringInput(ctx, 0, "driver_name"));
  auto query = std::make_shared<SqlQuery>();
  MR_ASSIGN_OR_RETURN(query->source, StringInput(ctx, 1, "data_source_name"));
  MR_ASSIGN_OR_RETURN(query->text, StringInput(ctx, 2, "query"));
  if (driver != "sqlite") {
    return InvalidArgument("The database type, ", driver,
                           ", is not supported by SqlDataset. The set of "
                           "supported databases is: {'sqlite'}.");
  }
  query->types = signature.types;
  return Ref<DatasetValue>(
      MakeRef<SqlRows>(std::move(signature), std::move(query)));
}

}  // namespace

MR_KERNELS(SqlDataset, Cpu){MR_DATASET_KERNEL(BuildSql)};
MR_KERNELS(ExperimentalSqlDataset, Cpu){MR_DATASET_KERNEL(BuildSql)};

}  // namespace millrace::ops
