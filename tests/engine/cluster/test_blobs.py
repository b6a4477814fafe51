"""What a store of files promises, asked of each that there is; and what only the shared one does."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from paperchute.engine.settings import Limits
from paperchute.engine.tasks.ports import BlobStore, work_of
from paperchute.engine.tasks.storage import FolderBlobs
from paperchute.engine.tasks.task import Order, Run, StoredFile
from paperchute.engine.work import AskLater, FetchPolicy, Refused, Work

_MOST = 10_000
Make = Callable[[str], BlobStore]


@pytest.fixture(params=["folders", "objects"])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes what an engine of this name has; folders are one engine's."""
    if request.param == "folders":
        alone = FolderBlobs(tmp_path / "files", _MOST)
        return lambda name: alone
    pytest.importorskip("obstore")
    from paperchute.engine.cluster.objects import ObjectBlobs, bucket_at

    url = request.getfixturevalue("storage_url")
    return lambda name: ObjectBlobs(bucket_at(url), tmp_path / name, Limits(max_storage=_MOST), lambda: 0)


def _order(blobs: BlobStore, content: bytes = b"<p>x") -> Order:
    task = blobs.new_task()
    path = blobs.inputs(task) / "00001"
    path.write_bytes(content)
    blobs.count_again(task)
    file = StoredFile("file", blobs.key_of(path), "a b.html", "html")
    return Order("r" + task, task, "html-to-pdf", "a b.html", (file,), {}, "{}", len(content), "en")


def _run(order: Order, epoch: int = 1, state: str = "success") -> Run:
    texts = {"token": "", "upload": "u", "file_name": "", "parameters": "", "order_text": "", "output_name": "ü.pdf"}
    numbers = {"number": 0, "upload_until": 0.0, "file_size": 0, "output_size": 0, "milliseconds": 0}
    numbers |= {"starts": 1, "pages": 1}
    rest = {"code": "", "reason": "", "warnings": "[]", "notes": "[]", "words": "{}", "epoch": epoch, "job": ""}
    rest |= {"questions": "[]"}
    return Run(order.run, order.task, operation=order.operation, state=state, **texts, **numbers, **rest)  # type: ignore[arg-type]


def _at_work(blobs: BlobStore, order: Order) -> Work:
    blobs.fetch(order)
    return work_of(order, blobs, FetchPolicy())


def _made(work: Work, *contents: bytes) -> tuple[Path, ...]:
    paths = tuple(work.folder / f"{number}.pdf" for number in range(len(contents)))
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return paths


def _fetched(blobs: BlobStore, run: Run) -> bytes:
    found = blobs.download(run, "GET")
    return httpx.get(found).content if isinstance(found, str) else found.read_bytes()


def test_what_arrives_at_one_engine_is_worked_on_by_another_and_fetched_from_a_third(engines: Make) -> None:
    order = _order(engines("arriving"))
    engines("arriving").check_room()
    arriving, working, asked = engines("arriving"), engines("working"), engines("asked")
    order = _order(arriving)
    arriving.publish(order.task, [order])
    work = _at_work(working, order)
    assert work.sources[0].path.read_bytes() == b"<p>x"
    assert working.keep(_made(work, b"done"), work, order, 1, 100) == ("0.pdf", 4)
    working.drop_run(order.task, order.run, keep_result=True)
    assert asked.has_result(_run(order))
    assert _fetched(asked, _run(order)) == b"done"
    asked.discard(order.task)
    assert not asked.has_result(_run(order))


def test_several_results_are_one_zip(engines: Make, tmp_path: Path) -> None:
    blobs = engines("one")
    order = _order(blobs)
    blobs.publish(order.task, [order])
    work = _at_work(blobs, order)
    name, size = blobs.keep(_made(work, b"1", b"2"), work, order, 1, 100)
    content = _fetched(blobs, _run(order))
    (tmp_path / "got.zip").write_bytes(content)
    assert (name, size) == ("a b.zip", len(content))
    assert zipfile.ZipFile(tmp_path / "got.zip").namelist() == ["0.pdf", "1.pdf"]


def test_what_is_too_large_or_lies_elsewhere_is_not_kept(engines: Make, tmp_path: Path) -> None:
    blobs = engines("one")
    order = _order(blobs)
    blobs.publish(order.task, [order])
    work = _at_work(blobs, order)
    with pytest.raises(Refused, match="larger"):
        blobs.keep(_made(work, b"12345"), work, order, 1, 4)
    (tmp_path / "other").write_bytes(b"secret")
    with pytest.raises(OSError, match="not a file in"):
        blobs.keep((tmp_path / "other",), work, order, 1, 100)
    assert not blobs.has_result(_run(order))


def test_what_arrives_has_bounds(engines: Make) -> None:
    blobs = engines("one")
    task = blobs.new_task()
    blobs.take(task, _MOST)
    with pytest.raises(AskLater):
        blobs.take(task, 1)
    blobs.discard(task)
    blobs.check_room()


def test_a_draft_has_come_when_its_file_has(engines: Make) -> None:
    blobs = engines("one")
    task = blobs.new_task()
    draft = _run(Order("r", task, "html-to-pdf", "a", (), {}, "{}", 0, "en"), state="draft")
    assert blobs.arrived(draft) is None
    link = blobs.upload_link(draft)
    content = b"PK\x03\x04" + bytes(200_000)
    if link:
        assert httpx.put(link, content=content, headers={"Content-Type": "text/html"}).status_code == 200
    else:
        (blobs.inputs(task) / draft.id).write_bytes(content)
    come = blobs.arrived(draft)
    assert come is not None
    assert (come.size, come.path.read_bytes()) == (len(content), content)
    if link:  # whoever has the address changes nothing any more
        assert httpx.put(link, content=b"other").status_code == 200
        file = StoredFile("file", come.key, "a", "html")
        order = Order("r", task, "html-to-pdf", "a", (file,), {}, "{}", come.size, "en")
        blobs.publish(task, [order])
        assert _at_work(engines("two"), order).sources[0].path.read_bytes() == content
    again = blobs.arrived(draft)
    assert again is not None
    blobs.let_go(again)
    if link:
        from paperchute.engine.cluster.objects import GoneError

        with pytest.raises(GoneError):  # no copy is left of each start that is refused
            _at_work(engines("three"), replace(order, files=(replace(file, key=again.key),)))
    assert blobs.arrived(draft) is not None


def test_who_comes_late_overwrites_nothing(storage_url: str, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    from paperchute.engine.cluster.objects import ObjectBlobs, bucket_at

    late, prompt = (
        ObjectBlobs(bucket_at(storage_url), tmp_path / name, Limits(), lambda: 0) for name in ("late", "prompt")
    )
    order = _order(late)
    late.publish(order.task, [order])
    works = [_at_work(blobs, order) for blobs in (late, prompt)]
    prompt.keep(_made(works[1], b"second"), works[1], order, 2, 100)
    late.keep(_made(works[0], b"first"), works[0], order, 1, 100)
    assert _fetched(prompt, _run(order, epoch=2)) == b"second"
    found = prompt.download(_run(order, epoch=2), "HEAD")
    assert isinstance(found, str)
    head = httpx.head(found)
    assert (head.status_code, head.headers["content-length"]) == (200, "6")
    assert head.headers["content-disposition"] == "attachment; filename*=UTF-8''0.pdf"


@pytest.mark.parametrize("by_link", [False, True])
def test_a_file_that_comes_out_changed_is_not_worked_on(by_link: bool, storage_url: str, tmp_path: Path) -> None:
    obstore = pytest.importorskip("obstore")
    from paperchute.engine.cluster.objects import DamagedError, ObjectBlobs, bucket_at

    bucket = bucket_at(storage_url)
    blobs = ObjectBlobs(bucket, tmp_path / "one", Limits(), lambda: 0)
    order = _order(blobs, b"<p>all of it")
    blobs.publish(order.task, [order])
    (file,) = order.files
    attributes = {} if by_link else obstore.get(bucket, file.key).attributes
    obstore.put(bucket, file.key, b"<p>all" if by_link else b"<p>all of us", attributes=attributes)
    with pytest.raises(DamagedError):
        blobs.fetch(order)


def test_a_full_storage_says_so(storage_url: str, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    from paperchute.engine.cluster.objects import ObjectBlobs, bucket_at

    blobs = ObjectBlobs(bucket_at(storage_url), tmp_path / "one", Limits(max_storage=_MOST), lambda: _MOST)
    with pytest.raises(AskLater):
        blobs.check_room()


def test_another_kind_of_address_is_refused() -> None:
    pytest.importorskip("obstore")
    from paperchute.engine.cluster.objects import bucket_at

    for url in ("papers", "s3:///x", "https://papers.example/x"):
        with pytest.raises(ValueError, match="s3://bucket/prefix"):
            bucket_at(url)
