#include "millrace/base/json/json.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/json/json_reader.h"

namespace millrace {
namespace {

StatusOr<Json> ReadJson(JsonReader& in);

StatusOr<Json> ReadJsonArray(JsonReader& in) {
  Json::Array out;
  MR_RETURN_IF_ERROR(in.Array([&]() -> Status {
    MR_ASSIGN_OR_RETURN(Json value, ReadJson(in));
    out.push_back(std::move(value));
    return OkStatus();
  }));
  return Json(std::move(out));
}

StatusOr<Json> ReadJsonObject(JsonReader& in) {
  Json::Object out;
  MR_RETURN_IF_ERROR(in.Object([&](std::string key) -> Status {
    if (out.contains(key)) {
      return in.Malformed(absl::StrCat("the key \"", key, "\" comes twice"));
    }
    MR_ASSIGN_OR_RETURN(Json value, ReadJson(in));
    out.emplace(std::move(key), std::move(value));
    return OkStatus();
  }));
  return Json(std::move(out));
}

StatusOr<Json> ReadJson(JsonReader& in) {
  if (in.AtEnd()) return in.Malformed("expected a value, but the text ends");
  switch (in.Peek()) {
    case '{':
      return ReadJsonObject(in);
    case '[':
      return ReadJsonArray(in);
    case '"': {
      MR_ASSIGN_OR_RETURN(std::string text, in.String());
      return Json(std::move(text));
    }
  }
  if (in.TakeWord("true")) return Json(true);
  if (in.TakeWord("false")) return Json(false);
  if (in.TakeWord("null")) return Json();
  const StatusOr<absl::string_view> number = in.Number();
  double value = 0;
  if (!number.ok() || !absl::SimpleAtod(*number, &value)) {
    return in.Malformed(
        "expected a value: \"text\", a number, true, false, null, [...] or "
        "{...}");
  }
  return Json(value);
}

}  // namespace

StatusOr<Json> Json::Parse(absl::string_view text) {
  JsonReader in(text);
  MR_ASSIGN_OR_RETURN(Json value, ReadJson(in));
  MR_RETURN_IF_ERROR(in.ExpectEnd());
  return value;
}

const Json* Json::Find(absl::string_view key) const {
  const Object* o = object();
  if (o == nullptr) return nullptr;
  const auto it = o->find(std::string(key));
  return it == o->end() ? nullptr : &it->second;
}

absl::string_view Json::KindName() const {
  constexpr absl::string_view kNames[] = {
      "null", "true or false", "a number", "a text", "a list", "an object"};
  return kNames[value_.index()];
}

}  // namespace millrace
