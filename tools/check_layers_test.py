"""Tests of check_layers.py on small trees."""

import os
import tempfile
import unittest

import check_layers

LAYERS = """
base 0 none
graph 2 base
ops.op 2 base graph
ops.cpu 5 base graph ops.op
ops.gpu 5 base graph ops.op ops.cpu
pass 5 base graph + ops.op
"""


class CheckLayersTest(unittest.TestCase):
  def problems(self, path, *lines, layers=LAYERS):
    with tempfile.TemporaryDirectory() as root:
      with open(os.path.join(root, "layers.txt"), "w") as f:
        f.write(layers)
      full = os.path.join(root, path)
      os.makedirs(os.path.dirname(full))
      with open(full, "w") as f:
        f.write("\n".join(lines) + "\n")
      return self.without_edges(check_layers.check(root))

  @staticmethod
  def without_edges(problems):
    """Leaves out the problems of layers.txt, most of whose edges a tree of a file or two does not use."""
    return [problem for problem in problems if not problem.startswith("layers.txt:")]

  def problems_of_tree(self, files):
    with tempfile.TemporaryDirectory() as root:
      for path, text in {"layers.txt": LAYERS, **files}.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
          f.write(text)
      return self.without_edges(check_layers.check(root))

  def problems_of_edges(self, layers, files):
    with tempfile.TemporaryDirectory() as root:
      for path, text in {"layers.txt": layers, **files}.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
          f.write(text)
      return check_layers.check(root)

  def assertOne(self, problems, *parts):
    self.assertEqual(len(problems), 1, problems)
    for part in parts:
      self.assertIn(part, problems[0])

  def test_lower_room_is_allowed(self):
    self.assertEqual(
      [], self.problems("millrace/graph/a.cc", '#include "millrace/base/status.h"', '#include "millrace/graph/node.h"')
    )

  def test_higher_room_is_refused_with_place_and_advice(self):
    self.assertOne(
      self.problems("millrace/graph/a.cc", "", '#include "millrace/pass/prune.h"'),
      "millrace/graph/a.cc:2:",
      "graph (level 2) may not include pass (level 5)",
      "may include: graph base",
    )

  def test_only_unit_tests_may_use_test_edges(self):
    include = '#include "millrace/ops/math/add.op.h"'
    self.assertEqual([], self.problems("millrace/pass/a_test.cc", include))
    self.assertOne(self.problems("millrace/pass/a.cc", include), "pass (level 5) may not include ops.op")

  def test_facets_are_rooms(self):
    self.assertEqual([], self.problems("millrace/ops/math/add.cpu.cc", '#include "millrace/ops/math/add.op.h"'))
    self.assertOne(
      self.problems("millrace/ops/math/add.op.cc", '#include "millrace/ops/math/loop.h"'),
      "ops.op (level 2) may not include ops.cpu",
    )
    self.assertOne(self.problems("millrace/ops/math/add.cc"), "needs a facet")
    self.assertOne(self.problems("millrace/ops/math/add.cpu.cu"), "needs a facet")

  def test_kernels_for_gpus_are_a_room(self):
    path = "millrace/ops/math/add.gpu.cc"
    self.assertEqual([], self.problems(path, '#include "millrace/graph/node.h"', '#include "millrace/ops/math/shapes_of_both.h"'))
    self.assertOne(
      self.problems(path, '#include "millrace/pass/place.h"'),
      "ops.gpu (level 5) may not include pass",
      "may include: ops.gpu base graph ops.op ops.cpu",
    )
    self.assertOne(
      self.problems("millrace/ops/math/add.cpu.cc", '#include "millrace/ops/math/add.gpu.h"'),
      "ops.cpu (level 5) may not include ops.gpu",
    )
    self.assertOne(self.problems("millrace/ops/math/add.gpu.cc", "#include <cuda_runtime.h>"), "nothing is built with CUDA")

  def test_unknown_room(self):
    self.assertOne(self.problems("millrace/graph/a.cc", '#include "millrace/grpah/a.h"'), "is no room")

  def test_examples_include_the_entry_and_rooms_do_not(self):
    self.assertEqual(
      [], self.problems("examples/a/main.cc", '#include "millrace/millrace.h"', '#include "examples/support/lines.h"')
    )
    self.assertOne(self.problems("examples/a/main.cc", '#include "millrace/base/status.h"'), "millrace/millrace.h")
    self.assertOne(self.problems("millrace/graph/a.cc", '#include "millrace/millrace.h"'), "for users")

  def test_third_party_headers(self):
    self.assertOne(self.problems("millrace/pass/a.cc", "#include <grpcpp/grpcpp.h>"), "rpc::Transport")
    self.assertOne(self.problems("millrace/pass/a.cc", '#include "proto/graph/graph.pb.h"'), "protocol's structs")
    self.assertOne(self.problems("millrace/graph/import.cc", '#include "proto/graph/graph.pb.h"'), "protobuf stays in")
    self.assertOne(self.problems("millrace/base/a.cc", "#include <openssl/ssl.h>"), "nothing is built with")
    self.assertOne(self.problems("millrace/base/a.cc", '#include "absl/flags/flag.h"'), "not used here")
    self.assertEqual([], self.problems("millrace/graph/import_test.cc", '#include "proto/graph/graph.pb.h"'))
    self.assertEqual([], self.problems("millrace/ops/convolution/conv.cpu.cc", "#include <dnnl.hpp>"))
    self.assertOne(self.problems("millrace/ops/convolution/conv.op.cc", "#include <dnnl.hpp>"), "*.cpu.cc")

  def test_waiting_goes_through_base(self):
    self.assertEqual([], self.problems("millrace/base/threads/thread.cc", "#include <mutex>", "std::call_once(f);"))
    self.assertOne(self.problems("millrace/graph/a.cc", "#include <mutex>"), "a.cc:1:", "base's Mutex")
    self.assertOne(self.problems("millrace/graph/a.cc", "flag.wait(0);"), "CondVar")
    self.assertOne(self.problems("tests/tiny/a_test.cc", "std::this_thread::yield();"), "base's clock")
    self.assertEqual([], self.problems("millrace/graph/a.cc", "// std::call_once is not used"))
    self.assertEqual([], self.problems("tools/x/main.cc", "#include <chrono>"))

  def test_excuse(self):
    self.assertEqual([], self.problems("millrace/graph/a.cc", "#include <mutex>  // NOLINT(layers): a reason"))

  def test_names_and_headers(self):
    self.assertOne(self.problems("millrace/graph/string_utils.cc"), "says nothing")
    self.assertOne(self.problems("millrace/graph/a.h", "int x;"), "#pragma once")
    self.assertOne(self.problems("millrace/graph/a.cc", '#include "node.h"'), "path from the root")

  def test_facets_of_an_op_have_one_stem(self):
    schema = {"millrace/ops/math/add.op.cc": "MR_OP(Add){};\nMR_OP(Sub){};\n"}
    self.assertEqual(
      [],
      self.problems_of_tree(
        {
          **schema,
          "millrace/ops/math/add.cpu.cc": "MR_KERNELS(Add, Cpu){};\n",
          "millrace/ops/math/add_small.cpu.cc": "MR_KERNELS(\n    Sub, Cpu){};\n",
          "millrace/ops/math/add.gpu.cc": "MR_KERNELS(Sub, Gpu){};\n",
          "millrace/ops/math/add_large.gpu.cc": "MR_KERNELS(\n    Add, Gpu){};\n",
          "millrace/ops/math/add.grad.cc": "MR_GRADIENT(Add)(G& g) {}\nMR_NO_GRADIENT(Sub);\n",
          "millrace/ops/math/add.cases.cc": "MR_CASES(Add)(C& c) {}\n",
          "millrace/ops/math/shared_steps.cases.cc": "void Steps() {}\n",
        }
      ),
    )
    self.assertOne(
      self.problems_of_tree({**schema, "millrace/ops/math/loop.cpu.cc": "\nMR_KERNELS(\n    Sub, Cpu){};\n"}),
      "millrace/ops/math/loop.cpu.cc:2:",
      "the schema of Sub is in millrace/ops/math/add.op.cc",
      "declare this in millrace/ops/math/add.cpu.cc or millrace/ops/math/add_<word>.cpu.cc",
    )
    self.assertOne(
      self.problems_of_tree({**schema, "millrace/ops/math/loop.gpu.cc": "\nMR_KERNELS(\n    Sub, Gpu){};\n"}),
      "millrace/ops/math/loop.gpu.cc:2:",
      "declare this in millrace/ops/math/add.gpu.cc or millrace/ops/math/add_<word>.gpu.cc",
    )
    self.assertOne(
      self.problems_of_tree({**schema, "millrace/ops/math/add.gpu.cc": "MR_KERNELS(Ad, Gpu){};\n"}),
      "millrace/ops/math/add.gpu.cc:1:",
      "has the schema of Ad",
    )
    self.assertOne(
      self.problems_of_tree({**schema, "millrace/ops/math/math.grad.cc": "MR_NO_GRADIENT(Add);\n"}),
      "millrace/ops/math/math.grad.cc:1:",
      "declare this in millrace/ops/math/add.grad.cc, or move",
    )
    self.assertOne(
      self.problems_of_tree({**schema, "millrace/ops/math/add_x.cases.cc": "MR_CASES(Add)(C& c) {}\n"}),
      "declare this in millrace/ops/math/add.cases.cc",
    )
    self.assertOne(
      self.problems_of_tree({**schema, "millrace/ops/other/add.cpu.cc": "MR_KERNELS(Add, Cpu){};\n"}),
      "millrace/ops/other/add.cpu.cc:1:",
      "declare this in millrace/ops/math/add.cpu.cc",
    )

  def test_kernels_are_in_the_files_of_their_device(self):
    schema = {"millrace/ops/math/add.op.cc": "MR_OP(Add){};\n"}
    for suffix, other in (("cpu.cc", "Gpu"), ("gpu.cc", "Cpu")):
      self.assertOne(
        self.problems_of_tree({**schema, "millrace/ops/math/add." + suffix: "\nMR_KERNELS(\n    Add, %s){};\n" % other}),
        "millrace/ops/math/add.%s:2: MR_KERNELS(Add, %s) does not belong in a file *.%s" % (suffix, other, suffix),
      )

  def test_code_for_gpus_lies_beside_what_declares_its_kernels(self):
    code = {"millrace/ops/math/add.gpu.cu": "// No headers.\n"}
    beside = {"millrace/ops/math/add.op.cc": "MR_OP(Add){};\n", "millrace/ops/math/add.gpu.cc": "MR_KERNELS(Add, Gpu){};\n"}
    self.assertEqual([], self.problems_of_tree({**beside, **code}))
    self.assertOne(
      self.problems_of_tree(code), "millrace/ops/math/add.gpu.cu:1: there is no millrace/ops/math/add.gpu.cc beside it"
    )
    code["millrace/ops/math/add.gpu.cu"] += "MR_KERNELS(Add, Gpu){};\n"
    self.assertOne(
      self.problems_of_tree({**beside, **code}),
      "millrace/ops/math/add.gpu.cu:2: code for GPUs is text",
      "declare this in millrace/ops/math/add.gpu.cc",
    )

  def test_code_for_gpus_includes_nothing(self):
    problems = self.problems("millrace/ops/math/add.gpu.cu", "#include <cuda_fp16.h>")
    self.assertIn("add.gpu.cu:1: a text for GPUs includes nothing (cuda_fp16.h)", problems[0])

  def test_a_header_that_is_a_text_for_gpus_is_plain(self):
    path = "millrace/ops/math/add.shared.h"
    self.assertEqual([], self.problems(path, "#pragma once\nMR_SHARED float Add(float a, float b);  // std::plus"))
    self.assertIn(
      "add.shared.h:2: a text for GPUs includes nothing (cmath)", self.problems(path, "#pragma once\n#include <cmath>")[0]
    )
    self.assertIn("add.shared.h:2: a header that is also a text", self.problems(path, "#pragma once\nauto x = std::floor(1);")[0])

  def test_kernels_of_cpus_ask_where_their_memory_is(self):
    path = "millrace/ops/math/add.cpu.cc"
    self.assertOne(self.problems(path, "Bind(&t, ctx.device().allocator());"), "add.cpu.cc:1", "ctx.allocator()")
    for fine in (
      "Bind(&t, ctx.allocator());",
      "ctx.device().allocator()->Copy(to, from);",
      "t.on_device() ? ctx.device().allocator() : host",
    ):
      self.assertEqual([], self.problems(path, fine))
    self.assertEqual([], self.problems("millrace/ops/math/add.gpu.cc", "Bind(&t, ctx.device().allocator());"))

  def test_only_the_asked_files_are_reported(self):
    with tempfile.TemporaryDirectory() as root:
      folder = os.path.join(root, "millrace/ops/math")
      os.makedirs(folder)
      for name, text in (
        ("add.op.cc", "MR_OP(Add){};\n"),
        ("a.cpu.cc", "MR_KERNELS(Add, Cpu){};\n"),
        ("b.grad.cc", "MR_NO_GRADIENT(Add);\n"),
      ):
        with open(os.path.join(folder, name), "w") as f:
          f.write(text)
      with open(os.path.join(root, "layers.txt"), "w") as f:
        f.write(LAYERS)
      self.assertOne(check_layers.check(root, ["millrace/ops/math/a.cpu.cc"]), "a.cpu.cc:1:")

  def test_folders_stay_small(self):
    files = {"millrace/graph/README.md": ""}
    files.update({"millrace/graph/part%d.cc" % i: "" for i in range(check_layers.MOST_FILES)})
    files.update({"millrace/graph/part%d_test.cc" % i: "" for i in range(9)})
    files.update({"millrace/graph/inner/part%d.cc" % i: "" for i in range(9)})
    self.assertEqual([], self.problems_of_tree(files))
    files["millrace/graph/one_more.cc"] = ""
    self.assertOne(
      self.problems_of_tree(files),
      "millrace/graph:1: 46 files beside tests, cases and kernels for GPUs, 45 are",
      "a folder of their own",
    )

  def test_a_full_family_says_what_to_do(self):
    files = {"millrace/ops/nn/op%d.h" % i: "#pragma once\n" for i in range(check_layers.MOST_FILES + 1)}
    self.assertOne(
      self.problems_of_tree(files),
      "millrace/ops/nn:1: 46 files",
      "45 are the most: put an op into the files of one that is alike, or move the files of one idea to millrace/ops/<idea>",
    )

  def test_sizes(self):
    with tempfile.TemporaryDirectory() as root:
      for path in (
        "a/x.op.cc",
        "b/y.op.cc",
        "b/y.cpu.cc",
        "b/y.gpu.cc",
        "b/y.cases.cc",
        "b/y_test.cc",
        "b/README.md",
        "b/in/z.h",
      ):
        path = os.path.join(root, "millrace", "ops", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w"):
          pass
      self.assertEqual(check_layers.sizes(root), [" 2 of 45  b", " 1 of 45  a"])

  def test_edges_are_used(self):
    layers = "base 0 none\ngraph 2 base\npass 5 base graph + kernel\nkernel 3 base graph\n"
    include = '#include "millrace/%s/a.h"\n'
    files = {
      "millrace/base/a.cc": "",
      "millrace/graph/a.cc": include % "base",
      "millrace/kernel/a.cc": include % "base" + include % "graph",
      "millrace/pass/a.cc": include % "base",
      "millrace/pass/b.cc": include % "graph",
      "millrace/pass/a_test.cc": include % "kernel",
    }
    self.assertEqual([], self.problems_of_edges(layers, files))
    self.assertEqual(
      ["layers.txt:3: nothing of pass includes graph; take the edge out"],
      self.problems_of_edges(layers, {**files, "millrace/pass/b.cc": "// millrace/graph/a.h\n"}),
    )
    for path in ("millrace/pass/b_test.cc", "millrace/pass/testing/b.h"):
      self.assertEqual(
        ["layers.txt:3: only tests of pass include graph; put it behind the +"],
        self.problems_of_edges(layers, {**files, "millrace/pass/b.cc": "", path: "#pragma once\n" + include % "graph"}),
      )
    self.assertEqual(
      ["layers.txt:3: no test of pass includes kernel; take the edge out"],
      self.problems_of_edges(layers, {**files, "millrace/pass/a_test.cc": ""}),
    )
    del files["millrace/kernel/a.cc"]
    self.assertEqual(["layers.txt:4: kernel has no files; take the room out"], self.problems_of_edges(layers, files))

  def test_tables_of_facets_are_uses(self):
    layers = "graph 2 none\nops.op 2 graph\nclient 7 graph + ops.op\ntrain 8 client + ops.op\n"
    files = {
      "millrace/graph/all_ops.h": "#pragma once\n",
      "millrace/ops/math/add.op.cc": '#include "millrace/graph/a.h"\n',
      "millrace/client/a.cc": '#include "millrace/graph/all_ops.h"\n',
      "millrace/train/a.cc": '#include "millrace/client/a.h"\n',
    }
    self.assertEqual([], self.problems_of_edges(layers, files))
    files["millrace/client/a.cc"] = '#include "millrace/graph/a.h"\n'
    self.assertEqual(
      [
        "layers.txt:3: no test of client includes ops.op; take the edge out",
        "layers.txt:4: no test of train includes ops.op; take the edge out",
      ],
      self.problems_of_edges(layers, files),
    )

  def test_a_facet_without_files_has_a_table_all_the_same(self):
    layers = "kernel 3 none\nops.cpu 5 kernel\nops.gpu 5 kernel ops.cpu\nclient 7 kernel + ops.cpu ops.gpu\n"
    files = {
      "millrace/kernel/all_kernels.h": "#pragma once\n",
      "millrace/ops/math/add.cpu.cc": '#include "millrace/kernel/a.h"\n',
      "millrace/client/a.cc": '#include "millrace/kernel/all_kernels.h"\n',
    }
    self.assertEqual([], self.problems_of_edges(layers, files))
    self.assertEqual(
      ["layers.txt:3: nothing of ops.gpu includes ops.cpu; take the edge out"],
      self.problems_of_edges(layers, {**files, "millrace/ops/math/add.gpu.cc": '#include "millrace/kernel/a.h"\n'}),
    )
    files["millrace/client/a.cc"] = '#include "millrace/kernel/a.h"\n'
    self.assertIn("layers.txt:3: ops.gpu has no files; take the room out", self.problems_of_edges(layers, files))

  def test_fixtures_of_tests_may_use_test_edges(self):
    include = '#include "millrace/ops/math/add.op.h"'
    self.assertEqual([], self.problems("millrace/pass/testing/a.h", "#pragma once", include))

  def test_layers_file_must_point_downwards(self):
    with self.assertRaises(SystemExit) as e:
      self.problems("millrace/a/a.cc", layers="a 1 none\nb 1 a\n")
    self.assertIn("is not lower", str(e.exception))


class RepositoryTest(unittest.TestCase):
  def test_layers_file_reads(self):
    layers = check_layers.Layers(os.path.join(check_layers.ROOT, "layers.txt"))
    self.assertIn("base", layers.edges["tensor"])


if __name__ == "__main__":
  unittest.main()
