"""usage: bars_test.py

Tests bars.py and the tables of bench.py with reports that are made here.

exit: 0 passed · 1 failed
"""
import argparse
import unittest

import bars
import bench

BAR = "loop | a post | post/self lt | uv | 1.0x"


def report(*series, warnings=()):
    """A report. A series is ((scenario, series, peer), [the median of each round])."""
    return {
        "results": [
            {
                "scenario": scenario, "series": name, "peer": peer,
                "perRound": [
                    {"round": number, "percentiles": {"50": value, "99": value * 10}, "counts": {"wakes": 6, "bursts": 3}}
                    for number, value in enumerate(values, 1)
                ],
            }
            for (scenario, name, peer), values in series
        ],
        "warnings": [{"text": text} for text in warnings],
    }


def pair(ours, theirs):
    return report((("post", "self", "lt"), ours), (("post", "self", "uv"), theirs))


def judge(line, *reports, **others):
    return bars.judge(bars.parse(line)[0], list(reports), **others)


class JudgeTests(unittest.TestCase):
    def test_a_ratio_below_the_bar_in_every_round_meets_it(self):
        found = judge(BAR, pair([9.0] * 30, [10.0] * 30))
        self.assertEqual((found.verdict, found.median, found.high, found.rounds), ("met", 0.9, 0.9, 30))

    def test_a_ratio_above_the_bar_in_every_round_misses_it(self):
        self.assertEqual(judge(BAR, pair([11.0] * 30, [10.0] * 30)).verdict, "missed")

    def test_an_interval_that_includes_the_bar_misses_it_even_if_the_median_is_below(self):
        # 16 rounds are below, 14 above: a median of 0.9.
        found = judge(BAR, pair([9.0] * 16 + [12.0] * 14, [10.0] * 30))
        self.assertEqual((found.verdict, found.median), ("missed, within the noise", 0.9))
        self.assertTrue(found.low <= 1 <= found.high)

    def test_the_ratio_is_taken_within_a_round(self):
        # Every round is 100 times slower than the one before, for both.
        times = [10.0 * 100 ** number for number in range(8)]
        found = judge(BAR, pair([time / 2 for time in times], times))
        self.assertEqual((found.low, found.high), (0.5, 0.5))

    def test_the_rounds_of_several_runs_are_taken_together(self):
        runs = [pair([9.0] * 10, [10.0] * 10) for _ in range(3)]
        self.assertEqual(judge(BAR, *runs).rounds, 30)

    def test_a_missing_peer_is_not_measured(self):
        own = report((("post", "self", "lt"), [1.0] * 30))
        with self.assertRaisesRegex(bars.NotMeasured, "no result of uv in post/self"):
            judge(BAR, own)

    def test_the_warning_about_a_peer_is_the_reason(self):
        own = report((("post", "self", "lt"), [1.0] * 30), warnings=["post/self/uv: no loop"])
        with self.assertRaisesRegex(bars.NotMeasured, "post/self/uv: no loop"):
            judge(BAR, own)

    def test_five_rounds_are_too_few(self):
        with self.assertRaisesRegex(bars.NotMeasured, "5 rounds"):
            judge(BAR, pair([1.0] * 5, [2.0] * 30))

    def test_a_factor_multiplies_the_other_side(self):
        line = "hops | a hop | hop/call lt | 2 wake/across lt | 1.2x"
        found = judge(line, report((("hop", "call", "lt"), [10.0] * 6), (("wake", "across", "lt"), [5.0] * 6)))
        self.assertEqual((found.median, found.verdict), (1.0, "met"))

    def test_the_other_side_has_the_percentile_of_ours(self):
        found = judge("loop | a post | post/self lt p99 | uv | 1.0x", pair([9.0] * 6, [10.0] * 6))
        self.assertEqual((found.ours, found.median), (90, 0.9))

    def test_a_figure_without_another_side_is_judged_by_its_value(self):
        line = "loop | a post | post/self lt | - | 20 ns"
        self.assertEqual(judge(line, pair([19.0] * 6, [1.0] * 6)).verdict, "met")
        self.assertEqual(judge(line, pair([21.0] * 6, [1.0] * 6)).verdict, "missed")

    def test_a_count_is_that_of_a_burst(self):
        found = judge("loop | wakes | post/self lt wakes | - | 3", pair([1.0] * 6, [1.0] * 6))
        self.assertEqual((found.median, found.verdict), (2, "met"))

    def test_an_earlier_program_is_compared_round_by_round(self):
        line = "loop | a post | post/self lt | before lt | 0.4x"
        now, before = pair([3.0] * 6, [1.0] * 6), pair([10.0] * 6, [1.0] * 6)
        self.assertEqual(judge(line, now, earlier=[before]).median, 0.3)
        with self.assertRaisesRegex(bars.NotMeasured, "no earlier program"):
            judge(line, now)

    def test_instructions_are_compared_without_an_interval(self):
        line = "loop | kept | instructions commit.kept | instructions commit | 1.0x"
        counts = {"commit.kept": 298.0, "commit": 289.0}
        found = judge(line, instructions=counts)
        self.assertEqual((round(found.median, 2), found.rounds, found.verdict), (1.03, 0, "missed"))
        with self.assertRaisesRegex(bars.NotMeasured, "no instructions of commit.kept"):
            judge(line, instructions={"commit": 289.0})

    def test_a_difference_of_instructions_is_divided(self):
        line = "loop | an observer | instructions tick.observers - tick / 10 | - | 100"
        self.assertEqual(judge(line, instructions={"tick.observers": 1046.0, "tick": 613.0}).ours, 43.3)


class ParseTests(unittest.TestCase):
    def test_a_faulty_line_is_an_error_with_its_number(self):
        for line, fault in [
            ("loop | a post | post/self lt | uv", "4 cells"),
            ("loop | a post | self | uv | 1.0x", "no series"),
            ("loop | a post | post/self lt | uv | 20 ns", "not a ratio"),
            ("loop | a post | post/self lt | - | 1.0x", "not a time"),
            ("loop | a post | post/self lt | instructions tick | 1.0x", "only instructions"),
        ]:
            with self.assertRaisesRegex(bars.BarError, f"line 2: .*{fault}"):
                bars.parse("# a comment\n" + line)

    def test_the_file_has_figures_of_every_table(self):
        tables = {figure.table for figure in bars.parse(bars.FILE.read_text())}
        self.assertEqual(tables, {"loop", "growth", "operations", "hops", "io", "runloop"})


class Made(bench.Runs):
    """Runs whose programs and reports are made here."""

    def __init__(self, reports, peers=None):
        self.options = argparse.Namespace(peers=None, before=None, runs=len(reports))
        self.rounds = 10
        self.peers = {"loopbench": peers or {"lt": ["post"], "uv": ["post"]}}
        self.series = {"loopbench": {"post/self": None}}
        self.reports = {("loopbench", ("post",)): reports}


class TableTests(unittest.TestCase):
    def row(self, line, **others):
        runs = Made([pair([9.0] * 10, [10.0] * 10)], **others)
        return bench.row(bars.parse(line)[0], runs, {})

    def test_a_row_has_the_figure_and_its_verdict(self):
        cells = ["a post", "`post/self` `lt`", "9 ns", "`uv`", "0.90×", "0.90× to 0.90×", "1.0×", "met"]
        self.assertEqual(self.row(BAR), cells)

    def test_a_busy_machine_is_named(self):
        quiet, loud = report(), report(warnings=["other processes used 1.75 of 2 CPUs during the run"])
        loud["warnings"][0]["id"] = "load"
        self.assertEqual(bench.busy({"a": [quiet]}), "")
        expected = " Not a quiet machine: other processes used up to 1.75 CPUs."
        self.assertEqual(bench.busy({"a": [quiet, loud], "b": [quiet]}), expected)

    def test_a_figure_that_cannot_be_measured_says_why(self):
        for line, reason in [
            ("loop | apply | pool/apply lt | tbb | 1.2x", "loopbench has no series pool/apply"),
            ("loop | a post | post/self lt | asio | 1.0x", "no peer asio in post; loopbench-peers was not built"),
            ("loop | a post | post/self lt | before lt | 1.0x", "no earlier program was named: --before PROGRAM"),
        ]:
            self.assertEqual(self.row(line)[-1], f"not measured: {reason}")


if __name__ == "__main__":
    unittest.main()
