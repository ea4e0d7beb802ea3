"""One new file of each kind, in a copy of the package: no test asks for an edit elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ("symparam", "templates", "tests", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")

#: Guide and file of each kind; what in the guide's example gets another name, since tests install
#: that very example beside the package; and what the guide says that such a file ends with.
ADDED = {
    ("new-component", "symparam/components/added.py"): (
        {'"bottleneck"': '"added"', "Bottleneck": "Added", "d_neck": "d_added",
         "{neck}": "{added}", "Author year, identifier": "nowhere"}, ""),
    ("new-quantity", "symparam/quantities/added.py"): (
        {'"lora"': '"added"', "LORA": "ADDED", '"r", "r"': r'"r_own", r"r_{\text{own}}"',
         '("lora_rank",)': "()", '"r"': '"r_own"', ", arXiv:2106.09685": ""},
        'GROUP = "Adapters"\nQUANTITIES = (ADDED,)\n'),
    ("new-format", "symparam/formats/added.py"): (
        {'"rst"': '"added"', '".rst"': '".added"', "Rst": "Added",
         "from dataclasses": "from symparam.dataclass"}, ""),
    ("new-family", "symparam/descriptions/families/added.py"): (
        {'("example",)': '("added",)', '"Example"': '"Added"'}, ""),
}
#: How configurations of that family are drawn, which its guide asks for as well.
DRAWING = '''
from tests.differential.draw import Config, Draw


def added(draw: Draw) -> Config:
    """Depth and task."""
    return {"num_hidden_layers": draw.one_of(1, 2, 7),
            "architectures": [draw.one_of("AddedModel", "AddedForCausalLM")]}


DRAWN = {"added": added}
'''
#: The tests that look at all of a kind.
LOOKING = ("tests/test_formats.py tests/test_docs.py tests/test_notation.py "
           "tests/test_components.py tests/test_plugins.py tests/test_assertions.py "
           "tests/test_quantities.py tests/test_bibliography.py tests/test_layers.py").split()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package, its tests and its pages, with one more file of each kind."""
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    for (guide, file), (names, end) in ADDED.items():
        text = (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")
        code = text.split("```python\n")[1].split("```")[0]
        for old, new in names.items():
            assert old in code
            code = code.replace(old, new)
        (tmp_path / file).write_text(f"{code}\n\n{end}", encoding="utf-8")
    (tmp_path / "tests/differential/families/added.py").write_text(DRAWING, encoding="utf-8")
    return tmp_path


def python(folder: Path, *words: str) -> str:
    """What Python says there, of the package that stands there."""
    found = subprocess.run([sys.executable, *words], cwd=folder, check=False, text=True,
                           capture_output=True, timeout=600,
                           env={**os.environ, "PYTHONPATH": str(folder)})
    assert found.returncode == 0, found.stdout[-5000:] + found.stderr[-2000:]
    return found.stdout


@pytest.mark.long
@pytest.mark.timeout(900)
def test_an_addition_is_one_file(copied: Path) -> None:
    said = {kind: python(copied, "-m", "symparam", *words.split()) for kind, words in {
        "component": "count llama-2-7b --ffn added d_added=64",
        "quantity": "derive llama-2-7b --quantity added",
        "format": "count gpt2 --format added"}.items()}
    assert "d_added" in said["component"]
    assert "16,777,216" in said["quantity"]
    assert ".. list-table::" in said["format"]
    for page in ("make_families", "make_quantities"):
        python(copied, f"docs/{page}.py")
    assert "`added`" in (copied / "docs/families.md").read_text(encoding="utf-8")
    assert "## Adapters\n\n- **added**" in (copied / "docs/quantities.md").read_text("utf-8")
    ran = python(copied, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *LOOKING)
    assert " passed" in ran
