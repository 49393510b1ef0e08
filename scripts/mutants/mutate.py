# SPDX-License-Identifier: GPL-2.0-only
"""Mutants of a C file: one small change each, in the body of one function.

A tokenizer is enough, because changes keep the form of expressions and statements, and mutants that
do not compile are not counted. Line numbers do not change.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
  (?P<comment>/\*.*?\*/|//[^\n]*)
 |(?P<cpp>^[ \t]*\#(?:\\\n|[^\n])*)
 |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
 |(?P<number>\b(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b)
 |(?P<name>[A-Za-z_]\w*)
 |(?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
 |(?P<space>\s+)
""", re.X | re.S | re.M)

# Calls that only report, and assertions, are not mutated; nor are their arguments.
REPORTS = re.compile(r"^(trace_\w+|(svc|xprt)_rdma_(count|add|count_add)|pr_\w+|dev_\w+|WARN\w*|BUILD_BUG\w*|lockdep_\w+|might_sleep\w*"
                     r"|sizeof|offsetof|container_of|static_assert|typeof|prefetch\w*|cond_resched|__aligned"
                     r"|INIT_\w+|DEFINE_\w+|EXPORT_\w+|MODULE_\w+|KUNIT_\w+)$")
KEYWORDS = set("""auto break case const continue default do else enum extern for goto if inline
    register return static struct switch typedef union unsigned volatile while fallthrough""".split())
SWAP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
        "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|",
        "|": "&", "^": "&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=",
        "<<=": ">>=", ">>=": "<<=", "++": "--", "--": "++"}
# Names that are easily confused
NAMES = {"DMA_TO_DEVICE": "DMA_FROM_DEVICE", "DMA_FROM_DEVICE": "DMA_TO_DEVICE"}


@dataclass(frozen=True)
class Token:
    """A token that is neither space nor a comment."""
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Mutant:
    """text[start:end] of a file replaced by new."""
    file: str
    function: str
    line: int
    start: int
    end: int
    new: str
    before: str
    after: str

    def apply(self, text):
        """The whole mutated file."""
        lines = text.count("\n", self.start, self.end) - self.new.count("\n")
        return text[:self.start] + self.new + "\n" * lines + text[self.end:]

    def __str__(self):
        return f"{self.file}:{self.line} {self.function}: {self.before}  ->  {self.after}"


def tokens(text):
    """All tokens of a file except spaces and comments."""
    return [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text)
            if m.lastgroup not in ("comment", "cpp", "space")]


def brackets(toks):
    """{index of a bracket: index of its counterpart}."""
    pairs, stack = {}, []
    for i, tok in enumerate(toks):
        if tok.kind == "op" and tok.text in "([{":
            stack.append(i)
        elif tok.kind == "op" and tok.text in ")]}" and stack:
            pairs[i] = stack.pop()
            pairs[pairs[i]] = i
    return pairs


def functions(toks, pairs):
    """(name, first token of the body, the closing brace) of each function."""
    i = begin = 0
    while i < len(toks):
        text = toks[i].text
        if text == ";":
            begin = i + 1
        elif text == "{":
            close = pairs.get(i, len(toks) - 1)
            name = next((toks[k].text for k in range(begin, i)
                         if toks[k].kind == "name" and toks[k + 1].text == "("), None)
            if name and toks[i - 1].text == ")":
                yield name, i + 1, close
            i = close
            begin = i + 1
        i += 1


class Body:
    """Finds the mutants of one function."""

    def __init__(self, file, text, toks, pairs, function):
        self.file, self.text, self.toks, self.pairs = file, text, toks, pairs
        self.name, self.first, self.last = function
        self.found = []
        self.reports = set()
        for i in range(self.first, self.last):
            if toks[i].kind == "name" and REPORTS.match(toks[i].text) and \
               toks[i + 1].text == "(":
                self.reports.update(range(i, pairs[i + 1] + 1))

    def add(self, start, end, new):
        """Add a mutant that replaces a range of the text."""
        text = self.text
        left = text.rfind("\n", 0, start) + 1
        right = text.find("\n", end)
        self.found.append(Mutant(
            self.file, self.name, text.count("\n", 0, start) + 1, start, end, new,
            " ".join(text[left:right].split()),
            " ".join((text[left:start] + new + text[end:right]).split())))

    def replace(self, first, last, new):
        """Add a mutant that replaces the tokens first to last."""
        self.add(self.toks[first].start, self.toks[last].end, new)

    def mutants(self):
        """Find all mutants of the function."""
        for i in range(self.first, self.last):
            if self.is_statement(i):
                self.delete(i)
            if i in self.reports:
                continue
            tok = self.toks[i]
            if tok.kind == "number":
                self.number(i)
            elif tok.kind == "name":
                self.word(i)
            elif tok.kind == "op":
                self.operator(i)
        return self.found

    def is_operand(self, i):
        """True if an operand ends with token i, so a binary operator can follow."""
        tok = self.toks[i]
        return tok.kind in ("number", "string") or tok.text in (")", "]") or \
            (tok.kind == "name" and tok.text not in KEYWORDS)

    def operator(self, i):
        """Replace an operator."""
        tok = self.toks[i]
        if tok.text == "!":
            self.replace(i, i, "")
        if tok.text == "?":
            self.replace(i, i, "&& 0 ?")
            self.replace(i, i, "|| 1 ?")
        new = SWAP.get(tok.text)
        if not new:
            return
        if tok.text in "+-*&" and not (
                self.is_operand(i - 1) and self.text[tok.start - 1].isspace() and
                self.text[tok.end].isspace()):
            return
        self.replace(i, i, new)

    def number(self, i):
        """Change a constant by one, up and down."""
        match = re.match(r"(0[xX])?([0-9a-fA-F]+?)([uUlL]*)$", self.toks[i].text)
        value = int(match[2], 16 if match[1] else 10)
        show = hex if match[1] else str
        self.replace(i, i, show(value + 1) + match[3])
        if value > 0:
            self.replace(i, i, show(value - 1) + match[3])

    def word(self, i):
        """Change conditions and return values."""
        tok = self.toks[i]
        if tok.text in ("if", "while") and self.toks[i + 1].text == "(":
            first, last = i + 2, self.pairs[i + 1] - 1
            if all(k in self.reports for k in range(first, last + 1)):
                return
            cond = self.text[self.toks[first].start:self.toks[last].end]
            self.replace(first, last, f"!({cond})")
            self.replace(first, last, f"({cond}) && 0")
            if tok.text == "if":
                self.replace(first, last, f"({cond}) || 1")
        elif tok.text in NAMES:
            self.replace(i, i, NAMES[tok.text])
        elif tok.text == "return" and self.toks[i + 1].text != ";":
            self.returned(i)
        elif tok.text in ("true", "false") and self.toks[i - 1].text != "return":
            self.replace(i, i, "false" if tok.text == "true" else "true")

    def returned(self, i):
        """Change a return value."""
        last = i
        while self.toks[last + 1].text != ";":
            last = self.pairs[last + 1] if self.toks[last + 1].text in "([{" else last + 1
        value = self.text[self.toks[i + 1].start:self.toks[last].end]
        if value in ("true", "false"):
            new = ["false" if value == "true" else "true"]
        elif value == "NULL":
            new = ["(void *)8"]
        elif re.match(r"(-E[A-Z0-9]+|RPCRDMA_E[A-Z]+)$", value):
            new = ["0", "-EUCLEAN"]
        elif re.match(r"\d+$", value):
            new = []
        else:
            new = [f"!({value})"]
        for text in new:
            self.replace(i + 1, last, text)

    def is_statement(self, i):
        """True if a statement begins with token i."""
        before, tok = self.toks[i - 1].text, self.toks[i]
        if tok.text in ("*", "(", "++", "--"):
            if before not in (";", "{", "}"):
                return False
        elif tok.kind != "name" or tok.text in KEYWORDS or REPORTS.match(tok.text) or \
                self.toks[i + 1].kind != "op" or self.toks[i + 1].text in (":", "*", "?", ";", ","):
            return False
        if before in (";", "{", "}", "else", "do"):
            return not self.in_header(i)
        if before == ")":
            k = self.pairs[i - 1]
            return self.toks[k - 1].text in ("if", "for", "while", "switch") or \
                "for_each" in self.toks[k - 1].text
        if before == ":":
            k = i - 2
            while self.toks[k].text not in (";", "{", "}", "?", "case", "default"):
                k -= 1
            return self.toks[k].text != "?"
        return False

    def in_header(self, i):
        """True if token i is inside parentheses, for example those of a for."""
        return any(self.toks[k].text == "(" and self.pairs.get(k, 0) > i
                   for k in range(max(self.first, i - 60), i))

    def delete(self, i):
        """Delete a statement, a call or an assignment."""
        last = i
        while self.toks[last].text != ";":
            if self.toks[last].text == "{":
                return
            last = self.pairs[last] + 1 if self.toks[last].text in "([" else last + 1
        self.replace(i, last, ";")


def mutants(file, text):
    """All mutants of a file, in the order of the text."""
    toks = tokens(text)
    pairs = brackets(toks)
    found, seen = [], set()
    for function in functions(toks, pairs):
        for mutant in Body(file, text, toks, pairs, function).mutants():
            if (mutant.start, mutant.end, mutant.new) not in seen:
                seen.add((mutant.start, mutant.end, mutant.new))
                found.append(mutant)
    return found
