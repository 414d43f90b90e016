"""Holds rendered pages against what they may be: known tags, whole rows, no address but that of the run."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

TAGS = {"a", "br", "code", "details", "em", "h3", "h4", "p", "summary", "table", "tbody", "td", "th", "thead", "tr"}
RUN = "https://git.example/acme/agent/actions/runs/7"
VOID = {"br"}


class Page(HTMLParser):
    """Tags that are open, cells a row, and every fault."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.rows, self.cells = [], [], 0, 0
        self.table = None

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            self.faults.append(f"tag {tag}")
        for name, value in attributes:
            known = (tag, name) == ("a", "href") and value == RUN or (tag, name) == ("td", "colspan")
            if not known:
                self.faults.append(f"{tag} {name}={value!r}")
            if name == "colspan":
                self.cells += int(value) - 1
        if tag == "table":
            self.table = None
        if tag == "tr":
            self.rows, self.cells = self.rows + 1, 0
        if tag in {"td", "th"}:
            self.cells += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"end of {tag} out of order")
        if tag == "tr":
            self.table = self.table or self.cells
            if self.cells != self.table:
                self.faults.append(f"row {self.rows} has {self.cells} cells of {self.table}")

    def handle_decl(self, decl):
        self.faults.append(f"declaration {decl}")

    def unknown_decl(self, data):
        self.faults.append(f"section {data}")

    def handle_pi(self, data):
        self.faults.append(f"instruction {data}")


def check(file):
    """The faults of one rendered page."""
    text = file.read_text(encoding="utf-8")
    source = file.with_name(file.name.split(".")[0] + ".md").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    rows = len(re.findall(r"^<tr>", source, re.MULTILINE))
    if page.rows != rows:
        page.faults.append(f"{page.rows} rows, written were {rows}")
    if page.open:
        page.faults.append(f"left open: {page.open}")
    return [f"{file}: {fault}" for fault in page.faults]


files = [Path(name) for name in sys.argv[1:]]
faults = [fault for file in files for fault in check(file)]
print("\n".join(faults) if faults else f"{len(files)} pages hold hostile text as text alone")
sys.exit(1 if faults or not files else 0)
