#include "millrace/ops/unicode/charset.h"

#include <iterator>

#include "absl/strings/ascii.h"
#include "millrace/ops/unicode/charset_converter.h"

namespace millrace::ops {
namespace {

using Kind = Charset::Kind;
using Order = Charset::Order;

// How the bytes 0x80 to 0x9f are taken that a set of one byte a character
// leaves free.
enum class Free { kMalformed, kControls };

// Bytes that are other characters to ICU than to the C library; -1: none.
struct ByteOfIcu {
  const char* library_name;
  int byte;
  int32_t code;
};
constexpr ByteOfIcu kBytesOfIcu[] = {
    {"CP1253", 0xaa, 0x00aa},    {"MACINTOSH", 0xc6, 0x2206},
    {"MACINTOSH", 0xf0, 0xf8ff}, {"MAC-CYRILLIC", 0xff, 0x20ac},
    {"CP437", 0xe6, 0x03bc},     {"CP852", 0xaa, -1},
    {"CP874", 0xdb, 0xf8c1},     {"CP874", 0xdc, 0xf8c2},
    {"CP874", 0xdd, 0xf8c3},     {"CP874", 0xde, 0xf8c4},
    {"CP874", 0xfc, 0xf8c5},     {"CP874", 0xfd, 0xf8c6},
    {"CP874", 0xfe, 0xf8c7},     {"CP874", 0xff, 0xf8c8},
};
// Those of the character sets of DOS, in which ICU exchanges control
// characters.
constexpr const char* kSetsOfDos[] = {"CP437", "CP850", "CP852", "CP866"};

struct CharsetName {
  const char* name;  // as Simplified() gives it
  Kind kind;
  const char* library_name = "";
  Free free = Free::kMalformed;
  Order order = Order::kBig;
};

constexpr CharsetName Utf(const char* name, Kind kind,
                          Order order = Order::kBig) {
  return {.name = name, .kind = kind, .order = order};
}
constexpr CharsetName Bytes(const char* name, const char* library_name) {
  return {name, Kind::kBytes, library_name};
}
constexpr CharsetName Windows(const char* name, const char* library_name) {
  return {name, Kind::kBytes, library_name, Free::kControls};
}
constexpr CharsetName Several(const char* name, const char* library_name) {
  return {name, Kind::kSeveralBytes, library_name};
}

// Sets whose converters hold a character back to see whether the next one
// belongs to it are left out, unless they have one byte a character.
constexpr CharsetName kCharsets[] = {
    Utf("utf8", Kind::kUtf8),
    Utf("unicode11utf8", Kind::kUtf8),
    Utf("cp1208", Kind::kUtf8),
    Utf("utf16", Kind::kUtf16, Order::kMark),
    Utf("unicode", Kind::kUtf16, Order::kMark),
    Utf("iso10646ucs2", Kind::kUtf16, Order::kMark),
    Utf("csunicode", Kind::kUtf16, Order::kMark),
    Utf("ucs2", Kind::kUtf16, Order::kMark),
    Utf("utf16be", Kind::kUtf16),
    Utf("unicodebigunmarked", Kind::kUtf16),
    Utf("xutf16be", Kind::kUtf16),
    Utf("utf16le", Kind::kUtf16, Order::kLittle),
    Utf("unicodelittleunmarked", Kind::kUtf16, Order::kLittle),
    Utf("xutf16le", Kind::kUtf16, Order::kLittle),
    Utf("utf32", Kind::kUtf32, Order::kMark),
    Utf("iso10646ucs4", Kind::kUtf32, Order::kMark),
    Utf("csucs4", Kind::kUtf32, Order::kMark),
    Utf("ucs4", Kind::kUtf32, Order::kMark),
    Utf("utf32be", Kind::kUtf32),
    Utf("utf32le", Kind::kUtf32, Order::kLittle),
    Bytes("usascii", "ASCII"),
    Bytes("ascii", "ASCII"),
    Bytes("us", "ASCII"),
    Bytes("iso646us", "ASCII"),
    Bytes("cp367", "ASCII"),
    Bytes("iso88591", "ISO-8859-1"),
    Bytes("iso885911987", "ISO-8859-1"),
    Bytes("latin1", "ISO-8859-1"),
    Bytes("l1", "ISO-8859-1"),
    Bytes("csisolatin1", "ISO-8859-1"),
    Bytes("cp819", "ISO-8859-1"),
    Bytes("ibm819", "ISO-8859-1"),
    Bytes("iso88592", "ISO-8859-2"),
    Bytes("latin2", "ISO-8859-2"),
    Bytes("l2", "ISO-8859-2"),
    Bytes("iso88593", "ISO-8859-3"),
    Bytes("latin3", "ISO-8859-3"),
    Bytes("iso88594", "ISO-8859-4"),
    Bytes("latin4", "ISO-8859-4"),
    Bytes("iso88595", "ISO-8859-5"),
    Bytes("cyrillic", "ISO-8859-5"),
    Bytes("iso88596", "ISO-8859-6"),
    Bytes("arabic", "ISO-8859-6"),
    Bytes("iso88597", "ISO-8859-7"),
    Bytes("greek", "ISO-8859-7"),
    Bytes("iso88598", "ISO-8859-8"),
    Bytes("hebrew", "ISO-8859-8"),
    Bytes("iso88599", "ISO-8859-9"),
    Bytes("latin5", "ISO-8859-9"),
    Bytes("iso885910", "ISO-8859-10"),
    Bytes("latin6", "ISO-8859-10"),
    Bytes("iso885913", "ISO-8859-13"),
    Bytes("iso885914", "ISO-8859-14"),
    Bytes("latin8", "ISO-8859-14"),
    Bytes("iso885915", "ISO-8859-15"),
    Bytes("latin9", "ISO-8859-15"),
    Windows("windows1250", "CP1250"),
    Windows("cp1250", "CP1250"),
    Windows("windows1251", "CP1251"),
    Windows("cp1251", "CP1251"),
    Windows("windows1252", "CP1252"),
    Windows("cp1252", "CP1252"),
    Windows("windows1253", "CP1253"),
    Windows("cp1253", "CP1253"),
    Windows("windows1254", "CP1254"),
    Windows("cp1254", "CP1254"),
    Windows("windows1255", "CP1255"),
    Windows("cp1255", "CP1255"),
    Windows("windows1256", "CP1256"),
    Windows("cp1256", "CP1256"),
    Windows("windows1257", "CP1257"),
    Windows("cp1257", "CP1257"),
    Windows("windows1258", "CP1258"),
    Windows("cp1258", "CP1258"),
    Windows("tis620", "CP874"),
    Windows("windows874", "CP874"),
    Windows("cp874", "CP874"),
    Bytes("koi8r", "KOI8-R"),
    Bytes("koi8", "KOI8-R"),
    Bytes("koi8u", "KOI8-U"),
    Bytes("macintosh", "MACINTOSH"),
    Bytes("mac", "MACINTOSH"),
    Bytes("macroman", "MACINTOSH"),
    Bytes("xmaccyrillic", "MAC-CYRILLIC"),
    Bytes("ibm437", "CP437"),
    Bytes("cp437", "CP437"),
    Bytes("ibm850", "CP850"),
    Bytes("cp850", "CP850"),
    Bytes("ibm852", "CP852"),
    Bytes("cp852", "CP852"),
    Bytes("ibm866", "CP866"),
    Bytes("cp866", "CP866"),
    Bytes("ibm37", "CP037"),
    Bytes("cp37", "CP037"),
    Bytes("ibm1047", "CP1047"),
    Bytes("cp1047", "CP1047"),
    Several("shiftjis", "CP932"),
    Several("sjis", "CP932"),
    Several("mskanji", "CP932"),
    Several("csshiftjis", "CP932"),
    Several("windows31j", "CP932"),
    Several("cp932", "CP932"),
    Several("ms932", "CP932"),
    Several("windows932", "CP932"),
    Several("eucjp", "EUC-JP"),
    Several("eucjis", "EUC-JP"),
    Several("ujis", "EUC-JP"),
    Several("iso2022jp", "ISO-2022-JP"),
    Several("csiso2022jp", "ISO-2022-JP"),
    Several("euckr", "EUC-KR"),
    Several("cseuckr", "EUC-KR"),
    Several("ksc56011987", "CP949"),
    Several("korean", "CP949"),
    Several("windows949", "CP949"),
    Several("cp949", "CP949"),
    Several("ms949", "CP949"),
    Several("gb2312", "EUC-CN"),
    Several("euccn", "EUC-CN"),
    Several("csgb2312", "EUC-CN"),
    Several("gbk", "GBK"),
    Several("cp936", "GBK"),
    Several("ms936", "GBK"),
    Several("windows936", "GBK"),
    Several("gb18030", "GB18030"),
    Several("big5", "BIG5"),
    Several("windows950", "BIG5"),
    Several("cp950", "BIG5"),
    Several("csbig5", "BIG5"),
    Several("euctw", "EUC-TW"),
    Several("utf7", "UTF-7"),
};

// Returns the name's letters, in lower case, and digits, without zeros at the
// beginning of numbers.
std::string Simplified(absl::string_view name) {
  std::string simple;
  bool in_number = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = absl::ascii_tolower(static_cast<unsigned char>(name[i]));
    const bool digit = absl::ascii_isdigit(static_cast<unsigned char>(c));
    if (!digit && !absl::ascii_isalpha(static_cast<unsigned char>(c))) {
      in_number = false;
      continue;
    }
    const bool more =
        i + 1 < name.size() &&
        absl::ascii_isdigit(static_cast<unsigned char>(name[i + 1]));
    if (c == '0' && !in_number && more) continue;
    in_number = digit;
    simple.push_back(c);
  }
  return simple;
}

// Returns the code point of a byte that is a text of its own; -1 if it is none.
int32_t CodeOfByte(CharsetConverter* converter, int byte, Free free) {
  char in = static_cast<char>(byte);
  char* from = &in;
  size_t left = 1;
  int32_t out[2] = {};
  char* to = reinterpret_cast<char*>(out);
  size_t room = sizeof(out);
  constexpr auto kFailed = static_cast<size_t>(-1);
  converter->Reset();
  bool ok = iconv(converter->handle(), &from, &left, &to, &room) != kFailed;
  // Gives what the converter has held back.
  ok =
      ok && iconv(converter->handle(), nullptr, nullptr, &to, &room) != kFailed;
  if (ok && room == sizeof(out) - sizeof(out[0])) return out[0];
  return free == Free::kControls && byte >= 0x80 && byte <= 0x9f ? byte : -1;
}

// Changes the bytes of a set to what they are to ICU.
void ApplyIcu(absl::string_view library_name, ByteTable* table) {
  for (const ByteOfIcu& odd : kBytesOfIcu) {
    if (odd.library_name == library_name) {
      (*table)[static_cast<size_t>(odd.byte)] = odd.code;
    }
  }
  for (const char* const dos : kSetsOfDos) {
    if (dos != library_name) continue;
    (*table)[0x1a] = 0x1c;
    (*table)[0x1c] = 0x7f;
    (*table)[0x7f] = 0x1a;
  }
}

}  // namespace

StatusOr<Charset> Charset::Find(absl::string_view name) {
  const auto unknown = [&] {
    return InvalidArgument("Could not create converter for input encoding: ",
                           name);
  };
  constexpr size_t kLongestName = 60;
  if (name.size() > kLongestName) return unknown();
  const std::string simple = Simplified(name);
  for (const CharsetName& entry : kCharsets) {
    if (simple != entry.name) continue;
    Charset set;
    set.kind_ = entry.kind;
    set.order_ = entry.order;
    set.library_name_ = entry.library_name;
    if (entry.kind != Kind::kBytes && entry.kind != Kind::kSeveralBytes) {
      return set;
    }
    StatusOr<CharsetConverter> converter =
        CharsetConverter::Open(entry.library_name);
    if (!converter.ok()) return unknown();
    if (entry.kind == Kind::kBytes) {
      auto table = std::make_shared<ByteTable>();
      for (int byte = 0; byte < 256; ++byte) {
        (*table)[static_cast<size_t>(byte)] =
            CodeOfByte(&*converter, byte, entry.free);
      }
      ApplyIcu(entry.library_name, table.get());
      set.bytes_ = std::move(table);
    }
    return set;
  }
  return unknown();
}

}  // namespace millrace::ops
