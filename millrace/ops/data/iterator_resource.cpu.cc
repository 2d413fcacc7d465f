#include "millrace/ops/data/iterator_resource.h"

#include <utility>

#include "millrace/kernel/component_types.h"
#include "millrace/kernel/resource_handle.h"

namespace millrace::ops {

StatusOr<ElementSignature> IteratorResource::OptionsFrom(
    const KernelInit& init) {
  ElementSignature s;
  MR_ASSIGN_OR_RETURN(s.types, init.Attr<AttrValue::TypeList>("output_types"));
  MR_ASSIGN_OR_RETURN(s.shapes,
                      init.Attr<AttrValue::ShapeList>("output_shapes"));
  return s;
}

Status IteratorResource::CheckOptions(const Options& options) const {
  MR_RETURN_IF_ERROR(CheckTypes(signature_.types, options.types));
  return CheckShapes(signature_.shapes, options.shapes);
}

IteratorResource::~IteratorResource() { OnRemoved(); }

std::string IteratorResource::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat("iterator of ", TypesText(signature_.types),
                      run_ == nullptr ? ", not initialized" : "");
}

void IteratorResource::OnRemoved() {
  std::shared_ptr<IteratorRun> run;
  {
    MutexLock lock(mu_);
    removed_ = true;
    run = std::move(run_);
  }
  if (run != nullptr) {
    run->Close(
        Cancelled("The operation was cancelled: its iterator was removed"));
  }
}

Status IteratorResource::SetDataset(KernelContext& ctx,
                                    const DatasetRef& dataset, Begins begins) {
  return Begin(ctx, dataset, begins, nullptr);
}

Status IteratorResource::Restore(KernelContext& ctx,
                                 Ref<const IteratorStateValue> state) {
  MR_ASSIGN_OR_RETURN(const auto run, Run("Restore", "restoring it."));
  const DatasetRef dataset = run->dataset();
  if (dataset == nullptr) return Cancelled("the iterator was removed");
  return Begin(ctx, dataset, Begins::kAnew, std::move(state));
}

Status IteratorResource::Begin(KernelContext& ctx, const DatasetRef& dataset,
                               Begins begins,
                               Ref<const IteratorStateValue> state) {
  MR_RETURN_IF_ERROR(CheckTypes(signature_.types, dataset->signature().types));
  MR_RETURN_IF_ERROR(
      CheckShapes(signature_.shapes, dataset->signature().shapes));
  std::shared_ptr<IteratorRuntime> runtime = IteratorRuntime::Make(ctx);
  MR_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> iterator,
                      runtime->MakeIterator(*dataset));
  if (state != nullptr) {
    StateReader reader(std::move(state), *runtime);
    MR_RETURN_IF_ERROR(iterator->Restore(reader, ""));
  }
  std::shared_ptr<IteratorRun> run =
      IteratorRun::Make(std::move(runtime), dataset, std::move(iterator));
  {
    MutexLock lock(mu_);
    if (!removed_ && !(begins == Begins::kOnce && run_ != nullptr)) {
      run.swap(run_);
    }
  }
  // `run` is the old run, or the new one if a reset came first.
  if (run != nullptr) run->Retire();
  return OkStatus();
}

bool IteratorResource::begun() const {
  MutexLock lock(mu_);
  return run_ != nullptr;
}

StatusOr<std::shared_ptr<IteratorRun>> IteratorResource::Run(
    absl::string_view verb, absl::string_view doing) {
  MutexLock lock(mu_);
  if (run_ != nullptr) return run_;
  return FailedPrecondition(
      verb,
      "() failed because the iterator has not been initialized. Ensure that "
      "you have run the initializer operation for this iterator before ",
      doing);
}

void IteratorResource::GetNext(KernelContext& ctx, IteratorRun::NextDone done) {
  const auto run = Run("GetNext", "getting the next element.");
  if (!run.ok()) return std::move(done)(run.status());
  (*run)->GetNext(ctx, absl::StrCat("next element of iterator ", name_),
                  std::move(done));
}

void IteratorResource::Save(KernelContext& ctx, VariantElement* state,
                            Done done) {
  const auto run = Run("Save", "saving it.");
  if (!run.ok()) return std::move(done)(run.status());
  (*run)->RunExclusively(
      ctx, absl::StrCat("iterator ", name_, " to be idle"),
      [state](DatasetIterator& iterator) -> Status {
        StateWriter writer;
        MR_RETURN_IF_ERROR(iterator.Save(writer, ""));
        MR_ASSIGN_OR_RETURN(*state, writer.Take());
        return OkStatus();
      },
      std::move(done));
}

StatusOr<Ref<IteratorResource>> IteratorOfInput(KernelContext& ctx, int i) {
  if (Ref<IteratorResource> owned = OwnedByInput<IteratorResource>(ctx, i)) {
    return owned;
  }
  return LookupInput<IteratorResource>(ctx, i);
}

}  // namespace millrace::ops
