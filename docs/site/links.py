"""Find links of HTML pages that lead nowhere, and what they would fetch from a network."""
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"link": "href", "script": "src", "img": "src", "audio": "src", "source": "src",
          "iframe": "src"}


class Page(HTMLParser):
    """A page: `anchors`, its ids; `links`, (target, whether the browser loads it) of each link."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors |= {values[name] or "" for name in ("id", "name") if name in values}
        key = LOADED.get(tag, "href" if tag == "a" else None)
        target = values.get(key or "")
        if target and not (tag == "link" and values.get("rel") in {"canonical", "next", "prev"}):
            self.links.append((target, tag != "a"))


def broken_links(folder: Path) -> list[str]:
    """Return a line for each link of the pages in a folder whose file or anchor is missing, and for
    each file that a page loads from elsewhere."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8"))
             for path in folder.rglob("*.html")}
    found = []
    for path, page in sorted(pages.items()):
        shown = path.relative_to(folder.resolve())
        for target, loaded in page.links:
            url = urlsplit(target)
            if url.scheme in {"data", "mailto"}:
                continue
            if url.scheme or url.netloc:
                if loaded:
                    found.append(f"{shown}: loads {target} from a network")
                continue
            file = (path.parent / unquote(url.path)).resolve() if url.path else path
            if file.is_dir():
                file /= "index.html"
            if not file.is_file():
                found.append(f"{shown}: {target} does not exist")
            elif url.fragment and file in pages and unquote(
                    url.fragment) not in pages[file].anchors:
                found.append(f"{shown}: {target} has no such anchor")
    return sorted(set(found))
