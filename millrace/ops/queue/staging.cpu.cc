#include "millrace/ops/queue/staging.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "millrace/tensor/own_bytes.h"

namespace millrace::ops {
namespace {

// What a tuple takes beside the buffers of its tensors.
int64_t KeptBytes(const StagedTuple& tuple) {
  constexpr int64_t kPlace = 64;
  return kPlace + OwnBytes(tuple);
}

// Returns a callback that passes what was taken to `use` once the wait is over.
template <class Taken, class F>
Done UseThen(Ref<WaitingResource> alive, std::shared_ptr<Taken> taken, F use,
             Done done) {
  return Done([alive = std::move(alive), taken = std::move(taken),
               use = std::move(use),
               done = std::move(done)](Status status) mutable {
    if (status.ok()) status = use(*taken);
    std::move(done)(std::move(status));
  });
}

Status CheckIndices(const std::vector<int32_t>& indices, size_t parts,
                    int64_t key) {
  MR_RETURN_IF_ERROR(CheckIndexOrder(indices));
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || static_cast<size_t>(indices[i]) >= parts) {
      // Stock reads an index as a number without a sign.
      return InvalidArgument("Index '", static_cast<size_t>(indices[i]),
                             "' for key '", key, "' was out of bounds '", parts,
                             "'.");
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckIndexOrder(const std::vector<int32_t>& indices) {
  if (indices.empty()) return InvalidArgument("Indices are empty");
  for (size_t i = 1; i < indices.size(); ++i) {
    if (indices[i] <= indices[i - 1]) {
      return InvalidArgument("Indices are not strictly ordered");
    }
  }
  return OkStatus();
}

int64_t BytesOf(const StagedTuple& tuple) {
  int64_t bytes = 0;
  for (const Tensor& t : tuple) bytes += static_cast<int64_t>(t.size_bytes());
  return bytes;
}

Status StagingLimits::Check(int64_t bytes) const {
  if (memory_limit == 0 || bytes <= memory_limit) return OkStatus();
  return ResourceExhausted(
      "Attempted to insert tensors with combined size of '", bytes,
      "' bytes into Staging Area with a memory limit of '", memory_limit, "'.");
}

std::string StagingArea::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat("staging area of ", tuples_.size(), " tuples");
}

void StagingArea::Put(KernelContext& ctx, StagedTuple tuple, Done done) {
  const int64_t bytes = BytesOf(tuple);
  Status fits = limits_.Check(bytes);
  if (!fits.ok()) return std::move(done)(std::move(fits));
  Start(
      ctx, absl::StrCat("room in staging area ", name_), /*ordered=*/false,
      [this, tuple = std::move(tuple), bytes](Status* status) mutable {
        if (!limits_.Fits(tuples_.size(), bytes_, bytes)) return false;
        *status = kept_.Add(KeptBytes(tuple));
        if (!status->ok()) return true;
        bytes_ += bytes;
        tuples_.push_back(std::move(tuple));
        return true;
      },
      std::move(done));
}

void StagingArea::Get(KernelContext& ctx, StagedDone use, Done done) {
  auto taken = std::make_shared<StagedTuple>();
  Start(
      ctx, absl::StrCat("tuple of staging area ", name_), /*ordered=*/true,
      [this, taken](Status*) {
        if (tuples_.empty()) return false;
        *taken = std::move(tuples_.front());
        tuples_.pop_front();
        bytes_ -= BytesOf(*taken);
        kept_.Remove(KeptBytes(*taken));
        return true;
      },
      UseThen(
          Ref<WaitingResource>::Share(this), taken,
          [use = std::move(use)](StagedTuple& t) mutable {
            return use(std::move(t));
          },
          std::move(done)));
}

void StagingArea::Peek(KernelContext& ctx, int64_t index, StagedDone use,
                       Done done) {
  auto taken = std::make_shared<StagedTuple>();
  Start(
      ctx, absl::StrCat("tuple ", index, " of staging area ", name_),
      /*ordered=*/false,
      [this, taken, index](Status* status) {
        if (index < 0) {
          *status = InvalidArgument("index must be >= 0, got ", index);
          return true;
        }
        if (static_cast<int64_t>(tuples_.size()) <= index) return false;
        *taken = tuples_[static_cast<size_t>(index)];
        return true;
      },
      UseThen(
          Ref<WaitingResource>::Share(this), taken,
          [use = std::move(use)](StagedTuple& t) mutable {
            return use(std::move(t));
          },
          std::move(done)));
}

int64_t StagingArea::size() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(tuples_.size());
}

void StagingArea::Clear() {
  {
    MutexLock lock(mu_);
    tuples_.clear();
    bytes_ = 0;
    kept_.Clear();
  }
  StateChanged();
}

std::string MapStagingArea::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat("staging area of ", complete_.size(), " tuples, ",
                      incomplete_.size(), " incomplete");
}

void MapStagingArea::Put(KernelContext& ctx, int64_t key,
                         std::vector<int32_t> indices, StagedTuple values,
                         Done done) {
  const int64_t bytes = BytesOf(values);
  Status fits = CheckIndices(indices, parts_, key);
  if (fits.ok()) fits = limits_.Check(bytes);
  if (!fits.ok()) return std::move(done)(std::move(fits));
  Start(
      ctx, absl::StrCat("room in staging area ", name_), /*ordered=*/false,
      [this, key, indices = std::move(indices), values = std::move(values),
       bytes](Status* status) mutable {
        // Parts that complete a tuple that has begun are let in.
        if (!limits_.Fits(incomplete_.contains(key) ? 0 : complete_.size(),
                          bytes_, bytes)) {
          return false;
        }
        *status = PutLocked(key, indices, values);
        return true;
      },
      std::move(done));
}

Status MapStagingArea::PutLocked(int64_t key,
                                 const std::vector<int32_t>& indices,
                                 StagedTuple& values) {
  if (complete_.contains(key)) {
    return InvalidArgument("The tuple for key '", key, "' is there already.");
  }
  auto at = incomplete_.find(key);
  const StagedTuple missing(at == incomplete_.end() ? parts_ : 0);
  for (int32_t index : indices) {
    if (at != incomplete_.end() &&
        at->second[static_cast<size_t>(index)].valid()) {
      return InvalidArgument("The tensor for index '", index, "' for key '",
                             key, "' was already initialized '", parts_, "'.");
    }
  }
  MR_RETURN_IF_ERROR(kept_.Add(OwnBytes(values) -
                               OwnBytes(StagedTuple(values.size())) +
                               (missing.empty() ? 0 : KeptBytes(missing))));
  if (at == incomplete_.end()) at = incomplete_.emplace(key, missing).first;
  StagedTuple& tuple = at->second;
  bytes_ += BytesOf(values);
  for (size_t i = 0; i < indices.size(); ++i) {
    tuple[static_cast<size_t>(indices[i])] = std::move(values[i]);
  }
  if (std::all_of(tuple.begin(), tuple.end(),
                  [](const Tensor& t) { return t.valid(); })) {
    complete_.emplace(key, std::move(tuple));
    incomplete_.erase(at);
  }
  return OkStatus();
}

void MapStagingArea::Get(
    KernelContext& ctx, std::optional<int64_t> key,
    std::vector<int32_t> indices, bool take,
    absl::AnyInvocable<Status(int64_t key, StagedTuple)> use, Done done) {
  Status fits = CheckIndices(indices, parts_, key.value_or(0));
  if (!fits.ok()) return std::move(done)(std::move(fits));
  auto taken = std::make_shared<std::pair<int64_t, StagedTuple>>();
  Start(
      ctx,
      key ? absl::StrCat("key ", *key, " of staging area ", name_)
          : absl::StrCat("tuple of staging area ", name_),
      /*ordered=*/false,
      [this, key, indices = std::move(indices), take, taken](Status* status) {
        const auto at = key ? complete_.find(*key) : complete_.begin();
        if (at == complete_.end()) return false;
        taken->first = at->first;
        *status = GetLocked(at, indices, take, &taken->second);
        return true;
      },
      UseThen(
          Ref<WaitingResource>::Share(this), taken,
          [use = std::move(use)](std::pair<int64_t, StagedTuple>& t) mutable {
            return use(t.first, std::move(t.second));
          },
          std::move(done)));
}

Status MapStagingArea::GetLocked(Map::iterator at,
                                 const std::vector<int32_t>& indices, bool take,
                                 StagedTuple* out) {
  StagedTuple& tuple = at->second;
  for (int32_t index : indices) {
    if (!tuple[static_cast<size_t>(index)].valid()) {
      return InvalidArgument("Tensor at index '", index, "' for key '",
                             at->first, "' has already been removed.");
    }
  }
  for (int32_t index : indices) {
    Tensor& part = tuple[static_cast<size_t>(index)];
    if (take) {
      bytes_ -= static_cast<int64_t>(part.size_bytes());
      kept_.Remove(OwnBytes(part) - OwnBytes(Tensor()));
      out->push_back(std::exchange(part, Tensor()));
    } else {
      out->push_back(part);
    }
  }
  if (std::none_of(tuple.begin(), tuple.end(),
                   [](const Tensor& t) { return t.valid(); })) {
    kept_.Remove(KeptBytes(tuple));
    complete_.erase(at);
  }
  return OkStatus();
}

int64_t MapStagingArea::size() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(complete_.size());
}

int64_t MapStagingArea::incomplete_size() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(incomplete_.size());
}

void MapStagingArea::Clear() {
  {
    MutexLock lock(mu_);
    complete_.clear();
    incomplete_.clear();
    bytes_ = 0;
    kept_.Clear();
  }
  StateChanged();
}

}  // namespace millrace::ops
