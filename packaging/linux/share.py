"""What a desktop and a shell know Paperchute by, as it lies below /usr/share: `python packaging/linux/share.py OUT`.

Menu entry, icons, manual page, and the completion of three shells.
"""

from __future__ import annotations

import sys
from pathlib import Path

import manual

from paperchute.desktop.icon import draw
from paperchute.events import Status
from paperchute.language import N_, _, use
from paperchute.language.catalogue import ENGLISH, FOLDER

ICON_SIZES = (16, 22, 24, 32, 48, 64, 128, 256)
ABOUT = N_("Hot folders for documents: drop a file, get the result.")
START = 'sh -c "paperchute open || exec paperchute run"'
"""Shows the page of the one that runs, else starts it."""


def menu_entry() -> str:
    """The entry of the desktop's menu ("Desktop Entry Specification" 1.5), in every language of the catalogue."""
    lines = ["[Desktop Entry]", "Type=Application", "Name=Paperchute", f"Comment={ABOUT.rstrip('.')}"]
    try:
        for language in sorted(file.stem for file in FOLDER.glob("*.po")):
            use(language)
            lines.append(f"Comment[{'zh_CN' if language == 'zh_Hans' else language}]={_(ABOUT).rstrip('.。')}")
    finally:
        use(ENGLISH)
    return "\n".join(
        [
            *lines,
            f"Exec={START}",
            "TryExec=paperchute",
            "Icon=paperchute",
            "Terminal=false",
            "Categories=Office;",
            "Keywords=PDF;OCR;scan;convert;",
            "StartupNotify=false",
            "",
        ]
    )


def main(share: Path) -> None:
    """Write all of it below `share`."""
    texts = {
        "applications/paperchute.desktop": menu_entry(),
        "man/man1/paperchute.1": manual.page(),
        "bash-completion/completions/paperchute": manual.bash(),
        "zsh/vendor-completions/_paperchute": manual.zsh(),
        "fish/vendor_completions.d/paperchute.fish": manual.fish(),
    }
    for name, text in texts.items():
        (share / name).parent.mkdir(parents=True, exist_ok=True)
        (share / name).write_text(text, "utf-8", newline="\n")
    for size in ICON_SIZES:
        place = share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / "paperchute.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        draw(Status("idle"), size).save(place)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
