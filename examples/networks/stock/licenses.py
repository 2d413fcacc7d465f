"""Debian's licenses, as license_texts.cc gives them."""

import os


def load(folder):
  folder = folder or "/usr/share/common-licenses"
  texts = []
  for name in sorted(os.listdir(folder)):
    path = os.path.join(folder, name)
    if not os.path.islink(path):
      with open(path, "rb") as f:
        texts.append(f.read())
  return texts
