"""usage: check_report.py FILE

Checks that FILE is a loopbench report with plausible percentiles.

exit: 0 it is · 1 it is not
"""

import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    if report["schema"] != "loopbench/1":
        sys.exit(f"error: schema {report['schema']}, not loopbench/1")
    if not report["results"]:
        sys.exit("error: the report has no results")
    for result in report["results"]:
        values = list(result["percentiles"].values())
        if not values or min(values) < 0:
            sys.exit(f"error: missing or negative percentiles: {result}")
    print("note:", len(report["results"]), "results")


main()
