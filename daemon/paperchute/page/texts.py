"""What the page itself says, by the names that its script uses. The sentences stand here to be translated."""

from __future__ import annotations

from paperchute.invocation import command
from paperchute.language import N_, _, current

_TEXTS = {
    "now": N_("Now"),
    "needs": N_("Needs you"),
    "running": N_("Running"),
    "nothing-runs": N_("Nothing is being worked on."),
    "waits": N_("Waiting"),
    "folders": N_("Hot folders"),
    "results": N_("Last results"),
    "no-results": N_("No results yet."),
    "health": N_("Service"),
    "answers": N_("it answers"),
    "calls": N_("{used} calls this month"),
    "calls-of": N_("{used} of {most} calls of this month are used."),
    "pause": N_("Pause"),
    "resume": N_("Resume"),
    "page-of": N_("page {page} of {pages}"),
    "step-of": N_("step {step} of {steps}"),
    "left-seconds": N_("about {n} s left"),
    "left-minutes": N_("about {n} min left"),
    "since": N_("since {n} s"),
    "folder-left": N_("{n} waiting"),
    "folder-done": N_("{n} done in the last hour"),
    "drop": N_("Drop files here, or choose some"),
    "drop-into": N_("Put files into {folder}"),
    "sending": N_("{name}: {percent} % sent"),
    "sent": N_("{name} is in {folder}."),
    "not-sent": N_("{name} was not put there: {reason}"),
    "open": N_("Open"),
    "show": N_("Show"),
    "retry": N_("Try again"),
    "retry-all": N_("Try all again"),
    "put-away": N_("Put away"),
    "put-all-away": N_("Put all away"),
    "failed": N_("Failed"),
    "failed-more": N_("and {n} more"),
    "warned": N_("Done with warnings"),
    "mistakes": N_("The rule file has mistakes, so the rules from before go on."),
    "missing": N_("The rules name what is not there."),
    "advice": N_("Warnings about the rules"),
    "edit-rules": N_("Edit rules"),
    "troubles": N_("What is wrong"),
    "untaken": N_("Not taken by any rule"),
    "all-well": N_("Nothing needs you."),
    "rule": N_("Rule: {rule}"),
    "connecting": N_("Connecting …"),
    "lost": N_("Paperchute does not answer."),
    "ended": N_("This page has ended. Open it again from the tray, or in a terminal: {command}"),
    "failed-call": N_("That did not work: {reason}"),
    "done-call": N_("Done."),
    "to-content": N_("To the content"),
    "views": N_("Views"),
    "title": N_("Paperchute"),
    "first": N_("What should Paperchute do for you?"),
    "first-choose": N_("Choose as much as you like. Each gets a folder of its own, into which you drop files."),
    "first-make": N_("Make the folders"),
    "at-login": N_("Start when you log in"),
    "quit": N_("Quit Paperchute"),
}


def texts() -> dict[str, str]:
    """All of them in the present language, and under "language" which one that is."""
    said = {name: _(text) for name, text in _TEXTS.items()}
    said["ended"] = _(_TEXTS["ended"], command=command("open"))
    return {"language": current(), **said}
