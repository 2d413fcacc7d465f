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
            return check_layers.check(root)

    def assertOne(self, problems, *parts):
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])

    def test_lower_room_is_allowed(self):
        self.assertEqual([], self.problems("millrace/graph/a.cc", '#include "millrace/base/status.h"',
                                           '#include "millrace/graph/node.h"'))

    def test_higher_room_is_refused_with_place_and_advice(self):
        self.assertOne(self.problems("millrace/graph/a.cc", "", '#include "millrace/pass/prune.h"'),
                       "millrace/graph/a.cc:2:", "graph (level 2) may not include pass (level 5)",
                       "may include: graph base")

    def test_only_unit_tests_may_use_test_edges(self):
        include = '#include "millrace/ops/math/add.op.h"'
        self.assertEqual([], self.problems("millrace/pass/a_test.cc", include))
        self.assertOne(self.problems("millrace/pass/a.cc", include), "pass (level 5) may not include ops.op")

    def test_facets_are_rooms(self):
        self.assertEqual([], self.problems("millrace/ops/math/add.cpu.cc", '#include "millrace/ops/math/add.op.h"'))
        self.assertOne(self.problems("millrace/ops/math/add.op.cc", '#include "millrace/ops/math/loop.h"'),
                       "ops.op (level 2) may not include ops.cpu")
        self.assertOne(self.problems("millrace/ops/math/add.cc"), "needs a facet")

    def test_unknown_room(self):
        self.assertOne(self.problems("millrace/graph/a.cc", '#include "millrace/grpah/a.h"'), "is no room")

    def test_third_party_headers(self):
        self.assertOne(self.problems("millrace/pass/a.cc", "#include <grpcpp/grpcpp.h>"), "rpc::Transport")
        self.assertOne(self.problems("millrace/pass/a.cc", '#include "proto/graph/graph.pb.h"'), "protocol's structs")
        self.assertOne(self.problems("millrace/base/a.cc", '#include "absl/flags/flag.h"'), "not used here")
        self.assertEqual([], self.problems("millrace/graph/import.cc", '#include "proto/graph/graph.pb.h"'))
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
