"""Headers as reference pages: their public declarations, with the comments before them.

    pages(root) -> {"client.md": text, ...}

Reads headers in the repository's style: a declaration's comment is right before it, a file's before `#pragma once`.
"""

import os
import re
import textwrap

# Page: title, contents, headers (folders stand for all of their headers).
PAGES = {
  "client": (
    "Graphs and sessions",
    "Building a graph, differentiating it, running it here or on a cluster.",
    [
      "millrace/client/session.h",
      "millrace/client/scope.h",
      "millrace/client/output.h",
      "millrace/client/input.h",
      "millrace/client/ops.h",
      "millrace/client/op_builder.h",
      "millrace/client/gradients.h",
      "millrace/client/gradient.h",
      "millrace/client/indexed_slices.h",
      "millrace/client/while_loop.h",
      "millrace/client/queues.h",
      "millrace/client/client_graph.h",
      "millrace/client/graph_keys.h",
    ],
  ),
  "variables": (
    "Variables",
    "Variables of both kinds, their initializers, and those that lie in parts on several tasks.",
    ["millrace/client/variables"],
  ),
  "training": ("Training", "Sessions that recover, checkpoints, losses, metrics, threads that end together.", ["millrace/train"]),
  "estimators": (
    "Estimators",
    "A model as a function: trained, evaluated and asked, in one process or by each task of a cluster.",
    ["millrace/train/estimator"],
  ),
  "optimizers": (
    "Optimizers",
    "Rules of descent, slots, learning rates, gradients that are clipped.",
    ["millrace/train/optimizers"],
  ),
  "layers": ("Layers", "Layers and their regularizers.", ["millrace/train/layers"]),
  "quantized": (
    "Networks in 8 bits",
    "A trained network with weights and activations of 8 bits, and one with its variables as constants.",
    ["millrace/train/quantized/quantized_graph.h", "millrace/train/quantized/frozen_graph.h"],
  ),
  "recurrent": (
    "Recurrent cells",
    "Cells, their unrolling over a number of steps, and loops over sequences of any length.",
    ["millrace/train/rnn"],
  ),
  "input": ("Input", "Queues that threads fill, producers of input, batches.", ["millrace/train/input"]),
  "servers": (
    "Servers",
    "A server in a process of your own, and the session without one.",
    ["millrace/cluster/server.h", "millrace/cluster/cluster_spec.h", "millrace/session/local_session.h"],
  ),
  "values": (
    "Values and errors",
    "Tensors, shapes, types, statuses.",
    ["millrace/tensor/tensor.h", "millrace/tensor/shape.h", "millrace/tensor/dtype.h", "millrace/base/status.h"],
  ),
}
PRIVATE = re.compile(r"^// .*\bPrivate to\b", re.M)


class Item:
  """A declaration: its comment, its text, the public members of a class, and whether it continues the group before
  it."""

  def __init__(self, comment, text, members=None, goes_on=False):
    self.comment, self.text, self.members, self.goes_on = comment, text, members, goes_on


def headers(root, places):
  """Yields the paths of the public headers, in the order of `places`."""
  for place in places:
    full = os.path.join(root, place)
    names = [place] if os.path.isfile(full) else sorted(place + "/" + n for n in os.listdir(full) if n.endswith(".h"))
    for path in names:
      if not PRIVATE.search(read(root, path)):
        yield path


def read(root, path):
  with open(os.path.join(root, path), encoding="utf-8") as f:
    return f.read()


def comment_text(lines):
  """Returns the lines of a comment without their slashes."""
  return [re.sub(r"^\s*// ?", "", line) for line in lines]


def file_comment(text):
  """Returns the comment before `#pragma once`."""
  lines = []
  for line in text.split("\n"):
    if not line.startswith("//"):
      break
    lines.append(line)
  return comment_text(lines)


def closing(text, at):
  """Returns the place after the bracket that closes the one at `at`; brackets in strings, characters and comments do
  not count."""
  depth = 0
  while at < len(text):
    skipped = skip_opaque(text, at)
    if skipped != at:
      at = skipped
      continue
    if text[at] in "({[":
      depth += 1
    elif text[at] in ")}]":
      depth -= 1
      if depth == 0:
        return at + 1
    at += 1
  return at


def skip_opaque(text, at):
  """Returns the place after a string, a character or a comment that begins at `at`; `at` if none does."""
  if text.startswith("//", at):
    end = text.find("\n", at)
    return len(text) if end < 0 else end
  if text[at] == '"' or text[at] == "'" and not (at and text[at - 1].isdigit()):
    m = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'").match(text, at)
    return m.end() if m else at
  return at


def statement(text, at):
  """Returns (end, head, body): a declaration up to its semicolon or the end of its body, which is None if it has
  none."""
  start = at
  while at < len(text):
    skipped = skip_opaque(text, at)
    if skipped != at:
      at = skipped
      continue
    if text[at] in "([":
      at = closing(text, at)
      continue
    if text[at] == ";":
      return at + 1, text[start:at], None
    if text[at] == "{":
      end = closing(text, at)
      head, body = text[start:at], text[at + 1 : end - 1]
      rest = re.compile(r"\s*;").match(text, end)
      outside = re.sub(r"\([^()]*\)", "()", re.sub(r"\([^()]*\)", "", head))  # outside of brackets
      if re.search(r"\b(class|struct|enum|union|namespace)\b[^()=]*$", head):
        return rest.end() if rest else end, head, body
      if rest and ("=" in outside or ")" not in head):  # int x{3}; auto f = [] {...};
        return rest.end(), head + text[at:end], None
      if re.search(r"\)\s*:\s*[^:]", head) and not head.rstrip().endswith(")"):
        at = end  # a member's initializer: a_{1}
        continue
      return end, head, body
    at += 1
  return at, text[start:at], None


def items(text, is_class, public=True):
  """Returns the public declarations of a namespace's or class's body."""
  found, comment, at = [], [], 0
  goes_on = False  # no empty line and no comment since the last declaration
  while at < len(text):
    blank = re.compile(r"[ \t]*\n").match(text, at)
    if blank:
      comment, goes_on = [], False
      at = blank.end()
      continue
    line = re.compile(r"[ \t]*(//[^\n]*)\n?").match(text, at)
    if line:
      comment.append(line.group(1))
      goes_on = False
      at = line.end()
      continue
    directive = re.compile(r"[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n?|MR_\w+\([^\n]*\)\n").match(text, at)
    if directive:
      macro = re.match(r"\s*#define ((MR_\w*[A-Z])\([^)]*\))", directive.group())
      if macro and comment and "#undef " + macro.group(2) not in text:
        found.append(Item(comment_text(comment), macro.group(1)))
      comment, goes_on = [], False
      at = directive.end()
      continue
    access = re.compile(r"\s*(public|private|protected):").match(text, at)
    if access:
      public = access.group(1) == "public"
      at = access.end()
      continue
    if not text[at:].strip():
      break
    end, head, body = statement(text, at)
    # A comment at the end of the declaration's line belongs to it.
    tail = re.compile(r"[ \t]*(//(?! NOLINT)[^\n]*)|[ \t]*// NOLINT[^\n]*").match(text, end)
    at = tail.end() if tail else end
    after = re.compile(r"[ \t]*\n").match(text, at)
    at = after.end() if after else at
    if public:
      new = declaration(comment_text(comment), head, body, is_class)
      for item in new:
        item.goes_on = goes_on and item.members is None
        if tail and tail.group(1) and item.members is None and "namespace" not in head:
          item.text += "  " + tail.group(1)
      found += new
    comment, goes_on = [], True
  return found


def declaration(comment, head, body, is_class):
  """Returns the items of one declaration: none, one, or those of a namespace."""
  head = re.sub(r"[ \t]*//[^\n]*", "", head)
  text = re.sub(r"\s+", " ", head).strip()
  namespace = re.match(r"(?:inline )?namespace ([\w:]*)", text)
  if namespace:
    hidden = not namespace.group(1) or namespace.group(1).endswith("internal")
    return [] if body is None or hidden else items(body, False)
  if not text or text.startswith(("friend ", "static_assert", "extern ", "using namespace")) or "= delete" in text:
    return []
  scope = re.match(r"(?:template <.*> )?(class|struct|enum|union)\b", text)
  if scope and body is None:
    return []  # declared before
  if scope and scope.group(1) == "enum":
    return [Item(comment, tidy(head) + " {" + body.rstrip() + "\n};")]
  if scope:
    name = text.split(" : ")[0]
    return [Item(comment, name, items(body, True, scope.group(1) != "class"))]
  if is_class and (re.match(r"(virtual )?~", text) or "operator=" in text):
    return []
  if re.match(r"(MR_|TEST)", text):
    return []
  # The initializer list of a constructor is private.
  head = re.sub(r"(\))\s*:\s*(?!:)[\s\S]*$", r"\1", head) if body is not None else head
  return [Item(comment, tidy(head) + ";")]


def tidy(head):
  """Returns a declaration's lines without the indentation of the first."""
  lines = head.strip("\n").split("\n")
  indent = len(lines[0]) - len(lines[0].lstrip())
  return "\n".join(line[indent:] if not line[:indent].strip() else line.strip() for line in lines).strip()


def markdown_text(lines):
  """Returns a comment as Markdown: paragraphs are joined, indented lines are code."""
  out, paragraph, code = [], [], []

  def flush():
    if paragraph:
      out.append(escape(" ".join(paragraph)))
    if code:
      out.append("```cpp\n" + textwrap.dedent("\n".join(code)) + "\n```")
    paragraph.clear()
    code.clear()

  for line in lines:
    if line.startswith("  "):
      if paragraph:
        flush()
      code.append(line)
    elif not line.strip():
      flush()
    else:
      if code:
        flush()
      paragraph.append(line.strip())
  flush()
  return "\n\n".join(out)


def escape(text):
  """Escapes text for Markdown: markup is shown literally; `code` stays code."""
  parts = re.split(r"(`[^`]*`)", text)
  return "".join(
    p if i % 2 else re.sub(r"([\\*_<>\[\]|])", r"\\\1", p).replace("\\<", "&lt;").replace("\\>", "&gt;")
    for i, p in enumerate(parts)
  )


def is_data(item):
  """Returns whether it is a variable, and not a function, a class, a type or a macro."""
  if item.members is not None or re.match(r"(enum|using|template|MR_)", item.text):
    return False
  text = re.sub(r"\s=\s[\s\S]*$", "", item.text.split(";")[0])
  while "<" in text:
    shorter = re.sub(r"<[^<>]*>", "", text)
    if shorter == text:
      break
    text = shorter
  return "(" not in text


def data_block(group):
  """Returns variables with their comments where they are in the header."""
  lines = []
  for item in group:
    lines += ["// " + line if line else "//" for line in item.comment] + [item.text]
  return "```cpp\n%s\n```" % "\n".join(lines)


def render(found, level=3):
  """Returns the page; comments come before their declarations, as in the header."""
  out, i = [], 0
  while i < len(found):
    item, end = found[i], i + 1
    if is_data(item):
      while end < len(found) and is_data(found[end]):
        end += 1
      out.append(data_block(found[i:end]))
    elif item.members is None:
      while end < len(found) and found[end].goes_on and not is_data(found[end]):
        end += 1
      if item.comment:
        out.append(markdown_text(item.comment))
      out.append("```cpp\n%s\n```" % "\n".join(other.text for other in found[i:end]))
    else:
      name = re.sub(r"^template <.*?> (?=class|struct)", "", item.text)
      out.append("#" * level + " `%s`" % re.sub(r" final$", "", name))
      if name != item.text:
        out.append("```cpp\n%s\n```" % item.text)
      if item.comment:
        out.append(markdown_text(item.comment))
      out += render(item.members, min(level + 1, 6))
    i = end
  return out


def header_page(root, path):
  text = read(root, path)
  out = ["## `%s`" % path, markdown_text(file_comment(text))]
  body = text.split("#pragma once", 1)[1]
  return "\n\n".join([p for p in out if p] + render(items(body, False)))


def first_sentence(text):
  """Returns the first sentence of a header's comment."""
  paragraph = " ".join(file_comment(text)).split("  ")[0]
  return re.split(r"(?<=[.!])\s", paragraph + " ")[0].strip()


def header_list(root):
  """Returns the headers that millrace/millrace.h names, with a line each, in its groups."""
  lines = []
  for line in read(root, "millrace/millrace.h").split("#pragma once", 1)[1].split("\n"):
    include = re.match(r'#include "(.+)"', line)
    if include:
      what = escape(first_sentence(read(root, include.group(1))))
      lines.append("| `%s` | %s |" % (include.group(1), what.replace("\n", " ")))
    elif line.startswith("// "):
      lines += ["", "**%s**" % escape(line[3:].rstrip(".")), "", "| header | what it has |", "|---|---|"]
  return "\n".join(lines[1:])


def pages(root):
  found = {}
  for name, (title, what, places) in PAGES.items():
    parts = [header_page(root, path) for path in headers(root, places)]
    found[name + ".md"] = "# %s\n\n%s\n\n%s\n" % (title, what, "\n\n".join(parts))
  lines = [
    "# C++ API\n",
    "Made from the comments of the public headers; what a comment promises is the contract. A program includes "
    "`millrace/millrace.h`, or a header by its path, and links `millrace::millrace`. "
    "[One screen](../cpp.md) shows the style of all of it.\n",
  ]
  lines += ["- [%s](%s.md): %s" % (title, name, what) for name, (title, what, _) in PAGES.items()]
  lines += [
    "",
    "Every op has a wrapper `ops::NAME` in `millrace/client/ops.gen.h`, which the build writes; its arguments are those of "
    "the [op reference](../ops/index.md).",
    "",
    "## Headers",
    "",
    header_list(root),
  ]
  found["index.md"] = "\n".join(lines) + "\n"
  return found
