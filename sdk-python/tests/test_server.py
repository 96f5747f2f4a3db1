"""Both clients, and the server."""

from __future__ import annotations

import asyncio
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from everpost import AsyncEverpost, Everpost, EverpostError, models

from .conftest import Project


def fresh(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:8]}"


def test_a_mail_is_sent_once_under_one_key(everpost: Everpost, domain: str) -> None:
    def send() -> str:
        return everpost.send(
            to=f"ada@to.{domain}",
            subject="Hello {{ name }}",
            html="<p>Hello {{ name }}</p>",
            type="transactional",
            data={"name": "Ada", "nested": {"any": [1, None]}},
            tags=["python"],
            attachments=[{"filename": "a.txt", "content": "aGVsbG8="}],
            idempotency_key=key,
        )["id"]

    key = fresh("key")
    assert send() == send()
    [sent] = everpost.sends.list(tag="python")["sends"]
    assert (sent["status"], sent["subject"]) == ("sent", "Hello Ada")


def test_a_batch_whose_mails_all_fail_is_an_answer_with_the_error_of_each(everpost: Everpost, domain: str) -> None:
    without_template: models.SendInput = {"to": f"ada@to.{domain}", "template": "no-such-template"}
    answer = everpost.send_batch(mails=[without_template, {"to": "nobody", "template": "receipt"}])
    assert answer["ok"]
    assert [result["code"] for result in answer["results"] if not result["ok"]] == ["unknown_template", "invalid_request"]


def test_a_change_of_a_version_has_its_answer_again_under_its_key(everpost: Everpost) -> None:
    tag = fresh("tag")
    everpost.contacts.upsert(email=f"{tag}@example.com", tags=[tag], status="subscribed")
    everpost.templates.enable("newsletter")
    campaign = everpost.campaigns.create(template="newsletter", audience={"mode": "tag", "tag": tag}, draft=True)["campaignId"]

    at = datetime.now(timezone.utc) + timedelta(days=2)

    def launch(key: str) -> models.CampaignsLaunchAnswer:
        return everpost.campaigns.launch(campaign, if_version=1, schedule_at=at, idempotency_key=key)

    key = fresh("key")
    assert launch(key) == launch(key)
    with pytest.raises(EverpostError) as raised:
        launch(fresh("key"))
    assert raised.value.code == "invalid_status"

    recurring = everpost.recurring_campaigns.create(
        template="newsletter",
        audience={"mode": "tag", "tag": tag},
        recurrence={"every": "week", "on": [2], "at": "09:00", "timezone": "Europe/Berlin"},
    )["recurringCampaign"]

    def skip(key: str) -> models.RecurringCampaignsSkipNextAnswer:
        return everpost.recurring_campaigns.skip_next(recurring["id"], if_version=recurring["version"], idempotency_key=key)

    assert skip(key) == skip(key)
    with pytest.raises(EverpostError) as raised:
        skip(fresh("key"))
    assert raised.value.code == "version_conflict"
    everpost.campaigns.cancel(campaign)
    everpost.recurring_campaigns.end(recurring["id"])


def above_the_limit(tag: str) -> list[str]:
    """Whom the mails of a hundred calls at once go to."""
    return [f"{tag}-{number}@to.example.com" for number in range(100)]


def check_each_once(everpost: Everpost, sent: list[str], emails: list[str]) -> None:
    assert len(set(sent)) == 100
    # The list itself is asked for above the limit, too.
    assert sorted(each["to_email"] for each in everpost.sends.iterate(q=emails[0].split("-")[0])) == sorted(emails)


def test_a_hundred_threads_above_the_rate_limit_all_succeed_and_each_mail_goes_once(limited: Project) -> None:
    emails = above_the_limit(uuid.uuid4().hex[:8])
    with Everpost(limited.api_key, base_url=limited.base_url) as everpost, ThreadPoolExecutor(100) as threads:

        def send(to: str) -> str:
            return everpost.send(to=to, subject="Hello", text="Hello", type="transactional")["id"]

        check_each_once(everpost, list(threads.map(send, emails)), emails)


@pytest.mark.anyio
async def test_a_hundred_tasks_above_the_rate_limit_all_succeed_and_each_mail_goes_once(limited: Project) -> None:
    emails = above_the_limit(uuid.uuid4().hex[:8])
    async with AsyncEverpost(limited.api_key, base_url=limited.base_url) as everpost:
        calls = [everpost.send(to=to, subject="Hello", text="Hello", type="transactional") for to in emails]
        sent = [answer["id"] for answer in await asyncio.gather(*calls)]
    with Everpost(limited.api_key, base_url=limited.base_url) as reading:
        check_each_once(reading, sent, emails)


def test_lists_are_walked_through(everpost: Everpost) -> None:
    tag = fresh("tag")
    everpost.contacts.upsert([{"email": f"{tag}-{number}@example.com", "tags": [tag]} for number in range(5)])
    emails = [contact["email"] for contact in everpost.contacts.iterate(tag=tag, limit=2)]
    assert sorted(emails) == [f"{tag}-{number}@example.com" for number in range(5)]
    contact = everpost.contacts.list(tag=tag, limit=1)["contacts"][0]
    assert everpost.contacts.get(contact["id"])["contact"]["email"] == contact["email"]
    kinds = [entry["kind"] for entry in everpost.contacts.iterate_timeline(contact["id"])]
    assert "contact_created" in kinds
    everpost.contacts.delete(contact["id"])
    with pytest.raises(EverpostError) as raised:
        everpost.contacts.get(contact["id"])
    assert (raised.value.code, raised.value.status) == ("not_found", 404)
    assert raised.value.request_id


def test_refusals_say_what_and_where(everpost: Everpost) -> None:
    with pytest.raises(EverpostError) as raised:
        everpost.contacts.upsert([{"email": "zoe@example.com"}, {"email": "zoe@example"}])
    assert raised.value.code == "invalid_request"
    assert raised.value.issues[0]["path"] == "contacts[1].email"


def test_what_is_scheduled_can_be_moved_and_cancelled(everpost: Everpost, domain: str) -> None:
    at = datetime.now(timezone.utc) + timedelta(days=2)
    answer = everpost.send(to=f"later@to.{domain}", subject="Later", text="Later", type="transactional", send_at=at)
    assert "sendAt" in answer
    everpost.sends.reschedule(answer["id"], send_at=at + timedelta(hours=1))
    assert everpost.sends.cancel(answer["id"])["deleted"] is True


def test_files_go_up_and_come_down(everpost: Everpost, tmp_path: Path) -> None:
    source = tmp_path / "invoice.txt"
    source.write_bytes(b"an invoice\n" * 1000)
    file = everpost.files.upload(file=source)
    assert file["filename"] == "invoice.txt"
    again = tmp_path / "again.txt"
    everpost.files.content(file["id"]).save(again)
    assert again.read_bytes() == source.read_bytes()
    with source.open("rb") as opened:
        assert everpost.files.upload(file=opened)["filename"] == "invoice.txt"
    assert file["id"] in [each["id"] for each in everpost.files.iterate(limit=1)]


def test_a_file_of_people_is_imported_as_its_settings_say(everpost: Everpost) -> None:
    name = fresh("imported")
    rows = f"Mail,Name\n{name}@example.com,Ida\n".encode()
    found = everpost.imports.columns(file=("people.csv", rows))
    assert [column["name"] for column in found["columns"]] == ["Mail", "Name"]
    done = everpost.imports.create(
        file=("people.csv", rows, "text/csv"),
        settings={"mapping": {"Mail": "email", "Name": "first_name"}},
        dry_run=True,
    )
    assert done["import"]["dry_run"] is True


def test_an_export_is_read_line_by_line(everpost: Everpost) -> None:
    name = fresh("exported")
    everpost.contacts.upsert(email=f"{name}@example.com", tags=[name])
    with everpost.contacts.export(tag=name) as export:
        assert export.content_type.startswith("text/csv")
        lines = list(export.iter_lines())
    assert len(lines) == 2
    assert f"{name}@example.com" in lines[1]


def test_a_key_that_is_wrong_is_told(everpost: Everpost) -> None:
    with pytest.raises(EverpostError) as raised:
        Everpost("ep_live_wrong").me()
    assert raised.value.code == "unauthorized"


def test_pages_for_people_are_text(everpost: Everpost) -> None:
    with pytest.raises(EverpostError) as raised:
        everpost.pages.show_unsubscribe(c="", t="")
    assert raised.value.code == "unexpected_answer"
    assert everpost.service.health()["status"]


@pytest.mark.anyio
async def test_the_asynchronous_client_does_the_same(domain: str, tmp_path: Path) -> None:
    tag = fresh("tag")
    async with AsyncEverpost() as everpost:
        await everpost.contacts.upsert([{"email": f"{tag}-{number}@to.{domain}", "tags": [tag]} for number in range(3)])
        emails = [contact["email"] async for contact in everpost.contacts.iterate(tag=tag, limit=2)]
        assert len(emails) == 3
        sent = await everpost.send(to=emails[0], subject="Hello", text="Hello", type="transactional")
        assert (await everpost.sends.list(q=emails[0]))["sends"][0]["subject"] == "Hello"
        assert sent["ok"]
        file = await everpost.files.upload(file=("a.txt", b"hello"))
        async with await everpost.files.content(file["id"]) as content:
            assert await content.read() == b"hello"
        await (await everpost.contacts.export(tag=tag)).save(tmp_path / "all.csv")
        with pytest.raises(EverpostError):
            await everpost.contacts.get("nobody")
