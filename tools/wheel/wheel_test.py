"""Tests of what makes wheels; what is in a whole one, tests/python/test_new_user.py looks at."""

import os
import tempfile
import unittest
import zipfile
from unittest import mock

import licences
import pack
import stubs
import wheels


class Folder(unittest.TestCase):
  def setUp(self):
    made = tempfile.TemporaryDirectory()
    self.addCleanup(made.cleanup)
    self.folder = made.name

  def write(self, name, text=""):
    path = os.path.join(self.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
      file.write(text)
    return path


class PackTest(Folder):
  SUFFIX = ".cpython-311-x86_64-linux-gnu.so"

  def package(self):
    for name in ("_binding" + self.SUFFIX, "libmillrace.so", "bin/millrace", "gen/messages.desc", "train/saver.py"):
      self.write("build/" + name)
    return os.path.join(self.folder, "build")

  def test_files_of_a_package(self):
    package = self.package()
    for name in ("_binding.cpython-312-x86_64-linux-gnu.so", "__pycache__/x.pyc", ".hidden", "a.pyc"):
      self.write("build/" + name)
    self.write("sources/nest.py")
    os.symlink(os.path.join(self.folder, "sources"), os.path.join(package, "linked"))
    self.assertEqual(
      sorted(pack.package_files(package, self.SUFFIX)),
      [
        "millrace/_binding" + self.SUFFIX,
        "millrace/bin/millrace",
        "millrace/gen/messages.desc",
        "millrace/libmillrace.so",
        "millrace/linked/nest.py",
        "millrace/train/saver.py",
      ],
    )

  def test_a_package_that_is_not_whole(self):
    package = self.package()
    os.unlink(os.path.join(package, "bin", "millrace"))
    with self.assertRaisesRegex(SystemExit, "lacks millrace/bin/millrace"):
      pack.package_files(package, self.SUFFIX)

  def test_metadata(self):
    text = pack.metadata(["LICENSE", "third_party/x/copyright"])
    head, _, page = text.partition("\n\n")
    self.assertIn("\nVersion: %s\n" % pack.version(), head)
    self.assertIn("\nRequires-Dist: numpy>=1.22\nRequires-Dist: protobuf>=3.20\nLicense-File: LICENSE\n", head)
    self.assertTrue(page.startswith("# "))


class LicencesTest(Folder):
  def test_archives_and_libraries(self):
    link = "[1/1] c++ -o libmillrace.so a.o libmillrace_base.a /usr/lib/x/libz.a -Wl,--start-group /usr/lib/x/libssl.a /usr/lib/x/libz.a -lm\n"
    said = "\tlinux-vdso.so.1 (0x1)\n\tlibdnnl.so.2 => /lib/x/libdnnl.so.2 (0x1)\n\tlibc.so.6 => /lib/x/libc.so.6 (0x1)\n\t/lib64/ld-linux-x86-64.so.2 (0x1)\n"
    with mock.patch.object(
      licences.subprocess, "run", side_effect=lambda words, **unused: mock.Mock(stdout=link if words[0] == "ninja" else said)
    ):
      self.assertEqual(licences.archives("build"), ["/usr/lib/x/libssl.a", "/usr/lib/x/libz.a"])
      self.assertEqual(licences.libraries("libmillrace.so"), ["/lib/x/libdnnl.so.2"])

  def test_nanobind_and_what_is_in_it(self):
    self.write("build/CMakeCache.txt", "A:B=c\nNB_DIR:INTERNAL=%s/site/nanobind\n" % self.folder)
    build = os.path.join(self.folder, "build")
    with self.assertRaisesRegex(LookupError, "nanobind's licence"):
      licences.nanobind(build)
    self.write("site/nanobind-3.1.0.dist-info/licenses/LICENSE", "of nanobind")
    self.write("site/nanobind/ext/robin_map/include/tsl/robin_map.h", "/**\n * MIT License\n *\n * Copyright\n */\n#ifndef A\n")
    self.assertEqual(
      licences.nanobind(build),
      {"third_party/nanobind/copyright": "of nanobind", "third_party/robin-map/copyright": "MIT License\n\nCopyright\n "},
    )

  def test_a_file_of_no_package(self):
    with self.assertRaisesRegex(LookupError, "where is its licence"):
      licences.packages([self.write("libnobody.a")])


class StubsTest(unittest.TestCase):
  def test_lines(self):
    self.assertEqual(stubs.line_of("add", "ops.math.binary:add"), "from millrace.ops.math.binary import add as add")
    self.assertEqual(stubs.line_of("logging", "platform.logging"), "from millrace.platform import logging as logging")
    self.assertEqual(
      stubs.line_of("float32", "framework.dtypes:DType.float32"),
      "from millrace.framework.dtypes import DType as _float32\nfloat32 = _float32.float32",
    )

  def test_all_are_python(self):
    texts = stubs.texts(os.path.join(wheels.ROOT, "python", "millrace"))
    for name, text in texts.items():
      compile(text, name, "exec")
    self.assertIn("from millrace import train as train\n", texts["__init__.pyi"])
    self.assertIn("import MonitoredTrainingSession as MonitoredTrainingSession\n", texts["train/__init__.pyi"])


class WheelsTest(Folder):
  def test_current_is_of_these_sources(self):
    with mock.patch.object(wheels, "ROOT", self.folder), mock.patch.object(wheels, "SOURCES", ("python", "CMakeLists.txt")):
      source = self.write("python/a.py", "1")
      self.write("python/a_test.py", "1")
      self.assertIsNone(wheels.current("release", "cp311-cp311"))
      path = self.write("build/wheel/millrace-0.1.0-cp311-cp311-manylinux_2_36_x86_64.whl")
      self.assertIsNone(wheels.current("release", "cp311-cp311"))
      wheels.remember(wheels.folder("release"), path)
      self.assertEqual(wheels.current("release", "cp311-cp311"), path)
      self.assertIsNone(wheels.current("release", "cp312-cp312"))
      self.assertIsNone(wheels.current("dev", "cp311-cp311"))
      self.write("python/a_test.py", "2")
      self.assertEqual(wheels.current("release", "cp311-cp311"), path)
      with open(source, "w") as file:
        file.write("2")
      self.assertIsNone(wheels.current("release", "cp311-cp311"))

  def test_parts(self):
    path = os.path.join(self.folder, "x.whl")
    with zipfile.ZipFile(path, "w") as archive:
      for name, size in (
        ("millrace/libmillrace.so", 100),
        ("millrace.libs/libdnnl-1.so.2", 50),
        ("millrace/gen/ops_a.py", 20),
        ("millrace/train/a.py", 10),
        ("millrace/nn/__init__.pyi", 5),
        ("millrace-0.1.0.dist-info/RECORD", 3),
        ("millrace-0.1.0.dist-info/METADATA", 1),
      ):
        archive.writestr(name, "x" * size)
    self.assertEqual(
      wheels.parts(path),
      [
        ("millrace/libmillrace.so", 100, 100),
        ("millrace.libs/libdnnl-1.so.2", 50, 50),
        ("wrappers of ops, descriptors of messages", 20, 20),
        ("sources and tables", 10, 10),
        ("stubs", 5, 5),
        ("licences and metadata", 4, 4),
      ],
    )

  def test_of_this_python(self):
    import sys

    self.assertEqual(wheels.of_python(), wheels.of_python(sys.executable))


if __name__ == "__main__":
  unittest.main()
