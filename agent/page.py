"""A page that needs nothing else: one file, no script, nothing fetched; light and dark, made to be read aloud too."""

from __future__ import annotations

from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1d1b18; --paper: #fdfcf9; --soft: #5c574f; --line: #d9d4ca; --link: #8a1c45; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ece8e1; --paper: #191715; --soft: #b3aca1; --line: #46413a; --link: #f09ab9; }
}
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem; color: var(--ink); background: var(--paper);
  font: 1.0625rem/1.6 Georgia, "Times New Roman", serif; overflow-wrap: anywhere; }
main.narrow { max-width: 42rem; margin: 0 auto; }
h1 { font-size: 1.75rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin: 0 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 1rem; }
dd { margin: 0; }
.soft { color: var(--soft); font-size: .9rem; }
.beat { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem;
  border-top: 1px solid var(--line); padding: 1.25rem 0; }
@media (max-width: 55rem) { .beat { grid-template-columns: minmax(0, 1fr); } }
pre { white-space: pre-wrap; font-size: .8rem; line-height: 1.4; border: 1px solid var(--line);
  padding: .75rem; margin: .5rem 0; }
ol, ul { padding-left: 1.5rem; } sup a { text-decoration: none; padding: 0 .15rem; }
:target { background: color-mix(in srgb, var(--link) 18%, transparent); }
@media print { body { color: #000; background: #fff; } details { display: block; } }
""".strip()
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def document(title: str, body: str, *, lang: str = "en", narrow: bool = False) -> str:
    """The page. `body` is HTML, escaped by its maker; the title is text."""
    width = ' class="narrow"' if narrow else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(lang)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
        f"<main{width}>\n<h1>{escape(title)}</h1>\n{body}</main>\n</body>\n</html>\n"
    )


def link(url: str, text: str) -> str:
    """A link to a web page; the text alone for any other address."""
    if not url.startswith(("http://", "https://")):
        return escape(text)
    return f'<a href="{escape(url)}" rel="noreferrer">{escape(text)}</a>'
