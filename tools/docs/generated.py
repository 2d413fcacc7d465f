"""Pages that are generated from the code, written below a folder (build/docs_pages) for hooks.py to find.

write(root, out, build)   build: the folder of `millrace` and `opdocs`; None leaves out their pages
"""

import os
import shutil
import subprocess

import command_help
import cpp_api
import error_texts

LEFT_OUT = "# %s\n\nLeft out: this site was made without a build (`./dev docs --prose`).\n"


def write(root, out, build):
  shutil.rmtree(out, ignore_errors=True)
  for name, text in cpp_api.pages(root).items():
    put(out, "reference/cpp/" + name, text)
  put(out, "reference/messages.md", error_texts.page(error_texts.messages(root)))
  if build is None:
    put(out, "reference/ops/index.md", LEFT_OUT % "Ops")
    return
  ops = os.path.join(out, "reference", "ops")
  subprocess.run([os.path.join(build, "opdocs"), os.path.join(root, "millrace", "ops"), ops], check=True)
  put(out, "reference/ops/index.md", families(root, ops))
  command = os.path.join(build, "millrace")
  for words in [[]] + [[name] for name in command_help.subcommands(command_help.ask(command, []))]:
    put(out, "help/%s.txt" % (words[0] if words else "millrace"), command_help.ask(command, words))


def families(root, folder):
  """Returns the list of families, each with the first sentence of its README."""
  lines = [
    "# Ops\n",
    "Every op by its family, made from the declarations: signature, attributes, the types that have kernels, "
    "whether it has a gradient. Names, types and defaults are TensorFlow's.\n",
  ]
  for name in sorted(n[:-3] for n in os.listdir(folder) if n.endswith(".md") and n != "index.md"):
    lines.append("- [%s](%s.md): %s" % (name, name, title(os.path.join(root, "millrace", "ops", name, "README.md"))))
  return "\n".join(lines) + "\n"


def title(readme):
  """Returns the heading of a README, without its mark."""
  try:
    with open(readme, encoding="utf-8") as f:
      return f.readline().lstrip("# ").rstrip("\n. ") + "."
  except OSError:
    return ""


def put(out, name, text):
  path = os.path.join(out, *name.split("/"))
  os.makedirs(os.path.dirname(path), exist_ok=True)
  with open(path, "w", encoding="utf-8") as f:
    f.write(text)
