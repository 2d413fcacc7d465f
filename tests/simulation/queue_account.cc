#include "tests/simulation/queue_account.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace millrace::sim {

void QueueAccount::Enter(int life) {
  if (life == life_) return;
  life_ = life;
  doubts_.erase(doubts_.begin(), doubts_.lower_bound(life));
}

std::vector<int64_t> QueueAccount::Begin(int64_t count) {
  ++tick_;
  std::vector<int64_t> numbers;
  for (; count > 0; --count) {
    Element& e = elements_[next_];
    e.first_life = e.last_life = life_;
    e.begun = tick_;
    numbers.push_back(next_++);
  }
  return numbers;
}

Status QueueAccount::PutIn(const std::vector<int64_t>& numbers, int from) {
  ++tick_;
  for (const int64_t number : numbers) {
    Element& e = elements_[number];
    if (e.state != State::kOut) e.state = State::kIn;
    e.last_life = life_;
    e.in = tick_;
  }
  return SeenOpen(from);
}

void QueueAccount::MaybeIn(const std::vector<int64_t>& numbers) {
  for (const int64_t number : numbers) elements_[number].last_life = life_;
}

void QueueAccount::NotIn(const std::vector<int64_t>& numbers) {
  for (const int64_t number : numbers) {
    Element& e = elements_[number];
    if (e.state != State::kOut) e.state = State::kNever;
  }
}

QueueAccount::Take QueueAccount::BeginTake() { return {++tick_, life_}; }

Status QueueAccount::TakenOut(const std::vector<int64_t>& numbers,
                              const Take& take) {
  for (const int64_t number : numbers) {
    const auto found = elements_.find(number);
    if (found == elements_.end()) {
      return Internal("queue: an element came out that nobody has put in: ",
                      number);
    }
    Element& e = found->second;
    if (e.state == State::kOut) {
      return Internal("queue: element ", number, " came out twice");
    }
    if (e.state == State::kNever) {
      return Internal("queue: element ", number,
                      " came out though it never went in");
    }
    if (e.last_life < take.life) {
      return Internal("queue: element ", number, " of life ", e.last_life,
                      " came out in life ", take.life);
    }
    MR_RETURN_IF_ERROR(CheckOrder(number, e, take));
    e.state = State::kOut;
    newest_out_ = std::max(newest_out_, number);
  }
  return OkStatus();
}

// An element that was certainly in before the enqueue of another one began must
// be dequeued before it; in a priority queue, if it is smaller.
Status QueueAccount::CheckOrder(int64_t number, const Element& e,
                                const Take& take) const {
  switch (kind_) {
    case QueueKind::kShuffle:
      return OkStatus();
    case QueueKind::kFifo:
    case QueueKind::kPadding: {
      const auto newest = elements_.find(newest_out_);
      if (newest == elements_.end()) return OkStatus();
      const int64_t begun = newest->second.begun;
      if (e.in >= begun && (e.begun != begun || number > newest_out_)) {
        return OkStatus();
      }
      return Internal("queue: element ", number, " came out after ",
                      newest_out_, ", which was put in later");
    }
    case QueueKind::kPriority:
      break;
  }
  if (take.life != life_ || doubts() > 0) return OkStatus();
  for (const auto& [other, o] : elements_) {
    if (Sure(o) && o.in < take.tick && PriorityOf(other) < PriorityOf(number)) {
      return Internal("queue: element ", number, " came out before ", other,
                      ", whose priority is smaller");
    }
  }
  return OkStatus();
}

Status QueueAccount::Ended(int64_t n, const Take& take) {
  MR_RETURN_IF_ERROR(SeenClosed(take.life));
  if (take.life != life_) return OkStatus();
  return CheckLoss(n - 1, "when a dequeue found the closed queue's end");
}

void QueueAccount::MaybeTaken(int64_t n) { doubts_[life_] += n; }

void QueueAccount::Closed(int from, bool sure) {
  maybe_closed_life_ = life_;
  if (sure && from == life_) closed_life_ = life_;
}

Status QueueAccount::SeenClosed(int from) {
  if (from > maybe_closed_life_) {
    return Internal("queue: it is closed, and nobody has closed it");
  }
  if (from == life_) closed_life_ = life_;
  return OkStatus();
}

Status QueueAccount::SeenOpen(int from) {
  if (from == life_ && closed()) {
    return Internal("queue: it is open after it was closed");
  }
  return OkStatus();
}

int64_t QueueAccount::doubts() const {
  int64_t sum = 0;
  for (const auto& [life, count] : doubts_) sum += count;
  return sum;
}

int64_t QueueAccount::most() const {
  return std::count_if(elements_.begin(), elements_.end(), [&](const auto& e) {
    const State state = e.second.state;
    return (state == State::kIn || state == State::kMaybe) &&
           e.second.last_life >= life_;
  });
}

bool QueueAccount::exact() const {
  return doubts() == 0 &&
         std::all_of(elements_.begin(), elements_.end(), [&](const auto& e) {
           return e.second.last_life < life_ || e.second.state != State::kMaybe;
         });
}

Status QueueAccount::CheckSize(int64_t size, int from) const {
  if (from != life_ || size <= most()) return OkStatus();
  return Internal("queue: it has ", size, " elements, of which only ", most(),
                  " were put in");
}

Status QueueAccount::CheckLoss(int64_t left, const char* when) const {
  int64_t sure = 0;
  std::string names;
  for (const auto& [number, e] : elements_) {
    if (!Sure(e)) continue;
    ++sure;
    absl::StrAppend(&names, " ", number);
  }
  if (sure - doubts() <= left) return OkStatus();
  return Internal("queue: ", when, " ", sure, " elements were missing (", names,
                  " ), ", doubts(), " of them may have been taken, ", left,
                  " may be left");
}

Status QueueAccount::Emptied() {
  Status status = CheckLoss(0, "after all was taken out");
  for (auto& [number, e] : elements_) {
    if (e.state == State::kIn) e.state = State::kOut;
    if (e.state == State::kMaybe) e.state = State::kNever;
  }
  doubts_.clear();
  return status;
}

}  // namespace millrace::sim
