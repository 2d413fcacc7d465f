"""Tests of cmake/export_symbols.py."""

import os
import subprocess
import sys
import tempfile
import unittest

CMAKE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cmake")
sys.path.insert(0, CMAKE)

import export_symbols  # noqa: E402

OUTPUT = """
one.o:
_ZN8millrace3RunEv U
_ZN8millrace4MineEv T 0 10
_ZN4absl7debian36StatusD1Ev U
_ZTIN8millrace6BufferE V 0 8
_ZTVSt9exception U
_ZTVN10__cxxabiv117__class_type_infoE U
_ZNSt6vectorIN8millrace6TensorEE4sizeEv U
_ZNKSt9exception4whatEv U
_ZN8nanobind6detail9tuple_newEv U
_Znwm U
_ZdlPv U
malloc U
PyList_New U

two.o:
_ZN8millrace4MineEv U
_ZTIN8millrace6ServerE U
"""


class ExportSymbolsTest(unittest.TestCase):
  def test_what_objects_lack(self):
    self.assertEqual(export_symbols.used(OUTPUT), ["_ZN4absl7debian36StatusD1Ev", "_ZN8millrace3RunEv", "_ZTIN8millrace6ServerE"])

  def test_files_change_with_their_contents_only(self):
    with tempfile.TemporaryDirectory() as folder:
      nm, stem = os.path.join(folder, "nm"), os.path.join(folder, "out")
      with open(nm, "w") as file:
        file.write("#!/bin/sh\ncat <<'END'%sEND\n" % OUTPUT)
      os.chmod(nm, 0o755)
      words = [
        sys.executable,
        os.path.join(CMAKE, "export_symbols.py"),
        "--nm",
        nm,
        "--out",
        stem,
        "--also",
        "omp_in_parallel",
        "a.o",
      ]
      subprocess.run(words, check=True)
      with open(stem + ".map") as file:
        text = file.read()
      self.assertIn("    _ZN8millrace3RunEv;\n", text)
      self.assertTrue(text.startswith("{\n  global:\n") and text.endswith("    omp_in_parallel;\n  local: *;\n};\n"))
      with open(stem + ".rsp") as file:
        self.assertIn("-Wl,-u,omp_in_parallel\n", file.read())
      os.utime(stem + ".map", (1, 1))
      subprocess.run(words, check=True)
      self.assertEqual(os.stat(stem + ".map").st_mtime, 1)


if __name__ == "__main__":
  unittest.main()
