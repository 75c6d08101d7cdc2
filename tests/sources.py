"""The files of the package, read and parsed once for all tests that search them."""
import ast
from functools import cache


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path):
    """The syntax tree of a Python file: not to be changed."""
    return ast.parse(text_of(path))


@cache
def nodes_of(tree):
    """All nodes of a syntax tree."""
    return tuple(ast.walk(tree))
