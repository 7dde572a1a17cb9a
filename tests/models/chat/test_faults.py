"""What goes wrong between here and a vendor, in all five wire formats: nothing is lost, nothing comes twice, and the error reads well."""

import socket
from dataclasses import dataclass, replace

import pytest
from tests.models.chat.asking import KEY, Heard, Naps, ask, model_at, napping
from tests.models.chat.servers import WIRES, Call, Reply, Server, Wire, say, serve

from everself.config.sections import Provider
from everself.errors import ModelFault
from everself.models.chat.factory import open_model

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow

LIMIT = Reply(status=429, fault="rate", headers=(("Retry-After", "7"),))
TROUBLE = Reply(status=500, fault="server")
GOOD = say("All ", "is ", "well.")


@dataclass(frozen=True)
class Outcome:
    heard: Heard
    server: Server
    waits: list[float]


def outcome(wire: Wire, *replies: Reply, stall: float = 5.0) -> Outcome:
    naps = Naps()
    with serve(wire, *replies) as server:
        heard = ask(model_at(server, napping(naps, stall)))
    # whatever was tried again was the same request
    assert all(asked.body == server.asked[0].body for asked in server.asked)
    if heard.failure is not None:
        _reads_well(heard)
    return Outcome(heard, server, naps.taken)


def _reads_well(heard: Heard) -> None:
    assert heard.failure is not None
    words = str(heard.failure)
    assert words.endswith(".")
    assert heard.failure.mend
    for odd in (KEY, "{", "<", "Error", "None", "Exception", "http://", "status_code"):
        assert odd not in words, words


class Matrix:
    """Every fault; the classes below say for which wires."""

    def test_a_limit_is_waited_for_as_long_as_the_vendor_asks(self, wire: Wire) -> None:
        seen = outcome(wire, LIMIT, GOOD)
        assert (seen.heard.text, seen.waits, len(seen.server.asked)) == ("All is well.", [7.0], 2)

    def test_a_wait_that_is_too_long_is_told_instead(self, wire: Wire) -> None:
        seen = outcome(wire, Reply(status=429, fault="rate", headers=(("Retry-After", "600"),)))
        assert seen.heard.failure is not None
        assert (seen.heard.failure.reason, seen.heard.failure.retry_after) == ("rate", 600.0)
        assert "10 minutes" in str(seen.heard.failure)
        assert (seen.waits, len(seen.server.asked)) == ([], 1)

    def test_waits_together_stay_within_the_limit(self, wire: Wire) -> None:
        seen = outcome(wire, Reply(status=429, fault="rate", headers=(("Retry-After", "25"),)))
        assert seen.waits == [25.0, 25.0]
        assert (seen.heard.failure and seen.heard.failure.retry_after) == 25.0

    def test_trouble_of_the_server_passes(self, wire: Wire) -> None:
        seen = outcome(wire, TROUBLE, TROUBLE, GOOD)
        assert (seen.heard.text, seen.waits) == ("All is well.", [0.5, 1.0])

    def test_requests_and_tries_are_logged_without_a_word_of_them(
        self, wire: Wire, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level("INFO", "everself"):
            outcome(wire, TROUBLE, GOOD)
        failed, answered = (record.getMessage() for record in caplog.records)
        assert failed.endswith(" failed at attempt 1 (server).")
        assert " answered in " in answered
        assert " ms at attempt 2 (stop): " in answered
        assert "well" not in caplog.text

    @pytest.mark.parametrize("reply", [TROUBLE, Reply(status=502, fault="page")], ids=["500", "page"])
    def test_trouble_that_stays_is_told_after_four_tries(self, wire: Wire, reply: Reply) -> None:
        seen = outcome(wire, reply)
        assert _reason(seen) == "server"
        assert len(seen.server.asked) == 4

    @pytest.mark.parametrize(
        ("reply", "reason"),
        [
            (Reply(status=401, fault="auth"), "auth"),
            (Reply(status=404, fault="missing"), "missing"),
            (Reply(status=400, fault="overflow"), "overflow"),
            (Reply(status=400, fault="rejected"), "other"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_what_trying_again_cannot_mend_is_told_at_once(self, wire: Wire, reply: Reply, reason: ModelFault) -> None:
        seen = outcome(wire, reply)
        assert _reason(seen) == reason
        assert (seen.waits, len(seen.server.asked)) == ([], 1)

    def test_a_redirect_is_not_followed(self, wire: Wire) -> None:
        with serve(wire, GOOD) as elsewhere:
            seen = outcome(wire, Reply(status=302, fault="page", headers=(("Location", elsewhere.url),)))
        assert "another address" in str(seen.heard.failure)
        assert not elsewhere.asked

    def test_a_refusal_repeats_what_the_vendor_said_of_the_request(self, wire: Wire) -> None:
        seen = outcome(wire, Reply(status=400, fault="rejected"))
        assert "Scripted: rejected." in str(seen.heard.failure)

    @pytest.mark.parametrize("fault", ["cut", "fail", "noise"])
    def test_what_breaks_before_the_first_word_is_tried_again(self, wire: Wire, fault: str) -> None:
        seen = outcome(wire, Reply(text=("Lost",), **{fault: 0}), GOOD)
        assert (seen.heard.text, len(seen.server.asked)) == ("All is well.", 2)
        assert seen.heard.end.why == "stop"

    @pytest.mark.parametrize(
        ("fault", "reason"), [("cut", "network"), ("quiet", "network"), ("fail", "server"), ("noise", "shape")]
    )
    def test_what_breaks_half_way_keeps_what_came_and_is_not_begun_again(
        self, wire: Wire, fault: str, reason: ModelFault
    ) -> None:
        calls = (Call("memory_search", '{"query": "x"}'),)
        seen = outcome(wire, Reply(text=("One ", "two ", "three"), calls=calls, **{fault: 2}), GOOD)
        assert (seen.heard.text, len(seen.server.asked)) == ("One two ", 1)
        assert _reason(seen) == reason
        assert "broke off" in str(seen.heard.failure)
        assert not seen.heard.calls

    def test_silence_before_the_first_word_is_tried_once_more(self, wire: Wire) -> None:
        seen = outcome(wire, Reply(text=("Lost",), stall=0), stall=0.1)
        assert _reason(seen) == "timeout"
        assert len(seen.server.asked) == 2
        assert seen.server.left.is_set()

    def test_silence_half_way_is_given_up(self, wire: Wire) -> None:
        seen = outcome(wire, Reply(text=("One ", "two"), stall=1), GOOD, stall=0.1)
        assert (seen.heard.text, _reason(seen)) == ("One ", "timeout")
        assert len(seen.server.asked) == 1

    def test_broken_arguments_arrive_as_they_are_or_are_told(self, wire: Wire) -> None:
        seen = outcome(wire, Reply(calls=(Call("memory_search", '{"query": "Be'),)))
        if wire == "gemini":
            # its answers hold objects: a call that is none ends the answer
            assert _reason(seen) == "shape"
        else:
            assert [call.arguments for call in seen.heard.calls] == ['{"query": "Be']

    @pytest.mark.parametrize("end", ["length", "refused"])
    def test_an_answer_that_was_cut_short_says_why(self, wire: Wire, end: str) -> None:
        seen = outcome(wire, Reply(text=("One",), end=end))  # type: ignore[arg-type]
        assert seen.heard.end.why == end

    def test_a_stream_of_nothing_is_told(self, wire: Wire) -> None:
        assert _reason(outcome(wire, Reply(text=("Lost",), quiet=0))) in ("shape", "network")


@pytest.mark.parametrize("wire", ["openai"])
class TestFaults(Matrix):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "openai"])
class TestFaultsOfTheOthers(Matrix):
    pass


@pytest.mark.parametrize("wire", ["openai", pytest.param("anthropic", marks=pytest.mark.slow)])
def test_a_used_up_account_is_told_apart_from_a_limit(wire: Wire) -> None:
    seen = outcome(wire, Reply(status=429, fault="quota"))
    assert _reason(seen) == "quota"
    assert len(seen.server.asked) == 1


def test_nobody_at_the_address_is_told_with_what_to_start() -> None:
    naps = Naps()
    with serve("ollama") as server:
        url = server.url
    failure = ask(open_model("ollama/qwen3", (Provider("ollama", base_url=url),), napping(naps))).failure
    assert failure is not None
    assert (failure.reason, failure.mend) == ("network", "ollama serve")
    assert str(failure) == "The model did not answer. ollama at 127.0.0.1 cannot be reached."


def test_an_address_that_swallows_everything_is_told_as_not_reached() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        port = deaf.getsockname()[1]
        # a full queue: whoever comes now waits until the time is over
        with socket.create_connection(("127.0.0.1", port)):
            patience = replace(napping(Naps()), connect=0.1)
            section = Provider("box", base_url=f"http://127.0.0.1:{port}")
            failure = ask(open_model("box/tiny", (section,), patience)).failure
    assert failure is not None
    assert (failure.reason, failure.detail) == ("network", "box at 127.0.0.1 cannot be reached.")


def _reason(seen: Outcome) -> ModelFault | None:
    return seen.heard.failure.reason if seen.heard.failure else None
