"""What comes of a run: its result is kept, its end is written down, and its task ends with its last run."""

from __future__ import annotations

from collections.abc import Callable

from loguru import logger

from paperchute.engine.metrics import Metrics
from paperchute.engine.tasks.ports import BlobStore, TaskStore, Told
from paperchute.engine.tasks.process import Result
from paperchute.engine.tasks.task import Order
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.engine.work import AskLater, Refused, Work
from paperchute.language import _, speaking


class Completion:
    """Brings runs and their tasks to their end. On any thread."""

    def __init__(
        self,
        store: TaskStore,
        blobs: BlobStore,
        webhooks: Webhooks,
        max_output: int,
        metrics: Metrics,
        tell: Callable[[str, Refused | None], None],
    ) -> None:
        """max_output: bytes that a result may take. tell: hears of ended tasks, and why nothing came of one."""
        self._store = store
        self._blobs = blobs
        self._webhooks = webhooks
        self._max_output = max_output
        self._metrics = metrics
        self._tell = tell

    def done(self, order: Order, work: Work, epoch: int, result: Result) -> None:
        """A worker has ended with a run that it took in this epoch; what it made lies in the work's folder.

        Raises OSError and the store's trouble when that cannot be written down.
        """
        with speaking(order.language):
            self._write_down(order, work, epoch, result)
        self.settle(order.task)

    def fail(self, task: str, run: str, error: Refused, *, epoch: int | None = None, milliseconds: int = 0) -> None:
        """Nothing comes of a run. epoch: the one it must still be at work in, None for any."""
        with self._store.together():
            if self._store.fail(run, epoch, error.code, error.reason, milliseconds):
                self._webhooks.about_file("file.failed", run)
        self._blobs.drop_run(task, run, keep_result=False)

    def settle(self, task: str) -> None:
        """Bring a task to its end when all its runs have come to theirs."""
        with self._store.together():
            found = self._store.get(task)
            if found is None or found.state != "started" or not all(run.ended for run in found.runs):
                return
            if not self._store.end(task, "finished"):
                return
            self._webhooks.about_task("task.finish", task, found.callback)
        if any(run.state == "success" for run in found.runs):
            self._blobs.drop_inputs(task)
        else:
            self._blobs.discard(task)
        self._tell(task, None)

    def _write_down(self, order: Order, work: Work, epoch: int, result: Result) -> None:
        log = logger.bind(task=order.task, operation=order.operation)
        if result.trace:
            log.bind(trace=result.trace).error("a task failed oddly")
        if self._store.get(order.task) is None:
            return  # forgotten in the meantime
        error = Refused(result.code, result.reason)
        if not result.code:
            try:
                self._keep(order, work, epoch, result)
                return
            except Refused as refused:
                error = refused
            except OSError as failed:
                if self._store.remote:
                    raise  # the storage may be there again when the run is begun once more
                log.error("a result could not be stored: {}", failed)
                error = not_kept()
        self.fail(order.task, order.run, error, epoch=epoch, milliseconds=result.milliseconds)

    def _keep(self, order: Order, work: Work, epoch: int, result: Result) -> None:
        name, size = self._blobs.keep(result.outputs, work, order, epoch, self._max_output)
        self._blobs.drop_run(order.task, order.run, keep_result=True)
        said = (result.warnings, result.notes, result.words, result.pages, result.questions)
        told = Told(result.milliseconds, *said)
        with self._store.together():
            if self._store.finish(order.run, epoch, name, size, told):
                self._webhooks.about_file("file.success", order.run)
                return
        self._metrics.fenced(order.operation)
        logger.bind(task=order.task).warning("a result came too late and is not taken")


def not_kept() -> Refused:
    """Nothing comes of a task that was worked on."""
    return Refused("01002", _("the result could not be stored"))


def stopping(*, is_dropped: bool = False) -> AskLater:
    """Said to those who wait, and those who come, when the engine ends. is_dropped: as `AskLater` has it."""
    return AskLater(_("the service is stopping; try again later"), is_dropped=is_dropped)


def busy() -> AskLater:
    """Said when as many wait as may."""
    return AskLater(_("the service is busy; try again later"))
