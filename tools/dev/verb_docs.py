"""./dev docs"""

import os
import re
import shutil
import subprocess
import sys

import building
import options
import packages
from console import ROOT, Line, fail, say

TOOLS = os.path.join(ROOT, "tools", "docs")
REQUIREMENTS = os.path.join(TOOLS, "requirements.txt")
VENV = os.path.join(ROOT, "build", "docs_venv")
PAGES = os.path.join(ROOT, "build", "docs_pages")
SITE = os.path.join(ROOT, "build", "docs")
# Matches resources that a page loads, not its links.
LOADS = re.compile(
  r"<(?:script|img|iframe|source)\b[^>]*?\bsrc=\"?(?:https?:)?//[^\s>\"]+|"
  r"<link\b(?=[^>]*\brel=\"?(?:stylesheet|preconnect|icon|preload))[^>]*?\bhref=\"?(?:https?:)?//[^\s>\"]+"
)


def need_mkdocs():
  """Creates build/docs_venv with the requirements; returns its Python."""
  python, stamp = os.path.join(VENV, "bin", "python"), os.path.join(VENV, "requirements.txt")
  with open(REQUIREMENTS, encoding="utf-8") as f:
    wanted = f.read()
  if os.path.exists(stamp):
    with open(stamp, encoding="utf-8") as f:
      if f.read() == wanted:
        return python
  if shutil.which("dpkg-query"):
    packages.need_packages(packages.VENV_PACKAGES)
  with Line("installing %s into build/docs_venv" % ", ".join(wanted.split())):
    packages.run_logged([sys.executable, "-m", "venv", "--clear", VENV], "docs-venv", "python3 -m venv")
    packages.run_logged(
      [python, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off", "-r", REQUIREMENTS],
      "docs-pip",
      "pip install",
    )
  with open(stamp, "w", encoding="utf-8") as f:
    f.write(wanted)
  return python


def loads_from_network(site):
  """Returns (page, address) of the resources that pages of the site would fetch from elsewhere."""
  found = []
  for base, _, names in os.walk(site):
    for name in names:
      if name.endswith(".html"):
        path = os.path.join(base, name)
        with open(path, encoding="utf-8") as f:
          found += [(os.path.relpath(path, site), m.group()) for m in LOADS.finditer(f.read())]
  return found


def main(argv):
  ap = options.Parser(
    prog="./dev docs", description="Builds the documentation as a site, into build/docs. A warning and a dead link are errors."
  )
  ap.add_argument("--serve", action="store_true", help="serve it at http://127.0.0.1:8000 and build again what changes")
  ap.add_argument("--prose", action="store_true", help="without the pages that need a build: ops and flags of the command")
  ap.add_argument(
    "--preset", default="dev", choices=building.PRESETS, help="the build that ops and flags come from; default: dev"
  )
  args = ap.parse_args(argv)
  if not args.prose:
    building.build(args.preset, ["millrace", "opdocs"])
  sys.path.insert(0, TOOLS)
  import generated

  generated.write(ROOT, PAGES, None if args.prose else building.folder(args.preset))
  python = need_mkdocs()
  env = dict(os.environ, NO_MKDOCS_2_WARNING="1", PYTHONDONTWRITEBYTECODE="1")
  mkdocs = [python, "-m", "mkdocs"]
  config = ["--config-file", os.path.join(ROOT, "mkdocs.yml")]
  if args.serve:
    return subprocess.call(mkdocs + ["serve", "--strict"] + config, cwd=ROOT, env=env)
  code = subprocess.call(mkdocs + ["build", "--strict", "--clean", "--quiet"] + config + ["--site-dir", SITE], cwd=ROOT, env=env)
  if code != 0:
    fail("the site has warnings or dead links (above)")
  away = loads_from_network(SITE)
  for page, what in away:
    say("%s loads from the network: %s" % (page, what))
  say("built build/docs/index.html (%d pages)" % sum(n.endswith(".html") for _, _, names in os.walk(SITE) for n in names))
  return 1 if away else 0
