"""The manual page, and the completion of bash, zsh and fish, made from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import typer

from paperchute import __version__
from paperchute.cli import front
from paperchute.contract import contract


@dataclass(frozen=True)
class Option:
    """A flag, or an option with a value; an argument where it has no names."""

    names: tuple[str, ...]
    placeholder: str
    """What stands for its value; empty for a flag."""
    help: str
    choices: tuple[str, ...] = ()
    required: bool = False
    repeatable: bool = False


@dataclass(frozen=True)
class Verb:
    """`run`, or `rule add`; a group, such as `rule`, has verbs below it and does nothing by itself."""

    name: str
    help: str
    options: tuple[Option, ...] = ()
    arguments: tuple[Option, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What its first argument can be, where that is known."""
        return self.below or next((argument.choices for argument in self.arguments if argument.choices), ())


def common() -> tuple[Option, ...]:
    """The options before any verb."""
    options = (_option(one) for one in _params(typer.main.get_command(front.app)))
    return tuple(one for one in options if "completion" not in one.names[0])  # typer's own; these files are instead


def verbs() -> Iterator[Verb]:
    """Every verb in the command line's order, one below a group right after it."""
    for name in front.VERBS:
        command: Any = front.Verbs(name=name).resolve_command(_context(), [name])[1]
        inner = getattr(command, "commands", {})
        yield Verb(name, command.help or "", *_taken(command), below=tuple(inner))
        for word, its in inner.items():
            yield Verb(f"{name} {word}", its.help or "", *_taken(its))


def _context() -> Any:
    return typer.Context(typer.main.get_command(front.app), info_name="paperchute")


def _params(command: Any) -> Iterator[Any]:
    return (one for one in command.params if not getattr(one, "hidden", False) and one.name != "help")


def _taken(command: Any) -> tuple[tuple[Option, ...], tuple[Option, ...]]:
    found = [_option(one) for one in _params(command)]
    return tuple(one for one in found if one.names), tuple(one for one in found if not one.names)


def _option(parameter: Any) -> Option:
    is_argument = parameter.param_type_name == "argument"
    return Option(
        () if is_argument else (*parameter.opts, *parameter.secondary_opts),
        "" if getattr(parameter, "is_flag", False) else parameter.name.rstrip("_").replace("_", "-").upper(),
        parameter.help or "",
        _choices(parameter),
        parameter.required,
        parameter.nargs == -1 or getattr(parameter, "multiple", False),
    )


def _choices(parameter: Any) -> tuple[str, ...]:
    if parameter.name in ("operation", "operation_id"):
        return tuple(contract().operations)
    kind = parameter.type_descriptor.annotation
    return tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else ()


def page() -> str:
    """The page for man(1), in the man macros that every system's man knows (man(7))."""
    lines = [
        f'.TH PAPERCHUTE 1 "" "Paperchute {__version__}" "User Commands"',
        ".SH NAME",
        r"paperchute \- hot folders for documents: drop a file, get the result",
        ".SH SYNOPSIS",
        r"\fBpaperchute\fR [\fB\-\-rules\fR \fIFILE\fR] [\fB\-\-state\fR \fIFOLDER\fR] \fIVERB\fR ...",
        ".SH DESCRIPTION",
        _plain(
            "Rules in one text file say what each hot folder does: turn PDFs and scans into text, Word, Excel or HTML, "
            "make scans searchable, print web pages to PDF, merge files and lock them. A file that is dropped into a "
            "hot folder becomes a finished document in the folder beside it."
        ),
        ".PP",
        r"A first rule file is made by \fBpaperchute init\fR; \fBpaperchute run\fR watches and works, and",
        r"\fBpaperchute open\fR shows the page in the browser.",
        ".SH OPTIONS",
        *_items(common()),
        ".SH VERBS",
    ]
    for verb in verbs():
        if not verb.below:
            synopsis = "".join(" " + _taken_as(one) for one in (*verb.arguments, *verb.options))
            lines += [f".SS {_plain(verb.name)}", rf"\fBpaperchute {_plain(verb.name)}\fR{synopsis}", ".PP"]
            lines += [_plain(verb.help), *_items((*verb.arguments, *verb.options))]
    return "\n".join([*lines, *_CLOSING]) + "\n"


_CLOSING = (
    ".SH EXIT STATUS",
    "0: all good. 1: some job failed. 2: the rule file or the command line is wrong. 3: the service is unreachable.",
    ".SH ENVIRONMENT",
    ".TP",
    r"\fBPAPERCHUTE_RULES\fR, \fBPAPERCHUTE_STATE\fR",
    r"Instead of \fB\-\-rules\fR and \fB\-\-state\fR.",
    ".TP",
    r"\fBPAPERCHUTE_LANGUAGE\fR",
    "Language of its sentences: de, en, es, fr or zh_Hans.",
    ".SH FILES",
    ".TP",
    r"\fI~/.config/paperchute/rules.toml\fR",
    "The rules.",
    ".TP",
    r"\fI~/.local/state/paperchute\fR",
    "Journal, log and search index.",
)


def _items(options: tuple[Option, ...]) -> Iterator[str]:
    for option in options:
        if not option.help:  # its name says it all
            continue
        yield ".TP"
        names = ", ".join(rf"\fB{_plain(name)}\fR" for name in option.names)
        value = rf"\fI{_plain(option.placeholder)}\fR" if option.placeholder else ""
        yield " ".join(filter(None, (names, value)))
        yield _plain(option.help)


def _taken_as(option: Option) -> str:
    value = rf"\fI{_plain(option.placeholder)}\fR" if option.placeholder else ""
    told = " ".join(filter(None, (rf"\fB{_plain(option.names[-1])}\fR" if option.names else "", value)))
    told = told if option.required else f"[{told}]"
    return f"{told} ..." if option.repeatable else told


def _plain(text: str) -> str:
    """Text that no macro is read in."""
    text = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    return rf"\&{text}" if text.startswith((".", "'")) else text


def _valued() -> str:
    """The options of all verbs that take a value."""
    every = [*common(), *(option for verb in verbs() for option in verb.options)]
    return " ".join(sorted({name for option in every if option.placeholder for name in option.names}))


_WALK = r"""
  local verb='' skip='' word
  for word in "${(@)before}"; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      (VALUED) skip=1 ;;
      (-*) ;;
      (*) case $verb in
          ('') verb=$word ;;
          (GROUPS) verb="$verb $word" ;;
        esac ;;
    esac
  done
"""
"""The verb among the words `before` the one that is completed; `skip` is set where that is the value of an option."""


def _walk() -> str:
    groups = "|".join(verb.name for verb in verbs() if verb.below)
    return _WALK.replace("VALUED", _valued().replace(" ", "|")).replace("GROUPS", groups).strip("\n")


def bash() -> str:
    """Completion for bash; where it knows nothing, bash completes file names."""
    cases = []
    for verb in (_no_verb(), *verbs()):
        options = " ".join(name for option in verb.options for name in option.names)
        cases.append(f"    ('{verb.name}') words='{' '.join(verb.words)}' options='{options}' ;;")
    walk = _walk().replace("${(@)before}", "${COMP_WORDS[@]:1:COMP_CWORD-1}")
    return "\n".join(
        (
            "# Completion of paperchute for bash",
            "_paperchute() {",
            "  local words='' options='' current=${COMP_WORDS[COMP_CWORD]}",
            walk,
            '  case "$verb" in',
            *cases,
            "  esac",
            "  COMPREPLY=()",
            "  [[ -z $skip ]] || return 0",
            "  [[ $current != -* ]] || words=$options",
            """  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")""",
            "}",
            "complete -o default -F _paperchute paperchute",
            "",
        )
    )


def zsh() -> str:
    """Completion for zsh, with what each word means."""
    told = {verb.name: verb.help for verb in verbs()}
    cases = []
    for verb in (_no_verb(), *verbs()):
        options = " ".join(_zsh(name, option.help) for option in verb.options for name in option.names)
        known = " ".join(_zsh(word, told.get(f"{verb.name} {word}".strip(), "")) for word in verb.words)
        cases.append(f"    ('{verb.name}') known=({known}) options=({options}) ;;")
    walk = _walk().replace("${(@)before}", "${(@)words[2,CURRENT-1]}")
    return "\n".join(
        (
            "#compdef paperchute",
            "_paperchute() {",
            "  local -a known options",
            walk,
            '  case "$verb" in',
            *cases,
            "  esac",
            "  if [[ -n $skip ]]; then _files",
            "  elif [[ $PREFIX == -* ]]; then _describe option options",
            "  elif (( $#known )); then _describe word known",
            "  else _files; fi",
            "}",
            '_paperchute "$@"',
            "",
        )
    )


def fish() -> str:
    """Completion for fish, with what each word means."""
    lines = ["# Completion of paperchute for fish"]
    lines += [_fish("__fish_use_subcommand", option) for option in common()]
    for verb in verbs():
        group, _blank, word = verb.name.rpartition(" ")
        here = " ".join(f"; and __fish_seen_subcommand_from {part}" for part in verb.name.split()).removeprefix(
            "; and "
        )
        if not group:
            lines.append(f"complete -c paperchute -n __fish_use_subcommand -f -a {word} -d {_quoted(verb.help)}")
        else:
            others = f"__fish_seen_subcommand_from {group}; and not __fish_seen_subcommand_from {_below(group)}"
            lines.append(f"complete -c paperchute -n {_quoted(others)} -f -a {word} -d {_quoted(verb.help)}")
        if verb.words and not verb.below:
            lines.append(f"complete -c paperchute -n {_quoted(here)} -a {_quoted(' '.join(verb.words))}")
        lines += [_fish(here, option) for option in verb.options]
    return "\n".join(lines) + "\n"


def _below(group: str) -> str:
    return next(" ".join(verb.below) for verb in verbs() if verb.name == group)


def _fish(condition: str, option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = " -r" if option.placeholder else ""
    if option.choices:
        value += f" -a {_quoted(' '.join(option.choices))}"
    return f"complete -c paperchute -n {_quoted(condition)} {names}{value} -d {_quoted(option.help)}"


def _no_verb() -> Verb:
    """What can stand where no verb stands yet."""
    return Verb("", "", common(), below=tuple(front.VERBS))


def _zsh(word: str, told: str) -> str:
    text = word.replace(":", r"\:") + (f":{told}" if told else "")
    return "'" + text.replace("'", r"'\''") + "'"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", r"\'")
    return f"'{escaped}'"
