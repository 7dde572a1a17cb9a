"""Secrets go, everything else stays; the work grows with the text and not with its square."""

import base64
import hashlib
import random
import re
import string
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everself.text import redaction
from everself.text._secrets.shapes import base62_crc32, luhn, mod97
from everself.text.redaction import Redacted, find_secrets, kind_names, mark, redact, strip_private

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "U": string.ascii_letters + string.digits + "_-",
    "B": string.ascii_letters + string.digits + "+/",
    "H": "0123456789abcdef",
    "X": string.ascii_uppercase + string.digits,
    "L": string.ascii_letters,
    "D": "123456789",
    "b": string.ascii_lowercase + string.digits,
    "T": string.ascii_uppercase + "234567",
}

# What it looks like, with {A36} for thirty-six characters of alphabet A: no real-looking secret is kept in this file.
SHAPES: dict[str, tuple[str, ...]] = {
    "github token": ("ghp_{A36}", "gho_{A36}", "ghs_{A36}"),
    "github fine-grained token": ("github_pat_{A22}_{A59}",),
    "gitlab token": ("glpat-{U20}", "glrt-{U20}"),
    "bitbucket token": ("ATBB{A32}",),
    "atlassian token": ("ATATT3xFfGF0{U90}=1A2B3C4D",),
    "npm token": ("npm_{A36}",),
    "pypi token": ("pypi-AgEIcHlwaS5vcmc{U120}",),
    "crates token": ("cio{A32}",),
    "rubygems key": ("rubygems_{H48}",),
    "nuget key": ("oy2{b43}",),
    "docker hub token": ("dckr_pat_{U27}",),
    "circleci token": ("CCIPAT_{A22}_{H40}",),
    "buildkite token": ("bkua_{H40}",),
    "sonarqube token": ("sqp_{H40}",),
    "artifactory key": ("AKCp{A69}",),
    "sentry token": ("sntryu_{H64}",),
    "postman key": ("PMAK-{H24}-{H34}",),
    "figma token": ("figd_{U40}",),
    "linear key": ("lin_api_{A40}",),
    "notion token": ("secret_{A43}", "ntn_{A46}"),
    "airtable token": ("pat{A14}.{H64}",),
    "contentful token": ("CFPAT-{U43}",),
    "doppler token": ("dp.pt.{A43}", "dp.st.prod.{A43}"),
    "terraform token": ("{A14}.atlasv1.{A60}",),
    "vault token": ("hvs.{U90}", "vault token s.{A24}"),
    "pulumi token": ("pul-{H40}",),
    "1password token": ("ops_eyJ{A120}",),
    "everself token": ("evs_{U43}",),
    "aws access key id": ("AKIA{X16}", "ASIA{X16}"),
    "aws secret key": ("aws_secret_access_key = {B40}", "AKIA{X16},{B40}", "SecretAccessKey: {B40}"),
    "google api key": ("AIza{U35}",),
    "google oauth secret": ("GOCSPX-{U28}",),
    "google oauth token": ("ya29.{U60}",),
    "azure client secret": ("{A3}8Q~{A34}",),
    "azure storage key": ("AccountKey={B86}==",),
    "azure sas signature": ("https://a.blob.core.windows.net/c?sv=2022-11-02&sig={A43}%3D",),
    "alibaba access key id": ("LTAI{A20}",),
    "tencent secret id": ("AKID{A32}",),
    "digitalocean token": ("dop_v1_{H64}",),
    "heroku key": ("heroku api key {H8}-{H4}-{H4}-{H4}-{H12}", "HRKU-{U60}"),
    "fly token": ("FlyV1 fm2_{B120}", "fo1_{U43}"),
    "vercel token": ("vcp_{A24}", "vercel token: {A24}"),
    "netlify token": ("nfp_{A36}",),
    "supabase key": ("sbp_{H40}", "sb_secret_{U31}"),
    "planetscale password": ("pscale_pw_{U43}",),
    "cloudflare origin key": ("v1.0-{H24}-{H146}",),
    "cloudflare token": ("CLOUDFLARE_API_TOKEN={A40}",),
    "databricks token": ("dapi{H32}",),
    "grafana token": ("glsa_{A32}_{H8}",),
    "new relic key": ("NRAK-{X27}", "{H36}NRAL"),
    "dynatrace token": ("dt0c01.{X24}.{X64}",),
    "tailscale key": ("tskey-auth-{A16}-{A32}",),
    "datadog key": ("DATADOG_API_KEY={H32}",),
    "okta token": ("okta: 00{A40}",),
    "algolia key": ("algolia admin key {H32}",),
    "pagerduty key": ("pagerduty token {A20}",),
    "anthropic key": ("sk-ant-api03-{U93}AA",),
    "openai key": ("sk-{A48}", "sk-proj-{U120}", "sk-{A20}T3BlbkFJ{A20}"),
    "hugging face token": ("hf_{L34}",),
    "groq key": ("gsk_{A52}",),
    "xai key": ("xai-{A80}",),
    "perplexity key": ("pplx-{A48}",),
    "replicate token": ("r8_{A37}",),
    "langsmith key": ("lsv2_pt_{H32}_{H10}",),
    "tavily key": ("tvly-{A32}",),
    "elevenlabs key": ("sk_{H48}",),
    "slack token": ("xoxb-{D12}-{D13}-{A24}", "xapp-1-{X11}-{D13}-{H64}"),
    "slack webhook": ("https://hooks.slack.com/services/T{X9}/B{X9}/{A24}",),
    "discord webhook": ("https://discord.com/api/webhooks/{D18}/{U68}",),
    "discord token": ("M{A23}.{A6}.{U38}",),
    "telegram token": ("{D10}:AA{U33}",),
    "teams webhook": ("https://acme.webhook.office.com/webhookb2/{H32}@{H32}/IncomingWebhook/{H32}",),
    "twilio key": ("SK{H32}", "AC{H32}"),
    "twilio auth token": ("twilio auth token: {H32}",),
    "sendgrid key": ("SG.{U22}.{U43}",),
    "mailgun key": ("key-{H32}",),
    "mailchimp key": ("{H32}-us14",),
    "brevo key": ("xkeysib-{H64}-{A16}",),
    "resend key": ("re_{A8}_{A24}",),
    "stripe key": ("sk_live_{A24}", "rk_live_{A24}", "sk_test_{A24}"),
    "stripe webhook secret": ("whsec_{A32}",),
    "shopify token": ("shpat_{H32}",),
    "square token": ("sq0csp-{U43}",),
    "facebook token": ("EAAC{A160}",),
    "dropbox token": ("sl.{U130}",),
    "hubspot token": ("pat-na1-{H8}-{H4}-{H4}-{H4}-{H12}",),
    "shippo token": ("shippo_live_{H40}",),
    "plaid token": ("access-production-{H8}-{H4}-{H4}-{H4}-{H12}",),
    "easypost key": ("EZAK{A54}",),
    "mapbox token": ("sk.eyJ{A60}.{A22}",),
    "private key": (
        "-----BEGIN RSA PRIVATE KEY-----\n{B64}\n{B64}\n{B20}==\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\\n{B70}\\n{B70}\\n-----END OPENSSH PRIVATE KEY-----\\n",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{B64}\n{B64}\n=Ab1d\n-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{X32}\n\n{B64}\n{B64}",
        "-----BEGIN PRIVATE KEY-----\n{B64}\n{B64}\n",
    ),
    "age secret key": ("AGE-SECRET-KEY-1{X58}",),
    "wireguard key": ("PrivateKey = {B43}=",),
    "json web token": ("eyJ{A40}.eyJ{A60}.{U43}",),
    "seed phrase": ("seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow",),
    "url password": (
        "postgres://app:{A14}@db.internal:5432/main",
        "https://bot:{A20}@git.example.org/x.git",
        "redis://:{A16}@cache:6379",
    ),
    "database password": (
        "Server=db;Database=x;User Id=sa;Password={A12};",
        "host=db user=app password={A12} dbname=x",
    ),
    "authorization header": ("Authorization: Bearer {A40}", "Authorization: Basic dXNlcjpwYXNzd29yZA=="),
    "command-line password": (
        "curl -u admin:{A12} https://host/",
        "mysql -u root -p{A12} shop",
        "machine h login me password {A12}",
    ),
    "aws session token": ("IQoJb3JpZ2luX2Vj{B300}", "FwoGZXIvYXdzE{B280}=="),
    "url signature": ("https://b.s3.example.com/x?X-Amz-Expires=60&X-Amz-Signature={H64}",),
    "fireworks key": ("fw_{A24}",),
    "nvidia key": ("nvapi-{U64}",),
    "model provider key": ("pcsk_{A60}", "csk-{A48}", "e2b_{H40}"),
    "twitter token": ("AAAAAAAAAAAAAAAAAAAAA{A24}%3D{A44}",),
    "wallet key": ('new ethers.Wallet("0x{H64}", provider)',),
    "one-time password seed": ("oathtool --totp -b {T32}", "otpauth://totp/x?secret={T32}"),
    "session cookie": (
        "Set-Cookie: sessionid={A32}; Path=/; HttpOnly",
        "curl -b 'connect.sid={A32}' https://host/me",
        "Cookie: theme=dark; app_session={A40}; auth_id={A24}",
    ),
    "wifi password": ('psk="{A12}"', "WIFI:T:WPA;S:home;P:{A12};;"),
    "card number": (
        "4111 1111 1111 1111",
        "5500-0000-0000-0004",
        "378282246310005",
        "6011111111111117",
        "3782 822463 10005",
    ),
    "iban": ("DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR14 2004 1010 0505 0001 3M02 606"),
    "social security number": ("219-09-9998", "SSN 219 09 9998"),
    "backup codes": ("backup codes: 12{D2}-{D4} 87{D2}-{D4} 11{D2}-{D4} 33{D2}-{D4}",),
    "vendor token": ("acme_blob_rw_Ab3dE5gH7j{A24}", "acme_tk_Ab3dE5gH7jK9{A16}_Q2rS4{A20}"),
    "password": ("password = '{A12}'", "DB_PASSWORD={A12}"),
    "passcode": ("passcode: 482913",),
    "key": ("api_key: {A32}", "X-Api-Key: {A32}"),
    "secret": ('client_secret = "{A32}"',),
    "token": ("export CI_TOKEN={A32}", "token: '{H40}'"),
}


def filled(shape: str, seed: int) -> str:
    return "".join(pieces(shape, seed))


def pieces(shape: str, seed: int) -> list[str]:
    """Fixed text and random text in turns, so that every second one is what must not be seen again."""
    noise = random.Random(f"{seed}:{shape}")
    parts = re.split(r"\{([AUBHXLDbT]\d+)\}", shape)
    parts[1::2] = ["".join(noise.choice(ALPHABETS[part[0]]) for _ in range(int(part[1:]))) for part in parts[1::2]]
    return parts


def test_every_kind_has_an_example() -> None:
    assert set(SHAPES) == set(kind_names())
    assert len(SHAPES) >= 30


@pytest.mark.parametrize("kind", SHAPES)
def test_a_secret_is_gone_alone_in_prose_and_in_code(kind: str) -> None:
    for shape in SHAPES[kind]:
        for seed in range(5):
            parts = pieces(shape, seed)
            example = "".join(parts)
            for text in (
                example,
                f"Note to self: {example}\nthen on.",
                f"中文说明，{example} 。",
                f"- `x` {example}\n",
            ):
                result = redact(text)
                assert kind in {found.kind for found in result.found}, (text, result)
                assert not [part for part in parts[1::2] if len(part) > 3 and part in result.text]
                assert redact(result.text) == Redacted(result.text, ())


def test_positions_are_those_of_the_characters() -> None:
    token = filled("ghp_{A36}", 1)
    text = f"日本語 ❤️ \ud800 {token} 終わり"
    (found,) = find_secrets(text)
    assert text[found.start : found.end] == token
    assert redact(text).text == f"日本語 ❤️ \ud800 {mark('github token')} 終わり"


def test_only_the_value_goes_and_the_words_around_it_stay() -> None:
    assert redact('password = "hunter2!"').text == 'password = "[redacted: password]"'
    assert redact("postgres://app:Sup3rS3cret@db:5432/x").text == "postgres://app:[redacted: url password]@db:5432/x"
    assert redact("登录密码改成了 Zx9!kk23，记得").text == "登录密码改成了 [redacted: password]，记得"


@pytest.mark.parametrize(
    "text",
    [
        "my password is Sunflower42!",
        "the wifi password for the cabin is Maple-Leaf-77",
        "I changed the admin password to Winter#2031",
        "Use Tr0ub4dor&3 as the password.",
        "**Password:** `Maple77!`",
        "| password | Maple77! |",
        "credentials: admin / Maple77!x",
        "密码是Abc12345",
        "密码：q1w2e3r4",
        "パスワードは abc12345 です",
        "비밀번호는 qwer1234! 입니다",
        "비밀번호: hello1234",
        "password: str = 'k33pout!'",
        'define("DB_PASSWORD", "k33pout")',
        "<password>s3cr3tPW</password>",
        "--db-password hunter2x",
        "CREATE USER a WITH PASSWORD 'Zebra!99'",
        "ALTER USER a IDENTIFIED BY 'zebra'",
        '{\\"password\\": \\"k33pout1\\"}',
        'password = "letmein"',
        "DB_PASSWORD=letmein",
        'passphrase: "correct horse battery staple"',
        "https://host/login?user=a&password=letmein",
        "jdbc:postgresql://db/x?user=a&password=swordfish",
        "my card pin is 4821",
        "Das Passwort für den Drucker lautet maple-river-42-stone.",
        "Tom hat das Kennwort auf Maple#River7 geändert.",
        "密码改为Abc12345了",
        "管理者のパスワードを「Maple#River7」に変更しました",
        "비번 Maple#River7 이에요",
        "log in as mara with password Maple#River7",
        "| account | password |\n|---|---|\n| mara | MapleRiver16 |",
        "user,password\nmara,MapleRiver16\njonas,River77Maple",
        "kind: Secret\ndata:\n  db: bWFwbGUjcml2ZXIh\n",
        "env:\n  - name: DB_PASSWORD\n    value: MapleRiver16",
        "redis-cli -h cache -a 'Maple#River7' ping",
        "docker login registry.example -u mara -p 'Maple#River7'",
        'smtp.login("mara@example.org", "Maple#River7")',
        'HTTPBasicAuth("mara", "Maple#River7")',
        "echo 'mara:Maple#River7' | sudo chpasswd",
        'ConvertTo-SecureString "Maple#River7" -AsPlainText',
    ],
)
def test_a_password_is_known_by_the_words_around_it(text: str) -> None:
    assert redact(text).found, text


@pytest.mark.parametrize(
    "text",
    [
        "Der API-Schlüssel zum Kartenserver lautet {H40}.",
        "Bitte MAP_TOKEN auf {A32} setzen und neu starten.",
        "钱包私钥：{H64}",
        "지갑 개인 키: 0x{H64}",
        "Here is the access token that Ben made for the map: {H32}",
        "use the map service key {H64} from now on",
        "MAP_TOKEN ({A40}) und der Rest",
        "wg set wg0 private-key <(echo {B43}=)",
        "//npm.example.org/:_auth=bWFyYTpNYXBsZSNSaXZlcjc=",
        "AWS_SESSION_TOKEN={B900}",
    ],
)
def test_a_key_is_known_by_the_words_around_it(text: str) -> None:
    for seed in range(5):
        assert not [part for part in pieces(text, seed)[1::2] if part[-20:] in redact(filled(text, seed)).text]
    assert redact(filled(text, 1)).found


def test_a_wallet_key_is_known_by_its_checksum_alone() -> None:
    """The key of all ones, in the form that wallets import: no other text is needed to know it."""
    raw = b"\x80" + bytes([1] * 32)
    number = int.from_bytes(raw + hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4], "big")
    key = ""
    while number:
        number, digit = divmod(number, 58)
        key = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + key
    assert [found.kind for found in redact(f"방금 {key}를 올렸어요").found] == ["wallet key"]
    assert not redact(f"방금 {key[:-1]}x를 올렸어요").found


INNOCENT = [
    "username, password = index_url_user_password",
    "[Peer]\nPublicKey = tud3RMX4R4EHJaqaZe/3vyZpR3dGyvGyT1KUrNqSZ7k=",
    "docker run -p 8080:80 -p 127.0.0.1:5432:5432 web && mkdir -p a1/b2",
    "Cookie: _ga=GA1.2.53; lang=de; theme=dark",
    "| option | password |\n|---|---|\n| Django | supported |",
    "cache key 3f8b1fa2c4d5e6f708192a3b4c5d6e7f80912a3b was evicted",
    "rotate the key, see commit 3f8b1fa2c4d5e6f708192a3b4c5d6e7f80912a3b",
    "key: user12:session45:page7, key=Ctrl+Alt+F12",
    "Der Schlüssel liegt unter der Matte, das Passwort ist geändert",
    "commit 3f8b1fa2c4d5e6f708192a3b4c5d6e7f80912a3b",
    "id: 706d85c5-24e4-4006-8559-a6656c90bd51",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    '"integrity": "sha512-' + base64.b64encode(bytes(range(64))).decode() + '"',
    "data:image/png;base64,iVBORw0KGgo" + base64.b64encode(random.Random(1).randbytes(3000)).decode(),
    "v1.2.3-beta.4 of 2026-03-14T10:00:00Z",
    "ISBN 978-3-16-148410-0 and 9783161484100",
    "+49 170 1234567, (415) 555-0134, 1700000000000",
    "order 4539148803436467",
    "4.111111111111111 and 0.4111111111111111",
    "5351 5352 5353 5354 5355 5356 5357 5358 5359 5360",
    "password reset, password manager, the password is required",
    "password = os.environ['PW']",
    "password=${DB_PASSWORD} token=$TOKEN key={{ api_key }}",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "token: <your-token>",
    "api_key=YOUR_API_KEY",
    "token: xxxxxxxxxxxxxxxx",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "password: changeme",
    "password: ********",
    "password = getpass.getpass()",
    "token = response.json()['token']",
    "password: string; token?: string | null",
    "private_key: ed25519.Ed25519PrivateKey",
    "max_tokens=4096, token budget: 6000, tokens: 128k",
    "pad_token = '<pad>', next_page_token: \"CAUQAA12345678\"",
    "sk-learn-pipeline-with-many-words-in-it",
    "postgres://user:password@localhost/db and postgres://postgres:postgres@localhost",
    "git@github.com:user/repo.git https://example.com:8080/@x",
    "PASS: test_login_v2",
    "token: oauth2, password: Uint8Array, secret: sha256",
    "password is SHA-256 hashed and must be 12-characters",
    "secretName: db-creds-1",
    '<input type="password" name="pw1">',
    "Basic information, bearer of news, bearer authentication",
    "pwd: /srv/user1/dir2",
    "'password' => 'required|min:8|confirmed'",
    '"password": "Passwort", "hint": "Enter your password"',
    "the API key is missing; the token is expired; credentials are stored elsewhere",
    "密码不能为空，密码是必填项",
    "パスワードは必須です",
    "비밀번호는 필수입니다",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    'if s.startswith("-----BEGIN PRIVATE KEY-----") and s.endswith("-----END PRIVATE KEY-----"):',
    "ssh-rsa " + base64.b64encode(random.Random(2).randbytes(270)).decode(),
    "Seed phrase: never share it with anyone who asks you for help or support online today",
    "token: gpt-4o-mini or text-embedding-3-small",
    "Authorization: Bearer $TOKEN",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    'METHOD can be "trust", "md5", "password", "scram-sha-256"',
    'arguments to pass to `target`, pass `dtype="datetime64[ns]"`',
]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert redact(text) == Redacted(text, ())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("it is ghp_16C7e42F292c69\u200b12E7710c838347Ae178B4a ok", "it is [redacted: github token] ok"),
        ("it is ghp_16C7e42F292c6912E771\n0c838347Ae178B4a", "it is [redacted: github token]"),
        ("sk-ant-api03-abcDEF123 456ghiJKL789mno PQR012stu", "[redacted: anthropic key]"),
        ("my ssn is 219-09-9998.", "my ssn is [redacted: social security number]."),
        ("social security 219 09 9998", "social security [redacted: social security number]"),
        ("vercel_blob_rw_Ab3dE5gH7jK9mN1p_Q2rS4tU6vW8xY0zA1bC3dE5f", "[redacted: vendor token]"),
        (f"wallet 0x{'4c0883a69102937d' * 4}", "wallet [redacted: wallet key]"),
        ("backup codes: 1234-5678 8765-4321 1111-2222 3333-4444", "backup codes: [redacted: backup codes]"),
        (
            "Recovery codes\n1. a1b2c-3d4e5\n2. f6g7h-8i9j0\n3. k1l2m-3n4o5\n4. p6q7r-8s9t0",
            "Recovery codes\n[redacted: backup codes]",
        ),
    ],
)
def test_a_secret_that_was_split_or_has_no_listed_maker_is_gone(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "order 12345678901234567",
        "Bestellnummer 45391488034364670",
        "order 112-3456789-1234567",
        "call 000-12-3456 or 666-12-3456 or 123-00-4567",
        "part 1234-219-09-9998",
        f"tx hash 0x{'4c0883a69102937d' * 4}",
        "glpat- tokens are 20 characters long and ghp_ tokens 40 of them",
        "test_that_the_second_of_two_writers_waits2 fails",
        "call get_user_thatHasBeenSeenBefore2024 now",
        "see acme_ref_Ab3dE5gH7 jK9mN1pQ2rS4tU6 there",
        "recovery codes were sent 2024 2025, 2026 2027, 1234567 89012, march april",
        "backup codes: north south, winter autumn, spring summer, monday friday",
        "a family emoji 👨\u200d👩\u200d👧 and Persian می\u200cخواهم",
        "the codes of both rooms: north, south, recovery codes are with Ana since 2024 2025 2026",
    ],
)
def test_numbers_names_and_words_beside_them_are_left_alone(text: str) -> None:
    assert redact(text).text == text


def test_a_whole_token_does_not_swallow_the_next_word() -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae" + base62_crc32(b"16C7e42F292c6912E7710c838347Ae").decode()
    assert redact(f"{token}\nroom12 is free").text == "[redacted: github token]\nroom12 is free"


def test_a_right_checksum_convicts_and_a_wrong_one_does_not_acquit() -> None:
    body = "a" * 15 + "b" * 15
    plain = f"ghp_{body}"
    assert redact(plain + base62_crc32(body.encode()).decode()).found
    assert not redact(plain + "cccccc").found
    assert redact(f"see {filled('ghp_{A36}', 3)} there").found
    assert redact("GH=ghp_" + "abcdef" * 6).found


def test_check_digits() -> None:
    assert luhn(b"4111111111111111")
    assert not luhn(b"4111111111111112")
    assert mod97(b"DE89370400440532013000")
    assert not mod97(b"DE89370400440532013001")
    assert not redact("4111 1111 1111 1112").found
    assert not redact("DE89 3704 0044 0532 0130 01").found


FRAGMENTS = st.sampled_from(
    [
        *(
            "password",
            "token",
            "secret",
            "api_key",
            "密码",
            " is ",
            "=",
            ": ",
            '"',
            "'",
            "`",
            "\n",
            " ",
            "是",
            "://a:",
            "@host",
            "|",
            "&x=",
        ),
        *(
            "hunter2!",
            "ghp_",
            "sk-",
            "AKIA",
            "A1b2C3d4",
            "0123456789abcdef",
            "Bearer ",
            "[redacted: token]",
            "[redacted: ",
            "]",
            "\\n",
        ),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "MIIBPAIBAAJBANPQbQ92nlbeg1Q5JNHSO1Yey46nZ7GJ",
            "4111 1111 1111 1111",
        ),
        *(
            "--password ",
            "aws secret ",
            "my ",
            "\udcff",
            "é",
            "heroku key ",
            "706d85c5-24e4-4006-8559-a6656c90bd51",
            "<private>",
            "</private>",
        ),
    ]
)


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redacted(once.text, ())
    places = [place for found in once.found for place in (found.start, found.end)]
    assert places == sorted(places)
    assert all(0 <= found.start < found.end <= len(text) for found in once.found)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_can_be_redacted_and_stripped(text: str) -> None:
    redact(text)
    strip_private(text)


class Watched(bytes):
    """Bytes that add up what is copied out of them: the work that patterns do not bound."""

    copied = 0

    def __getitem__(self, key: object) -> bytes:  # type: ignore[override]
        taken = super().__getitem__(key)  # type: ignore[index]
        Watched.copied += len(taken) if isinstance(taken, bytes) else 1
        return taken  # type: ignore[return-value]


def work_of(scan: Callable[[bytes], object], data: bytes) -> int:
    Watched.copied = 0
    scan(Watched(data))
    return Watched.copied


HOSTILE = [
    *(
        "| password |\n",
        "a,password\nb,",
        "key ",
        "cookie session=",
        "wg private key ",
        "kind: Secret\n a: YWJjZGVmZ2g=\n",
        "login('a','",
    ),
    *(
        "password=",
        "password for ",
        "aws secret aws_secret ",
        "token is ",
        "密码是",
        '"password":"',
        "--token ",
        "password=abc123def ",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n" + "A1" * 32 + "\n",
        "http://a:b@",
        "4111 ",
        "4111111111111111 ",
    ),
    *(
        "DE89 ",
        "seed phrase: legal winner thank ",
        "legal winner thank ",
        "legal winner thank year wave sausage worth useful legal winner thank yellow ",
        "eyJ.",
        "server=a;",
        "[redacted: password]",
        "ghp_" + "a1B2c3" * 6 + " ",
        "define('token','",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    def repeated(size: int) -> bytes:
        return (unit.encode() * (size // len(unit.encode()) + 1))[:size]

    half = work_of(redaction._scan, repeated(10_000))
    whole = work_of(redaction._scan, repeated(20_000))
    assert whole <= 2.2 * half + 4_000


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b</Private> c", "a  c"),
        ("a < private why='x' >b</ private > c", "a  c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>b\nc\nto the end", "a "),
        ("a <private/> b", "a  b"),
        ("a <private\n>b</private\n>c", "a c"),
        ("stray </private> stays", "stray </private> stays"),
        ("<privateer>ship</privateer>", "<privateer>ship</privateer>"),
        ("<pri<private>x</private>vate>secret", ""),
        ("nothing here", "nothing here"),
        ("bad \udcff<private>\udcfe</private>", "bad \udcff"),
    ],
)
def test_private_passages_are_never_kept(text: str, kept: str) -> None:
    assert strip_private(text) == kept


@given(
    st.lists(
        st.sampled_from(
            ["<private>", "</private>", "<PRIVATE x>", "<pri", "vate>", "secret", " ", "<", ">", "<private/>"]
        ),
        max_size=20,
    ).map("".join)
)
def test_stripping_twice_changes_nothing_more(text: str) -> None:
    once = strip_private(text)
    assert strip_private(once) == once
    assert "<private>" not in once


def test_tags_that_keep_forming_out_of_their_pieces_are_cut_off() -> None:
    text = "kept " + "<pri" * 40 + "<private></private>" + "vate></private>" * 39 + "vate>secret"
    assert "secret" not in strip_private(text)
    assert strip_private(text).startswith("kept ")
