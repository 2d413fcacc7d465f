"""The hooks that MkDocs calls while it builds the site (mkdocs.yml names this file).

Adds the generated pages, lists the pages of folders in the navigation, and draws the fenced blocks `sequence`, `boxes`, `rooms`
and `help`.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import command_help  # noqa: E402
import pictures  # noqa: E402
from mkdocs.structure.files import File  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = os.path.join(ROOT, "build", "docs_pages")
FENCES = ("sequence", "boxes", "rooms", "help")
# In mkdocs.yml an entry `title: FOLDER/` stands for the pages of a folder, which are sorted by name.


def on_config(config):
  config["mdx_configs"].setdefault("pymdownx.superfences", {})["custom_fences"] = [
    {"name": name, "class": name, "format": fence} for name in FENCES
  ]
  config["mdx_configs"].setdefault("pymdownx.snippets", {}).update(base_path=[ROOT], check_paths=True)
  config["nav"] = filled(config["nav"], config["docs_dir"])
  return config


def on_files(files, config):
  for base, _, names in os.walk(PAGES):
    for name in names:
      path = os.path.join(base, name)
      uri = os.path.relpath(path, PAGES).replace(os.sep, "/")
      if name.endswith(".md"):
        files.append(File.generated(config, uri, abs_src_path=path))
  return files


def filled(nav, docs):
  """Returns the navigation with the pages of folders in place of their names; optional pages that are missing are
  left out."""
  out = []
  for entry in nav:
    if isinstance(entry, str):
      out.append(entry)
      continue
    ((title, value),) = entry.items()
    if isinstance(value, list):
      out.append({title: filled(value, docs)})
    elif value.endswith("/"):
      out.append({title: pages_of(value, docs)})
    elif value.endswith("?"):
      if os.path.exists(os.path.join(docs, value[:-1])):
        out.append({title: value[:-1]})
    else:
      out.append(entry)
  return out


def pages_of(folder, docs):
  names = {
    name
    for top in (docs, PAGES)
    if os.path.isdir(os.path.join(top, folder))
    for name in os.listdir(os.path.join(top, folder))
    if name.endswith(".md")
  }
  return [folder + name for name in sorted(names, key=lambda n: (n != "index.md", n))]


def fence(source, language, css_class, options, md, **rest):
  """Returns the HTML of a fenced block of ours."""
  if language == "rooms":
    with open(os.path.join(ROOT, "layers.txt"), encoding="utf-8") as f:
      return pictures.draw("boxes", pictures.rooms(f.read(), there))
  if language == "help":
    return md_table(help_of(source.strip()))
  return pictures.draw(language, source)


def there(room):
  """Returns whether a room has a folder; some in layers.txt do not exist yet."""
  return os.path.isdir(os.path.join(ROOT, "millrace", *room.split(".")[:1]))


def help_of(words):
  """Returns the output of `millrace` or `millrace COMMAND` for --help; None if the site is built without a build."""
  path = os.path.join(PAGES, "help", words.split()[-1] + ".txt")
  if not os.path.exists(path):
    return None
  with open(path, encoding="utf-8") as f:
    return f.read()


def md_table(text):
  if text is None:
    return "<p><em>Left out: this site was made without a build.</em></p>"
  import markdown

  return markdown.markdown(command_help.table(text), extensions=["tables"])
