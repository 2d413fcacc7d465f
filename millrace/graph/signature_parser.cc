// The parser of op signatures; the grammar is in op_decl.h.
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "millrace/base/utf8.h"
#include "millrace/graph/op_def.h"

namespace millrace {
namespace {

using TypeList = AttrValue::TypeList;

// In the order of TensorFlow's registry, which its messages show.
constexpr DataType kNumberTypes[] = {
    DataType::kFloat,      DataType::kDouble,  DataType::kInt32,
    DataType::kUint8,      DataType::kInt16,   DataType::kInt8,
    DataType::kComplex64,  DataType::kInt64,   DataType::kQint8,
    DataType::kQuint8,     DataType::kQint32,  DataType::kBfloat16,
    DataType::kQint16,     DataType::kQuint16, DataType::kUint16,
    DataType::kComplex128, DataType::kHalf,    DataType::kUint32,
    DataType::kUint64};
constexpr DataType kRealNumberTypes[] = {
    DataType::kFloat, DataType::kDouble,   DataType::kInt32,
    DataType::kUint8, DataType::kInt16,    DataType::kInt8,
    DataType::kInt64, DataType::kBfloat16, DataType::kUint16,
    DataType::kHalf,  DataType::kUint32,   DataType::kUint64};
constexpr DataType kQuantizedTypes[] = {DataType::kQint8, DataType::kQuint8,
                                        DataType::kQint32, DataType::kQint16,
                                        DataType::kQuint16};

// Schemas also name types that no kernel supports.
bool ParseAnyType(absl::string_view name, DataType* type) {
  if (ParseDataType(name, type)) return true;
  for (int i = kDataTypeLimit; i < kRefOffset; ++i) {
    if (DataTypeName(static_cast<DataType>(i)) == name) {
      *type = static_cast<DataType>(i);
      return true;
    }
  }
  return false;
}

// A cursor over one text of a declaration.
class Scanner {
 public:
  explicit Scanner(absl::string_view text) : text_(text) {}

  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  bool Peek(absl::string_view token) {
    SkipSpace();
    return absl::StartsWith(text_.substr(at_), token);
  }
  bool Take(absl::string_view token) {
    if (!Peek(token)) return false;
    at_ += token.size();
    return true;
  }
  Status Expect(absl::string_view token) {
    return Take(token) ? OkStatus() : Error(absl::StrCat("'", token, "'"));
  }
  // Returns letters, digits and '_'; empty if there are none.
  absl::string_view TakeWord() {
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && internal::IsWord(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  StatusOr<std::string> Name() {
    const absl::string_view word = TakeWord();
    if (!internal::IsName({word.data(), word.size()})) return Error("a name");
    return std::string(word);
  }
  bool PeekQuote() { return Peek("'") || Peek("\""); }
  StatusOr<std::string> Quoted();
  // Returns the characters of a number.
  absl::string_view TakeNumber() {
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (absl::ascii_isalnum(text_[at_]) || text_[at_] == '+' ||
            text_[at_] == '-' || text_[at_] == '.')) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  Status Error(absl::string_view expected) const {
    return InvalidArgument(
        "Malformed signature: expected ", expected, " at '",
        absl::StripLeadingAsciiWhitespace(text_.substr(at_)).substr(0, 40),
        "' in '", text_, "'");
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
  }
  absl::string_view text_;
  size_t at_ = 0;
};

// Parses a JSON string, or the same in single quotes.
StatusOr<std::string> Scanner::Quoted() {
  if (!PeekQuote()) return Error("a quoted string");
  const char quote = text_[at_++];
  std::string out;
  while (at_ < text_.size() && text_[at_] != quote) {
    char c = text_[at_++];
    if (c != '\\' || at_ == text_.size()) {
      out.push_back(c);
      continue;
    }
    c = text_[at_++];
    if (c == 'u') {
      uint32_t code = 0;
      if (at_ + 4 > text_.size() ||
          !absl::SimpleHexAtoi(text_.substr(at_, 4), &code)) {
        return Error("four hexadecimal digits");
      }
      at_ += 4;
      AppendCharacter(code, &out);
      continue;
    }
    constexpr absl::string_view kFrom = "bfnrt";
    constexpr absl::string_view kTo = "\b\f\n\r\t";
    const size_t i = kFrom.find(c);
    out.push_back(i == kFrom.npos ? c : kTo[i]);
  }
  if (at_ == text_.size()) return Error("a closing quote");
  ++at_;
  return out;
}

StatusOr<int64_t> ParseInt(Scanner& in) {
  int64_t v = 0;
  Scanner before = in;
  if (!absl::SimpleAtoi(in.TakeNumber(), &v)) return before.Error("an integer");
  return v;
}

StatusOr<float> ParseFloat(Scanner& in) {
  double v = 0;
  Scanner before = in;
  if (!absl::SimpleAtod(in.TakeNumber(), &v)) return before.Error("a number");
  return static_cast<float>(v);
}

StatusOr<bool> ParseBool(Scanner& in) {
  Scanner before = in;
  const absl::string_view word = in.TakeWord();
  if (word == "true") return true;
  if (word == "false") return false;
  return before.Error("true or false");
}

StatusOr<DataType> ParseType(Scanner& in) {
  Scanner before = in;
  std::string name;
  if (in.PeekQuote()) {
    MR_ASSIGN_OR_RETURN(name, in.Quoted());
  } else {
    name = std::string(in.TakeWord());
  }
  DataType type;
  if (!ParseAnyType(name, &type)) return before.Error("a dtype");
  return type;
}

// Parses [item, item], and calls `item` for each.
template <class Item>
Status ParseItems(Scanner& in, absl::string_view open, absl::string_view close,
                  Item item) {
  MR_RETURN_IF_ERROR(in.Expect(open));
  if (in.Take(close)) return OkStatus();
  do {
    MR_RETURN_IF_ERROR(item());
  } while (in.Take(","));
  return in.Expect(close);
}

// Appends the results of `parse` to a list.
template <class List, class Parse>
auto Into(List& list, Scanner& in, Parse parse) {
  return [&list, &in, parse]() -> Status {
    auto v = parse(in);
    if (!v.ok()) return v.status();
    list.push_back(*std::move(v));
    return OkStatus();
  };
}

StatusOr<PartialShape> ParseShape(Scanner& in) {
  if (in.Peek("n")) {
    if (in.TakeWord() == "null") return PartialShape();
    return in.Error("null or [");
  }
  std::vector<int64_t> dims;
  MR_RETURN_IF_ERROR(ParseItems(in, "[", "]", Into(dims, in, ParseInt)));
  return PartialShape::Make(dims);
}

StatusOr<AttrValue::Func> ParseFunc(Scanner& in) {
  std::string name;
  if (in.PeekQuote()) {
    MR_ASSIGN_OR_RETURN(name, in.Quoted());
  } else {
    MR_ASSIGN_OR_RETURN(name, in.Name());
  }
  return std::make_shared<const NameAttrList>(
      NameAttrList{std::move(name), {}});
}

template <class T, class V>
Tensor VectorOf(const std::vector<V>& values) {
  return Tensor::Vector(
      absl::MakeConstSpan(std::vector<T>(values.begin(), values.end())));
}

StatusOr<Tensor> ParseTensor(Scanner& in) {
  Scanner before = in;
  MR_ASSIGN_OR_RETURN(const DataType type, ParseType(in));
  if (type == DataType::kString) {
    std::vector<std::string> v;
    MR_RETURN_IF_ERROR(ParseItems(
        in, "[", "]", Into(v, in, [](Scanner& s) { return s.Quoted(); })));
    return Tensor::Vector(absl::MakeConstSpan(v));
  }
  if (IsFloating(type)) {
    std::vector<float> v;
    MR_RETURN_IF_ERROR(ParseItems(in, "[", "]", Into(v, in, ParseFloat)));
    if (type == DataType::kFloat) return VectorOf<float>(v);
    if (type == DataType::kDouble) return VectorOf<double>(v);
    return before.Error("float or double");
  }
  std::vector<int64_t> v;
  MR_RETURN_IF_ERROR(ParseItems(in, "[", "]", Into(v, in, ParseInt)));
  switch (type) {
    case DataType::kUint8:
      return VectorOf<uint8_t>(v);
    case DataType::kInt8:
      return VectorOf<int8_t>(v);
    case DataType::kInt32:
      return VectorOf<int32_t>(v);
    case DataType::kInt64:
      return VectorOf<int64_t>(v);
    default:
      return before.Error(
          "one of uint8, int8, int32, int64, float, double, string");
  }
}

template <class T, class Parse>
StatusOr<AttrValue> ParseList(Scanner& in, Parse parse) {
  std::vector<T> list;
  MR_RETURN_IF_ERROR(ParseItems(in, "[", "]", Into(list, in, parse)));
  return AttrValue(std::move(list));
}

template <class T, class Parse>
StatusOr<AttrValue> ParseOneOrList(Scanner& in, bool list, Parse parse) {
  if (list) return ParseList<T>(in, parse);
  MR_ASSIGN_OR_RETURN(T value, parse(in));
  return AttrValue(std::move(value));
}

StatusOr<AttrValue> ParseDefault(Scanner& in, absl::string_view kind) {
  const bool list = absl::ConsumePrefix(&kind, "list(");
  if (list) kind.remove_suffix(1);
  if (kind == "string") {
    return ParseOneOrList<std::string>(in, list,
                                       [](Scanner& s) { return s.Quoted(); });
  }
  if (kind == "int") return ParseOneOrList<int64_t>(in, list, ParseInt);
  if (kind == "float") return ParseOneOrList<float>(in, list, ParseFloat);
  if (kind == "bool") return ParseOneOrList<bool>(in, list, ParseBool);
  if (kind == "type") return ParseOneOrList<DataType>(in, list, ParseType);
  if (kind == "shape")
    return ParseOneOrList<PartialShape>(in, list, ParseShape);
  if (kind == "tensor") return ParseOneOrList<Tensor>(in, list, ParseTensor);
  return ParseOneOrList<AttrValue::Func>(in, list, ParseFunc);
}

// Parses {float, int32} or {'a', 'b'}: the items, and returns their kind.
StatusOr<std::string> ParseAllowed(Scanner& in, AttrValue* allowed) {
  Scanner ahead = in;
  MR_RETURN_IF_ERROR(ahead.Expect("{"));
  if (ahead.PeekQuote()) {
    AttrValue::StringList list;
    MR_RETURN_IF_ERROR(ParseItems(
        in, "{", "}", Into(list, in, [](Scanner& s) { return s.Quoted(); })));
    *allowed = std::move(list);
    return std::string("string");
  }
  TypeList list;
  MR_RETURN_IF_ERROR(ParseItems(in, "{", "}", Into(list, in, ParseType)));
  *allowed = std::move(list);
  return std::string("type");
}

StatusOr<std::string> ParseKind(Scanner& in, AttrValue* allowed) {
  if (in.Peek("{")) return ParseAllowed(in, allowed);
  const Scanner before = in;
  const absl::string_view word = in.TakeWord();
  if (word == "list") {
    MR_RETURN_IF_ERROR(in.Expect("("));
    MR_ASSIGN_OR_RETURN(std::string inner, ParseKind(in, allowed));
    MR_RETURN_IF_ERROR(in.Expect(")"));
    if (absl::StartsWith(inner, "list("))
      return before.Error("a list of plain values");
    return absl::StrCat("list(", inner, ")");
  }
  for (const auto& [name, types] :
       {std::pair("numbertype", absl::MakeConstSpan(kNumberTypes)),
        std::pair("realnumbertype", absl::MakeConstSpan(kRealNumberTypes)),
        std::pair("quantizedtype", absl::MakeConstSpan(kQuantizedTypes))}) {
    if (word == name) {
      *allowed = TypeList(types.begin(), types.end());
      return std::string("type");
    }
  }
  for (const char* kind :
       {"string", "int", "float", "bool", "type", "shape", "tensor", "func"}) {
    if (word == kind) return std::string(kind);
  }
  return before.Error("a kind of attribute");
}

StatusOr<AttrDef> ParseAttr(Scanner& in) {
  AttrDef attr;
  MR_ASSIGN_OR_RETURN(attr.name, in.Name());
  MR_RETURN_IF_ERROR(in.Expect(":"));
  MR_ASSIGN_OR_RETURN(attr.kind, ParseKind(in, &attr.allowed));
  if (in.Take(">=")) {
    MR_ASSIGN_OR_RETURN(attr.minimum, ParseInt(in));
  }
  if (in.Take("=")) {
    const Scanner before = in;
    MR_ASSIGN_OR_RETURN(attr.default_value, ParseDefault(in, attr.kind));
    Status fits = CheckAttr(attr, *attr.default_value);
    if (!fits.ok())
      return Annotate(before.Error("a default that fits"),
                      absl::StrCat(": ", fits.message()));
  }
  return attr;
}

StatusOr<ArgDef> ParseArg(Scanner& in, const OpDef& op) {
  ArgDef arg;
  MR_ASSIGN_OR_RETURN(arg.name, in.Name());
  MR_RETURN_IF_ERROR(in.Expect(":"));
  auto take_ref = [&] {
    const Scanner before = in;
    if (in.TakeWord() == "Ref" && in.Take("(")) return true;
    in = before;
    return false;
  };
  int open = 0;
  if (take_ref()) ++open;
  Scanner before = in;
  absl::string_view word = in.TakeWord();
  if (in.Take("*")) {
    const AttrDef* number = op.FindAttr(word);
    if (number == nullptr || number->kind != "int")
      return before.Error("an attribute of kind int");
    arg.number_attr = std::string(word);
    if (open == 0 && take_ref()) ++open;
    before = in;
    word = in.TakeWord();
  }
  arg.is_ref = open > 0;
  if (const AttrDef* type = op.FindAttr(word)) {
    if (type->kind == "type") {
      arg.type_attr = std::string(word);
    } else if (type->kind == "list(type)" && arg.number_attr.empty()) {
      arg.type_list_attr = std::string(word);
    } else {
      return before.Error("an attribute of kind type");
    }
  } else if (!ParseAnyType(word, &arg.type)) {
    return before.Error("a dtype or an attribute of kind type");
  }
  if (open > 0) MR_RETURN_IF_ERROR(in.Expect(")"));
  return arg;
}

StatusOr<std::vector<ArgDef>> ParseArgs(absl::string_view text,
                                        const OpDef& op) {
  std::vector<ArgDef> args;
  Scanner in(text);
  if (in.AtEnd()) return args;
  do {
    MR_ASSIGN_OR_RETURN(ArgDef arg, ParseArg(in, op));
    for (const ArgDef& other : args) {
      if (other.name == arg.name)
        return in.Error("another name than the doubled one");
    }
    args.push_back(std::move(arg));
  } while (in.Take(","));
  if (!in.AtEnd()) return in.Error("','");
  return args;
}

Status ParseInto(const OpDecl& decl, OpDef* op) {
  Scanner in(decl.fields.attrs);
  while (!in.AtEnd()) {
    if (in.Take(";")) continue;
    MR_ASSIGN_OR_RETURN(AttrDef attr, ParseAttr(in));
    if (op->FindAttr(attr.name) != nullptr)
      return in.Error("another name than the doubled one");
    op->attrs.push_back(std::move(attr));
    if (!in.AtEnd() && !in.Peek(";")) return in.Error("';'");
  }
  MR_ASSIGN_OR_RETURN(op->inputs, ParseArgs(decl.fields.inputs, *op));
  MR_ASSIGN_OR_RETURN(op->outputs, ParseArgs(decl.fields.outputs, *op));
  return OkStatus();
}

}  // namespace

StatusOr<OpDef> ParseOpDecl(const OpDecl& decl) {
  OpDef op;
  op.name = decl.name;
  const Status status = ParseInto(decl, &op);
  if (!status.ok()) return Annotate(status, absl::StrCat(" of op ", decl.name));
  const OpFields& f = decl.fields;
  op.flags = f.flags;
  op.role = f.role;
  op.law = f.law;
  op.deprecated_version = f.deprecated_version;
  op.deprecated_hint = f.deprecated_hint;
  op.shape = f.shape;
  op.ints = f.ints;
  op.ints_of_shapes = f.ints_of_shapes;
  op.doc = f.doc;
  return op;
}

}  // namespace millrace
