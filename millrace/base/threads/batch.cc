#include "millrace/base/threads/batch.h"

#include <utility>

namespace millrace {
namespace {

constinit thread_local void* current = nullptr;  // the outermost's writers

}  // namespace

Batch::Batch() : outermost_(current == nullptr) {
  if (outermost_) current = &writers_;
}

Batch::~Batch() {
  if (!outermost_) return;
  current = nullptr;
  Flush(writers_);
}

bool Batch::Defer(Flushable* writer) {
  if (current == nullptr) return false;
  static_cast<Writers*>(current)->push_back(Ref<Flushable>::Share(writer));
  return true;
}

void Batch::FlushAll() {
  if (current == nullptr) return;
  auto* writers = static_cast<Writers*>(current);
  if (!writers->empty()) Flush(*writers);
}

void Batch::Flush(Writers& writers) {
  Writers taken;
  taken.swap(writers);
  for (const Ref<Flushable>& writer : taken) writer->Flush();
}

}  // namespace millrace
