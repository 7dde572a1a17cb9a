"""How each kind of credential really looks: prefixes, lengths, alphabets and checksums.

Knows formats only; the table of kinds says under which names and in which frames they stand.
"""

from __future__ import annotations

import base64
import hmac
import json
import string
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.corpora.secrets import passwords
from tests.corpora.secrets.chance import ALNUM, BASE32, Chance, base58check, bech32, crc62, with_iban_check, with_luhn


@dataclass(frozen=True)
class Made:
    """A value as it stands in a text, the parts that must not survive, and what else its frame may say."""

    value: str
    secrets: tuple[str, ...]
    slots: tuple[tuple[str, str], ...] = ()


def aws_key_id(c: Chance) -> str:
    return c.pick(("AKIA", "AKIA", "ASIA")) + c.chars(BASE32, 16)


def aws_session(c: Chance) -> str:
    return c.pick(("IQoJb3JpZ2luX2Vj", "FwoGZXIvYXdzE")) + c.b64(c.among(60, 75) * 3)


def checked(prefix: str, c: Chance) -> str:
    body = c.alnum(30)
    return prefix + body + crc62(body)


def github_classic(c: Chance) -> str:
    return checked(c.pick(("ghp_", "ghp_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_")), c)


def gitlab(c: Chance) -> str:
    shape = c.among(0, 5)
    if shape == 0:
        return "glptt-" + c.hexa(40)
    if shape == 1:
        return f"glpat-{c.urlsafe(36)}.01.{c.chars(string.digits + string.ascii_lowercase, 9)}"
    return c.pick(("glpat-", "glpat-", "glrt-", "gldt-")) + c.urlsafe(20)


def slack(c: Chance) -> str:
    shape = c.among(0, 3)
    if shape == 0:
        return f"xapp-1-A0{c.chars(string.digits + string.ascii_uppercase, 9)}-{c.digits(13)}-{c.hexa(64)}"
    if shape == 1:
        return f"xoxp-{c.digits(12)}-{c.digits(12)}-{c.digits(13)}-{c.hexa(32)}"
    return f"xoxb-{c.digits(12)}-{c.digits(13)}-{c.alnum(24)}"


def slack_webhook(c: Chance) -> Made:
    upper, tail = string.digits + string.ascii_uppercase, c.alnum(24)
    return Made(f"https://hooks.slack.com/services/T0{c.chars(upper, 9)}/B0{c.chars(upper, 9)}/{tail}", (tail,))


def discord_bot(c: Chance) -> str:
    user = base64.b64encode(c.digits(c.pick((18, 19))).encode()).decode().rstrip("=")
    return f"{user}.{c.pick('GXYO')}{c.urlsafe(5)}.{c.urlsafe(38)}"


def discord_webhook(c: Chance) -> Made:
    tail = c.urlsafe(68)
    return Made(f"https://discord.com/api/webhooks/{c.digits(19)}/{tail}", (tail,))


def openai(c: Chance) -> str:
    shape = c.among(0, 3)
    if shape == 0:
        return f"sk-{c.alnum(20)}T3BlbkFJ{c.alnum(20)}"
    half = c.pick((58, 74))
    return f"sk-{c.pick(('proj', 'proj', 'svcacct'))}-{c.urlsafe(half)}T3BlbkFJ{c.urlsafe(half)}"


def anthropic(c: Chance) -> str:
    return f"sk-ant-{c.pick(('api03', 'api03', 'admin01', 'oat01'))}-{c.urlsafe(93)}AA"


def google_access(c: Chance) -> str:
    if c.among(0, 2) == 0:
        return "1//0" + c.chars("0123456789", 1) + c.urlsafe(98)
    return "ya29.a0A" + c.urlsafe(c.among(150, 200))


def azure_client(c: Chance) -> str:
    return f"{c.alnum(3)}{c.pick('78')}Q~{c.chars(ALNUM + '_~.-', 33)}{c.alnum(1)}"


def stripe(c: Chance) -> str:
    prefix = c.pick(("sk_live_", "sk_live_", "rk_live_", "sk_test_"))
    return prefix + (c.alnum(24) if c.among(0, 1) else f"51{c.alnum(97)}")


def pypi(c: Chance) -> str:
    body = bytes.fromhex("020108707970692e6f72670224") + c.uuid().encode() + b"\x00\x02\x18[1,[" + c.raw(60)
    return "pypi-" + base64.urlsafe_b64encode(body).decode().rstrip("=")


def jwt(c: Chance) -> str:
    def part(value: dict[str, str | int]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")

    head = part({"alg": c.pick(("HS256", "RS256", "ES256")), "typ": "JWT"})
    issued = 1_700_000_000 + c.among(0, 90_000_000)
    body = part({"sub": c.pick((c.uuid(), c.digits(6))), "iat": issued, "exp": issued + 3600, "scope": "read write"})
    key = c.raw(32)
    signature = hmac.digest(key, f"{head}.{body}".encode(), "sha256")
    return f"{head}.{body}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def atlassian(c: Chance) -> str:
    body = "ATATT3xFfGF0" + c.urlsafe(171)
    return f"{body}={zlib.crc32(body.encode()):08X}"


def grafana(c: Chance) -> str:
    body = "glsa_" + c.alnum(32)
    return f"{body}_{zlib.crc32(body.encode()):08x}"


def telegram(c: Chance) -> str:
    return f"{c.digits(c.pick((9, 10)))}:AA{c.pick('EFGH')}{c.urlsafe(32)}"


def other_models(c: Chance) -> str:
    makers: tuple[Callable[[], str], ...] = (
        lambda: "gsk_" + c.alnum(52),
        lambda: "r8_" + c.alnum(37),
        lambda: "xai-" + c.alnum(80),
        lambda: "pplx-" + c.alnum(48),
        lambda: "sk-or-v1-" + c.hexa(64),
        lambda: "sk-" + c.hexa(32),
        lambda: "nvapi-" + c.urlsafe(64),
        lambda: "fw_" + c.alnum(24),
    )
    return c.pick(makers)()


def tools(c: Chance) -> str:
    makers: tuple[Callable[[], str], ...] = (
        lambda: "lin_api_" + c.alnum(40),
        lambda: f"ntn_{c.digits(11)}{c.alnum(35)}",
        lambda: "secret_" + c.alnum(43),
        lambda: f"figd_{c.urlsafe(40)}",
        lambda: f"pat{c.alnum(14)}.{c.hexa(64)}",
        lambda: f"PMAK-{c.hexa(24)}-{c.hexa(34)}",
        lambda: "dp.pt." + c.alnum(43),
        lambda: f"NRAK-{c.chars(string.digits + string.ascii_uppercase, 27)}",
    )
    return c.pick(makers)()


def vault(c: Chance) -> str:
    if c.among(0, 2) == 0:
        return f"{c.alnum(14)}.atlasv1.{c.urlsafe(67)}"
    return "hvs." + c.pick(("CAESI", "")) + c.urlsafe(90)


def packages(c: Chance) -> str:
    return c.pick(("rubygems_" + c.hexa(48), "dckr_pat_" + c.urlsafe(27), "cio" + c.alnum(32)))


def hosting(c: Chance) -> str:
    makers: tuple[Callable[[], str], ...] = (
        lambda: "dop_v1_" + c.hexa(64),
        lambda: "sbp_" + c.hexa(40),
        lambda: "HRKU-AA" + c.urlsafe(58),
        lambda: "pscale_tkn_" + c.urlsafe(43),
        lambda: "dapi" + c.hexa(32),
        lambda: "fm2_lJPECAAAAAAA" + c.b64(72),
    )
    return c.pick(makers)()


def shops(c: Chance) -> str:
    return c.pick(("shpat_" + c.hexa(32), "shpss_" + c.hexa(32), "sq0csp-" + c.urlsafe(43), "EAAAl" + c.urlsafe(59)))


def mail(c: Chance) -> str:
    return c.pick((f"key-{c.hexa(32)}", f"{c.hexa(32)}-us{c.among(1, 21)}", f"re_{c.alnum(8)}_{c.alnum(24)}"))


def social(c: Chance) -> str:
    return c.pick((f"AAAAAAAAAAAAAAAAAAAAA{c.alnum(20)}%3D{c.alnum(44)}", f"EAA{c.alnum(c.among(160, 190))}"))


def chinese_cloud(c: Chance) -> str:
    return c.pick(("LTAI5t" + c.alnum(18), "AKID" + c.alnum(32)))


def card(c: Chance) -> str:
    kind = c.among(0, 4)
    if kind == 0:
        number = with_luhn(c.pick(("34", "37")) + c.chars(string.digits, 12))
        sizes: tuple[int, ...] = (4, 6, 5)
    else:
        first = c.pick(
            (
                "4" + c.digits(5),
                str(c.among(51, 55)) + c.digits(4),
                f"22{c.among(30, 99)}{c.digits(2)}",
                "6011" + c.digits(2),
            )
        )
        number = with_luhn(first + c.chars(string.digits, 9))
        sizes = (4, 4, 4, 4)
    joint, parts, at = c.pick(("", "", " ", " ", "-")), [], 0
    for size in sizes:
        parts.append(number[at : at + size])
        at += size
    return joint.join(parts)


def iban(c: Chance) -> str:
    country = c.pick(("DE", "DE", "FR", "NL", "GB", "ES", "CH", "AT", "IT"))
    upper = string.ascii_uppercase
    account = {
        "DE": c.chars(string.digits, 18),
        "FR": c.chars(string.digits, 10) + c.chars(string.digits + upper, 11) + c.chars(string.digits, 2),
        "NL": c.chars(upper, 4) + c.chars(string.digits, 10),
        "GB": c.chars(upper, 4) + c.chars(string.digits, 14),
        "ES": c.chars(string.digits, 20),
        "CH": c.chars(string.digits, 17),
        "AT": c.chars(string.digits, 16),
        "IT": c.chars(upper, 1) + c.chars(string.digits, 22),
    }[country]
    number = with_iban_check(country, account)
    if c.among(0, 1):
        return " ".join(number[at : at + 4] for at in range(0, len(number), 4))
    return number


def wallet(c: Chance) -> str:
    shape = c.among(0, 3)
    if shape == 0:
        return base58check(b"\x80" + c.raw(32))
    if shape == 1:
        return base58check(b"\x80" + c.raw(32) + b"\x01")
    if shape == 2:
        return base58check(bytes.fromhex("0488ade4") + b"\0" + c.raw(8) + c.raw(32) + b"\0" + c.raw(32))
    return bech32("age-secret-key-", c.raw(32)).upper()


def eth_key(c: Chance) -> str:
    return c.pick(("0x", "0x", "")) + c.hexa(64)


def generic(c: Chance) -> str:
    makers: tuple[Callable[[], str], ...] = (
        lambda: c.hexa(32),
        lambda: c.hexa(40),
        lambda: c.hexa(64),
        lambda: c.alnum(32),
        lambda: c.urlsafe(43),
        lambda: c.b64(32),
        lambda: c.alnum(24),
        c.uuid,
    )
    return c.pick(makers)()


def bearer(c: Chance) -> str:
    return c.pick((c.urlsafe(43), c.alnum(40), c.hexa(40), f"{c.alnum(8)}.{c.urlsafe(32)}", c.b64(48)))


def cookie(c: Chance) -> str:
    return c.pick(
        (c.chars(string.ascii_lowercase + string.digits, 32), f"s%3A{c.urlsafe(32)}.{c.alnum(43)}", c.b64url(48))
    )


def basic(c: Chance) -> Made:
    user, word = c.pick(("admin", "deploy", "ci-bot", "mara", "svc_report")), passwords.strong(c)
    value = base64.b64encode(f"{user}:{word}".encode()).decode()
    return Made(value, (value,))


def sealed(c: Chance) -> Made:
    value = base64.b64encode(passwords.strong(c).encode()).decode()
    return Made(value, (value,))


def signature(c: Chance) -> str:
    return base64.b64encode(c.raw(32)).decode().replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")


def url_password(c: Chance) -> Made:
    word = passwords.in_url(c)
    return Made(word, (word,))
