"""Malformed HLO: what was expected, what was found, and where; and HLO that only looks malformed."""

import unittest

from malformed import Case


class Hlo(Case):
    HEAD = "ENTRY e { a = f32[4] parameter(0) ROOT b = "

    def test_shapes(self):
        self.refused(
            "hlo_trace",
            {
                self.HEAD + text + "\n": error
                for text, error in {
                    "f32[4]{0:T(8 negate(a) }": """1:50: expected a layout that ends with '}', found "{0:T(8 negate(a) }\"""",
                    "f32[4]{0 negate(a) }": '2:1: expected an opcode, found end of file within the computation "e" of line 1',
                    "f32[<4] negate(a) }": """1:49: expected '=' of a dynamic dimension, found "4] negate(a) }\"""",
                    "f32[4 5] negate(a) }": """1:50: expected ',' or ']' of a shape, found "5] negate(a) }\"""",
                    "(f32[4] f32[4]) custom-call(a) }": """1:52: expected ',' or ')' of a tuple's shape, found "f32[4]) custom-call(a) }\"""",
                    "f32[4] negate(f32[4 a) }": '1:67: expected an operand, found "}"',
                }.items()
            },
        )
        self.refused(
            "hlo_trace",
            {
                "%c (x: f32[2]) -> f32[2 { x = f32[2] parameter(0) }\n": """1:18: expected the shape of a computation's result, found " f32[2 { x = f32[2] parameter(0) }\"""",
                "%c (x: f32[2]) -> { x = f32[2] parameter(0) }\n": """1:18: expected the shape of a computation's result, found " { x = f32[2] parameter(0) }\"""",
                "%c (x: f32[2] -> f32[2] { x = f32[2] parameter(0) }\n": "2:1: expected the end of a computation's parameters, found end of file",
            },
        )

    def test_shapes_of_operands(self):
        """An operand may bring its shape, of any form; empty tuples are none; a layout that orders nothing is the default one."""
        for text in (
            "f32[4] negate(b(f32[4]) a)",
            "f32[4] negate(f32[4]{0} %a)",
            "f32[4] negate((f32[4], s32[]) a)",
            "f32[4]{9} negate(a)",
            "f32[4]{0:E(0)T(8)} negate(a)",
            "f32[4] negate(a), literal=s32[] 1, x=2",
            "f32[4] negate(a), literal=s32[]",
        ):
            self.assertEqual([(0,), (4,)], self.read("hlo_trace", self.HEAD + text + " }\n", "op_flops"), text)
        self.assertEqual([("f32[4]",), ("()",)], self.read("hlo_trace", self.HEAD + "() tuple() }\n", "shape"))
        self.assertEqual(
            [("((), f32[4])", 0)],
            self.read("hlo_trace", self.HEAD + "((), f32[4]) custom-call(a) }\n", "shape, cost_known")[1:],
        )

    def test_instructions(self):
        self.refused(
            "hlo_trace",
            {
                "ENTRY e { a f32[] parameter(0) }\n": """1:13: expected '=' behind the name of an instruction, found "f32[] parameter(0) }\"""",
                "ENTRY e { a = f32[] parameter }\n": """1:31: expected '(' behind the opcode, found "}\"""",
                "ENTRY e { a = f32[] parameter(x) }\n": '1:31: expected the number of a parameter, found "x) }"',
                "ENTRY e { a = f32[] parameter(-1) }\n": '1:33: expected the number of a parameter, found ") }"',
                "ENTRY e { a = f32[] parameter(0 }\n": """1:33: expected ')', found "}\"""",
                "ENTRY e { a = f32[] parameter(0), }\n": '1:35: expected the name of an attribute, found "}"',
                "ENTRY e { a = f32[] parameter(0), x }\n": """1:37: expected '=' behind the name of an attribute, found "}\"""",
                "ENTRY e { a = f32[] parameter(0) b = f32[] add(a, ) }\n": '1:51: expected an operand, found ") }"',
                "ENTRY e { a = f32[] parameter(0) b = f32[] add(a a) }\n": """1:50: expected ',' or ')', found "a) }\"""",
                "ENTRY e { t = (f32[]) parameter(0) a = f32[] get-tuple-element(t), index=-1 }\n": '1:46: expected an index of get-tuple-element, found "get-tuple-element(t), index=-1 }"',
                "ENTRY e { t = (f32[]) parameter(0) a = f32[] get-tuple-element(t) }\n": '1:46: expected an index of get-tuple-element, found "get-tuple-element(t) }"',
                "ENTRY e { t = (f32[]) parameter(0) a = f32[] negate(t#1) }\n": '1:54: expected an element that the tuple has, found "#1) }"',
                "ENTRY e { t = (f32[]) parameter(0) a = f32[] negate(t#-1) }\n": '1:54: expected an element that the tuple has, found "#-1) }"',
                "ENTRY e { t = (f32[]) parameter(0) a = f32[] negate(t#0#0) }\n": '1:56: expected an element that the tuple has, found "#0) }"',
                "ENTRY e { t = (f32[]) parameter(0) a = f32[] negate(t#) }\n": """1:54: expected '#' and the number of an element, 64 tuples deep at most, found "#) }\"""",
                "ENTRY e { t = "
                + "(" * 65
                + "f32[]"
                + ")" * 65
                + " parameter(0) a = f32[] negate(t"
                + "#0" * 65
                + ") }\n": """1:310: expected '#' and the number of an element, 64 tuples deep at most, found "#0) }\"""",
                "ENTRY e { a = f32[] parameter(0) c = dot(a, a) }\n": '1:38: expected a shape before the opcode, found "dot(a, a) }"',
                "ENTRY e { a = f32[] constant(1 /* open\n": '2:1: expected the end of a constant, found end of file within the computation "e" of line 1',
                self.HEAD
                + 'f32[4] negate(a), metadata={op_name="a/b" source="\\"} }\n': '2:1: expected the end of an attribute\'s value, found end of file within the computation "e" of line 1',
                self.HEAD
                + "f32[4] fusion(a), calls={ROOT n = f32[4] negate(a)} }\n": '1:92: expected the name of an instruction above, as operand, found "a)} }"',
                self.HEAD
                + "f32[4] conditional(a, a), branch_computations={ROOT, e} }\n": '1: expected a computation of this module, found "ROOT"',
            },
        )

    def test_computations(self):
        self.refused(
            "hlo_trace",
            {
                "ENTRY e ( { a = f32[] parameter(0) }\n": "2:1: expected the end of a computation's parameters, found end of file",
                "ENTRY e x { a = f32[] parameter(0) }\n": """1:9: expected '{' of a computation, found "x { a = f32[] parameter(0) }\"""",
                'c { x = f32[2] parameter(0) }, execution_thread="main\n': "2:1: expected the end of an attribute's value, found end of file",
                "c { x = f32[2] parameter(0) }, execution_thread\n": """2:1: expected '=' behind the name of an attribute, found end of file within the computation "c" of line 1""",
            },
        )
        # Words of the grammar may be names.
        self.assertEqual([("ROOT",)], self.read("hlo_trace", "ENTRY ENTRY { ROOT = f32[] parameter(0) }\n", "name"))
        self.assertEqual([("ENTRY",)], self.read("hlo_cost", "ENTRY { a = f32[] parameter(0) }\n", "entry"))

    def test_headers(self):
        self.refused(
            "hlo_cost",
            {
                "HloModule\n": "2:1: expected the name of a module, found end of file",
                "HloModule m, x\nENTRY e { }\n": '2:1: expected key=value of a module, found "ENTRY e { }"',
                "HloModule m, x={\nENTRY e { }\n": "3:1: expected the end of a value of the module's header, found end of file",
                "HloModule m\nFileNames\n1 a\n\nENTRY e { }\n": '3:3: expected a number with a string or braces, found "a"',
                'HloModule m\nFileNames\n1 "a\n\nENTRY e { }\n': '3:3: expected a number with a string or braces, found ""a"',
                'HloModule m\nFileNames\n99999999999999999999 "a"\n': '3:1: expected a number with a string or braces, found "99999999999999999999 "a""',
            },
        )
        self.assertEqual(
            [(1, 1, 1)],
            self.read(
                "hlo_cost",
                "HloModule m, replica_count=0, num_partitions=-3\nENTRY e { a = f32[] parameter(0) }\n",
                "num_partitions, replica_count, devices",
            ),
        )
        self.assertEqual(
            [(2, 3, 6)],
            self.read(
                "hlo_cost",
                "HloModule m, replica_count=3, num_partitions=2\nENTRY e { a = f32[] parameter(0) }\n",
                "num_partitions, replica_count, devices",
            ),
        )

    def test_comments(self):
        """Of both kinds, wherever a space may be, and within values; a lone slash is none."""
        text = (
            "HloModule m // c\nENTRY e { a = f32[] /* x */ parameter(0) // no\n"
            " b = f32[] constant(/* { */ 1), x={/* } */ a / b} }\n// end"
        )
        self.assertEqual([("a",), ("b",)], self.read("hlo_trace", text, "name"))


if __name__ == "__main__":
    unittest.main()
