"""The unmodified PyPI SDK against an installation. Prints one JSON line per case; its strict models judge every answer.

    python python_sdk.py --list      names of the cases
    python python_sdk.py NAME        runs one
"""

import asyncio
import json
import os
import sys
import time
import traceback
import uuid

os.environ.pop("BROWSER_USE_X402_PRIVATE_KEY", None)

from browser_use_sdk.v3 import AsyncBrowserUse, BrowserUse  # noqa: E402
from pydantic import BaseModel  # noqa: E402

URL = os.environ["PODWRIGHT_URL"].rstrip("/")
KEY = os.environ["PODWRIGHT_API_KEY"]
client = BrowserUse(api_key=KEY, base_url=f"{URL}/api/v3")


def refusal(act):
    """Status and words of the error that `act` must raise."""
    try:
        act()
    except Exception as error:  # the SDK's own type is what is looked at
        return getattr(error, "status_code", None), str(error)
    raise AssertionError("it did not fail")


def wait_for(read, wanted, seconds=150):
    deadline = time.monotonic() + seconds
    while (seen := read()) != wanted:
        assert time.monotonic() < deadline, f"still {seen}, not {wanted}"
        time.sleep(0.5)


def a_run_ends_stopped_with_its_output():
    for prefix in ("/api/v3", "/v3"):
        result = BrowserUse(api_key=KEY, base_url=URL + prefix).run("echo:hi")
        assert result.status.value == "stopped", result.status
        assert result.output == "hi", result.output
        assert result.is_task_successful is True


def a_follow_up_gives_its_own_output():
    first = client.run('json:{"n":0}', keep_alive=True)
    for n in range(1, 6):
        result = client.run(json.dumps({"n": n}).join(("json:", "")), session_id=str(first.id), keep_alive=True)
        assert result.output == {"n": n} or json.loads(result.output) == {"n": n}, result.output
    client.sessions.stop(str(first.id))


class Item(BaseModel):
    sku: str
    count: int


class Shop(BaseModel):
    name: str
    items: list[Item]


def a_model_with_definitions_gives_a_typed_object():
    wanted = {"name": "Copper", "items": [{"sku": "a-1", "count": 3}]}
    result = client.run(f"json:{json.dumps(wanted)}", output_schema=Shop)
    assert isinstance(result.output, Shop), type(result.output)
    assert result.output.model_dump() == wanted


def streaming_gives_every_message_once_and_a_follow_up_only_new_ones():
    seen = []
    stream = client.stream("slow:4", keep_alive=True)
    for message in stream:
        seen.append(str(message.id))
    session_id = str(stream.result.id) if getattr(stream, "result", None) else str(client.sessions.list().sessions[0].id)
    assert len(seen) == len(set(seen)) and seen, seen
    known = [str(message.id) for message in client.sessions.messages(session_id, limit=100).messages]
    assert seen == known, (seen, known)
    fresh = [str(message.id) for message in client.stream("echo:again", session_id=session_id, keep_alive=True)]
    assert fresh and not set(fresh) & set(seen), fresh
    client.sessions.stop(session_id)


def the_asynchronous_client_iterates_and_awaits():
    async def act():
        async_client = AsyncBrowserUse(api_key=KEY, base_url=f"{URL}/api/v3")
        result = await async_client.run("echo:async")
        assert result.output == "async"
        seen = []
        run = async_client.run("echo:iterated", keep_alive=True)
        async for message in run:
            seen.append(str(message.id))
        assert len(seen) == len(set(seen)) and seen
        await async_client.sessions.stop(str(run.result.id))

    asyncio.run(act())


def sessions_without_a_task_become_idle_and_stop():
    created = client.sessions.create()
    wait_for(lambda: client.sessions.get(str(created.id)).status.value, "idle")
    status, words = refusal(lambda: client.sessions.create(session_id=str(created.id)))
    assert status == 422 and "task" in words, (status, words)
    assert client.sessions.stop(str(created.id)).status.value == "stopped"
    assert client.sessions.stop(str(created.id)).status.value == "stopped"


def deleting_gives_none_and_unknown_ids_are_told_apart():
    created = client.sessions.create()
    assert client.sessions.delete(str(created.id)) is None
    assert refusal(lambda: client.sessions.get(str(created.id)))[0] == 404
    assert refusal(lambda: client.sessions.get(str(uuid.uuid4())))[0] == 404
    assert refusal(lambda: client.sessions.get("abc"))[0] == 422


def every_row_of_the_list_parses():
    page = client.sessions.list(page=1, page_size=100)
    assert page.total >= len(page.sessions)
    assert refusal(lambda: client.sessions.list(page_size=101))[0] == 422


def messages_are_read_by_cursor():
    session_id = str(client.run("echo:m").id)
    every = client.sessions.messages(session_id, limit=100).messages
    assert len(every) >= 3
    newest = client.sessions.messages(session_id, limit=1).messages
    assert [message.id for message in newest] == [every[-1].id]
    assert client.sessions.messages(session_id, after=str(every[-1].id)).messages == []
    assert client.sessions.messages(session_id, after=str(uuid.uuid4())).messages == []


def browsers_are_made_found_and_stopped():
    tag = str(uuid.uuid4())
    made = client.browsers.create(metadata={"tag": tag}, proxy_country_code=None)
    assert made.cdp_url and made.live_url
    assert client.browsers.get(str(made.id)).metadata == {"tag": tag}
    found = client.browsers.list(filter_by="active", metadata=[f"tag={tag}"])
    assert [item.id for item in found.items] == [made.id]
    client.browsers.downloads(str(made.id))
    assert client.browsers.stop(str(made.id)).status.value == "stopped"
    assert client.browsers.get(str(made.id)).status.value == "stopped"
    assert refusal(lambda: client.browsers.create(timeout=241))[0] == 403


def profiles_are_made_found_changed_and_deleted():
    name = f"shop {uuid.uuid4().hex[:8]}"
    made = client.profiles.create(name=name, user_id="u-1")
    assert client.profiles.update(str(made.id), name=f"{name} 2").name == f"{name} 2"
    found = client.profiles.list(query=name, page_number=1, page_size=10)
    assert [item.id for item in found.items] == [made.id]
    assert client.profiles.delete(str(made.id)) is None
    assert refusal(lambda: client.profiles.get(str(made.id)))[0] == 404


def the_account_parses():
    account = client.billing.account()
    assert account.concurrent_session_limit >= 0 and account.active_session_count >= 0


def a_bad_key_is_refused():
    status, words = refusal(lambda: BrowserUse(api_key="bu_test", base_url=f"{URL}/api/v3").sessions.list())
    assert status == 401 and "Invalid API key" in words, (status, words)


CASES = {
    name: case
    for name, case in list(globals().items())
    if callable(case) and getattr(case, "__module__", None) == "__main__" and "_" in name and name not in {"wait_for"}
}

if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(json.dumps(list(CASES)))
    else:
        try:
            CASES[sys.argv[1]]()
        except BaseException:
            print(traceback.format_exc(), file=sys.stderr)
            sys.exit(1)
